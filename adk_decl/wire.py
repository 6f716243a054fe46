"""The codec of everything that crosses a process or a file: JSON by msgspec, strictly typed on the way in.

The only module that imports msgspec. Frames carry JSON, which can't carry code, extension types or objects.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn, TypeVar

import msgspec
from msgspec import Raw as Raw
from msgspec import Struct as Struct
from msgspec import field as field
from msgspec.structs import asdict as asdict
from msgspec.structs import replace as replace

T = TypeVar("T")

WireError = msgspec.MsgspecError
"""Raised by `decode` and decoders for bytes that are not JSON or not of the wanted shape."""

_encoder = msgspec.json.Encoder()
encode: Callable[[Any], bytes] = _encoder.encode
"""JSON bytes of a JSON value, a `Struct` or a `Raw`."""


def decoder(shape: type[T] | Any) -> Callable[[bytes | memoryview | Raw], T]:
    """A function that decodes JSON of one shape. Raises `WireError`."""
    unbounded: Callable[[bytes | memoryview | Raw], T] = msgspec.json.Decoder(shape).decode

    def decode(data: bytes | memoryview | Raw) -> T:
        try:
            return unbounded(data)
        except RecursionError:
            raise msgspec.DecodeError("JSON is nested too deep") from None

    return decode


decode: Callable[[bytes | memoryview | Raw], Any] = decoder(Any)
"""Decode any JSON to plain dicts, lists and scalars. Raises `WireError`."""


def to_builtins(value: Any) -> Any:
    """A struct as plain dicts, lists and scalars."""
    return msgspec.to_builtins(value)


def convert(value: Any, shape: type[T]) -> T:
    """Plain data as a struct, strictly. Raises `WireError`."""
    return msgspec.convert(value, shape, strict=True)


def convert_known(value: Any, shape: Any) -> Any:
    """As `convert`, but raises `UnknownClass` where `shape` holds a class that is neither JSON nor built from it."""
    return msgspec.convert(value, shape, strict=True, dec_hook=_unknown)


class UnknownClass(NotImplementedError):
    """A class that plain data can't be converted to."""


def _unknown(shape: type, _value: Any) -> NoReturn:
    raise UnknownClass(shape.__name__)
