"""Which addresses may be contacted: https anywhere, plain http only on this machine or when it was asked for."""

from __future__ import annotations

import ipaddress
from urllib.parse import SplitResult, urlsplit

from adk_decl.transport.errors import TransportError

MAX_URL_CHARACTERS = 2048


def check_url(url: str, *, insecure_http: bool = False) -> str:
    """The URL without a trailing slash.

    It has scheme and host, and neither user information, query nor fragment, since credentials in a URL end in
    logs. Raises `TransportError("request_refused")`.
    """
    parts = _split(url)
    plain_http_allowed = insecure_http or is_loopback(parts.hostname or "")
    if parts.scheme not in ("https", "http") or (parts.scheme == "http" and not plain_http_allowed):
        raise TransportError("request_refused")
    if not parts.hostname or "@" in parts.netloc or parts.query or parts.fragment:
        raise TransportError("request_refused")
    return url.rstrip("/")


def is_loopback(host: str) -> bool:
    """Whether a host name or literal address means this machine. No name is looked up."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _split(url: str) -> SplitResult:
    if len(url) > MAX_URL_CHARACTERS or any(c <= " " or c == "\x7f" for c in url):
        raise TransportError("request_refused")
    try:
        parts = urlsplit(url)
        _ = parts.port  # reading it checks that it is a number in range
    except ValueError:
        raise TransportError("request_refused") from None
    return parts
