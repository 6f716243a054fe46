"""How an event is written in a store: a JSON object by field name, within a bound.

Names, not positions, so that a later version can add a field and still read what stands there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from adk_decl.errors import SessionStoreError
from adk_decl.plan.limits import LIMITS
from adk_decl.sessions.protocol import SessionKey
from adk_decl.values.phase_values import Event
from adk_decl.wire import Raw, WireError, decoder, encode


def encode_event(event: Event) -> bytes:
    """The event as JSON.

    Raises `SessionStoreError` with `session_event_invalid` for a value that is not JSON and
    `session_event_too_large` above `session.event_bytes`.
    """
    try:
        body = encode(event.as_dict())
    except (TypeError, ValueError, OverflowError, RecursionError):
        raise SessionStoreError("the event holds a value that is not JSON", code="session_event_invalid") from None
    bound = LIMITS["session.event_bytes"].maximum
    if len(body) > bound:
        raise SessionStoreError(f"the event is larger than {bound} bytes", code="session_event_too_large")
    return body


def decode_event(body: bytes) -> Event:
    """The event that `encode_event` wrote. Raises `SessionStoreError` with `session_store_corrupt`."""
    try:
        encoded = _decode_fields(body)
        values = {n: Event.decoders[i](encoded[n]) for i, n in enumerate(Event.fields) if n in encoded}
        return Event(**values)
    except (WireError, TypeError, RecursionError):
        raise SessionStoreError("a stored event can't be read", code="session_store_corrupt") from None


def check_key(key: SessionKey) -> None:
    """Refuse a key that no store could find again.

    Raises `SessionStoreError` with `session_key_invalid` for an empty part, one above `session.key_bytes`, or one
    that is not valid Unicode.
    """
    bound = LIMITS["session.key_bytes"].maximum
    for name in ("app_name", "user_id", "session_id"):
        try:
            length = len(getattr(key, name).encode("utf-8"))
        except UnicodeEncodeError:
            length = 0
        if not 0 < length <= bound:
            raise SessionStoreError(f"{name} must be text of 1 to {bound} bytes", code="session_key_invalid")


def check_room(*, events: int, stored_bytes: int, added_bytes: int) -> None:
    """Refuse an event for which a session has no room. Raises `SessionStoreError` with `session_full`."""
    if events >= LIMITS["session.events"].maximum or stored_bytes + added_bytes > LIMITS["session.bytes"].maximum:
        raise SessionStoreError("the session is full: begin a new one", code="session_full")


_decode_fields: Callable[[Any], dict[str, Raw]] = decoder(dict[str, Raw])
