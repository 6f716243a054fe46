"""Takes secrets out of the reason of a halt, which travels in errors and logs."""

from __future__ import annotations

import re
from typing import Any, Final

from adk_decl.plan.limits import LIMITS
from adk_decl.wire import encode

REDACTED: Final = "[REDACTED]"

_KEYS: Final = frozenset(
    {
        "authorization",
        "proxy_authorization",
        "x_api_key",
        "api_key",
        "apikey",
        "cookie",
        "set_cookie",
        "password",
        "passwd",
        "secret",
        "client_secret",
        "access_token",
        "refresh_token",
        "id_token",
        "session_token",
        "security_token",
        "token",
        "credential",
        "credentials",
        "private_key",
        "client_assertion",
        "bearer",
        "credential_rotator",
        "otp",
        "pin",
    }
)
_USERINFO: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.\-]*://)[^\s/?#@]*@")
_PARAMETER: Final = re.compile(r"([?&;])([A-Za-z0-9_\-.%]+)=([^&;#\s]*)")


def is_secret_key(key: str) -> bool:
    """Whether a key of this name holds a secret by its name; `-` counts as `_`, case does not count."""
    return key.lower().replace("-", "_") in _KEYS


def redact(value: Any) -> Any:
    """A copy of a JSON value without what secret keys hold, and without user info and secret parameters in URLs."""
    if isinstance(value, dict):
        return {key: REDACTED if is_secret_key(key) else redact(item) for key, item in value.items()}
    if isinstance(value, list):
        return [redact(item) for item in value]
    return _redact_text(value) if isinstance(value, str) else value


def bounded_reason(reason: Any) -> bytes:
    """The redacted reason of a halt as JSON, replaced by `{"truncated": true}` when it is longer than 1024 bytes."""
    data = encode(redact(reason))
    return data if len(data) <= LIMITS["plugin.halt_reason_bytes"].default else b'{"truncated":true}'


def _redact_text(text: str) -> str:
    if "=" not in text and "@" not in text:
        return text
    text = _USERINFO.sub(rf"\1{REDACTED}@", text)
    return _PARAMETER.sub(_redact_parameter, text)


def _redact_parameter(match: re.Match[str]) -> str:
    mark, name, _ = match.groups()
    return f"{mark}{name}={REDACTED}" if is_secret_key(name) else match.group()
