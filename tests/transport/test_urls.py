"""Which addresses may be contacted."""

from __future__ import annotations

import pytest

from adk_decl.transport.errors import TransportError
from adk_decl.transport.urls import check_url, is_loopback


@pytest.mark.parametrize(
    ("url", "kept"),
    [
        ("https://api.example.com/v1", "https://api.example.com/v1"),
        ("https://api.example.com/v1/", "https://api.example.com/v1"),
        ("http://127.0.0.1:8080/v1", "http://127.0.0.1:8080/v1"),
        ("http://127.9.9.9", "http://127.9.9.9"),
        ("http://localhost:1", "http://localhost:1"),
        ("http://[::1]:8080", "http://[::1]:8080"),
    ],
)
def test_accepted(url: str, kept: str) -> None:
    assert check_url(url) == kept


@pytest.mark.parametrize(
    "url",
    [
        "",
        "api.example.com",
        "ftp://example.com",
        "file:///etc/passwd",
        "https://",
        "https://user:word@example.com",
        "https://example.com/?key=1",
        "https://example.com/#part",
        "https://example.com:99999",
        "https://exa mple.com",
        "https://example.com/\r\nx: y",
        "http://example.com",
        "http://127.0.0.1.example.com",
        "http://10.0.0.1",
        "http://[::2]",
        "https://" + "a" * 3000,
    ],
)
def test_refused(url: str) -> None:
    with pytest.raises(TransportError, match="request_refused"):
        check_url(url)


def test_plain_http_elsewhere_only_when_asked_for() -> None:
    assert check_url("http://model.internal:8000/v1", insecure_http=True) == "http://model.internal:8000/v1"
    with pytest.raises(TransportError):
        check_url("ftp://model.internal", insecure_http=True)


def test_no_name_is_looked_up() -> None:
    assert is_loopback("a.localhost")
    assert not is_loopback("localhost.example.com")
