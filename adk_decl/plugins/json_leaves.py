"""Whether what a plugin sends back is JSON: the check that encoders don't make.

An encoder turns sets, dates and bytes into JSON silently and writes NaN as null. A plugin may send null, booleans,
integers, finite floats, strings, lists and maps with string keys, nested at most 64 deep, and the structs of
`adk_decl.values`, whose own fields may be tuples.
"""

from __future__ import annotations

from math import isfinite
from typing import Any, Final

from adk_decl.plan.limits import LIMITS
from adk_decl.wire import Struct, encode

_MAX_DEPTH: Final = LIMITS["plugin.result_depth"].default
_SCALARS: Final = frozenset({str, int, bool, type(None)})


class NotJson(Exception):
    """A value holds something that is not JSON, or is nested too deep."""


def checked_json(value: Any) -> bytes:
    """The JSON of a value that was walked first. Raises `NotJson`."""
    _walk_field(value, 0)
    try:
        return encode(value)
    except (TypeError, ValueError, OverflowError, RecursionError):
        raise NotJson from None


def _walk_field(value: Any, depth: int) -> None:
    """A field of a payload or a struct may be a tuple; what is inside of JSON may not."""
    if type(value) is tuple:
        for item in value:
            _walk(item, depth + 1)
    else:
        _walk(value, depth)


def _walk(value: Any, depth: int) -> None:
    kind = type(value)
    if kind in _SCALARS:
        return
    if kind is float:
        if not isfinite(value):
            raise NotJson
        return
    if depth >= _MAX_DEPTH:
        raise NotJson
    if kind is dict:
        for key, item in value.items():
            if type(key) is not str:
                raise NotJson
            _walk(item, depth + 1)
    elif kind is list:
        for item in value:
            _walk(item, depth + 1)
    elif isinstance(value, Struct):
        for name in value.__struct_fields__:
            _walk_field(getattr(value, name), depth)
    else:
        raise NotJson
