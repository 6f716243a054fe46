"""Canonical JSON, the only one in adk-decl, and the digest made from it.

Keys sorted by code point, no white space, UTF-8, no NaN or infinity; a float that is a whole number below
2**53 is written as that integer, so that `1` and `1.0` in a manifest are the same plan.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from adk_decl.plan.record import Record

_WHOLE_FLOAT_LIMIT = 2.0**53


def to_plain(value: Any) -> Any:
    """Records, frozen maps and tuples as plain dicts and lists, ready for `json`.

    A record becomes a map of its fields. A record with a `canonical_json()` method says itself what it becomes.
    """
    kind = type(value)
    if kind is str or kind is int or kind is bool or value is None:
        return value
    if kind is float:
        return int(value) if value.is_integer() and abs(value) < _WHOLE_FLOAT_LIMIT else value
    if isinstance(value, Record):
        own = getattr(value, "canonical_json", None)
        if own is not None:
            return to_plain(own())
        return {name: to_plain(getattr(value, name)) for name in value._fields}
    if isinstance(value, Mapping):
        return {key: to_plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [to_plain(item) for item in value]
    if isinstance(value, (str, int)):
        return value
    raise TypeError(f"not a JSON value: {type(value).__name__}")


def canonical_json(value: Any) -> bytes:
    """The canonical form of a JSON value or a record. Raises `ValueError` for NaN and infinities."""
    plain = to_plain(value)
    text = json.dumps(plain, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.encode("utf-8")


def digest(data: bytes) -> str:
    """`sha256:` and 64 hexadecimal digits."""
    from hashlib import sha256

    return "sha256:" + sha256(data).hexdigest()
