"""Payloads: frozen values whose fields stay encoded until they are read.

A payload crosses to a worker as a JSON array of its fields. There it is wrapped without decoding them; each
field is decoded when a hook first reads it, and anew for the next hook, so that a change in place reaches
neither the host nor another plugin.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, NoReturn, Self, dataclass_transform, get_type_hints

from adk_decl.plan.record import FrozenError
from adk_decl.wire import Raw, WireError, decoder, encode

_UNREAD: Any = object()


class _Field:
    """Descriptor of one payload field: decodes it on first access and keeps the result in that payload."""

    __slots__ = ("decode", "index", "name")

    def __init__(self, name: str, index: int, decode: Callable[[Any], Any]) -> None:
        self.name = name
        self.index = index
        self.decode = decode

    def __get__(self, payload: Any, owner: type | None = None) -> Any:
        if payload is None:
            return self
        values = payload._values
        if values is None:
            values = [_UNREAD] * len(payload.fields)
            _set_values(payload, values)
        value = values[self.index]
        if value is _UNREAD:
            value = self.decode(payload._encoded[self.index])
            values[self.index] = value
        return value

    def __set__(self, payload: Any, value: object) -> NoReturn:
        raise FrozenError(f"{type(payload).__name__} is frozen: amend it instead of setting {self.name!r}")


@dataclass_transform(frozen_default=True, kw_only_default=False)
class Payload:
    """Base of what hooks see. Subclasses declare annotated fields; annotations must be resolvable at import."""

    __slots__ = ("_encoded", "_values")
    fields: ClassVar[tuple[str, ...]] = ()
    decoders: ClassVar[tuple[Callable[[Any], Any], ...]] = ()
    defaults: ClassVar[dict[str, Any]] = {}
    _values: list[Any] | None
    _encoded: Sequence[Any] | None

    def __init_subclass__(cls) -> None:
        names = tuple(n for n in inspect.get_annotations(cls) if not n.startswith("_"))
        hints = get_type_hints(cls)
        cls.fields = names
        cls.defaults = {n: cls.__dict__[n] for n in names if n in cls.__dict__}
        cls.decoders = tuple(decoder(hints[n]) for n in names)
        for index, name in enumerate(names):
            setattr(cls, name, _Field(name, index, cls.decoders[index]))

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if len(args) > len(self.fields):
            raise TypeError(f"{type(self).__name__} takes {len(self.fields)} values")
        given = dict(zip(self.fields, args, strict=False))
        for name, value in kwargs.items():
            if name not in self.fields or name in given:
                raise TypeError(f"{type(self).__name__} can't take {name!r}")
            given[name] = value
        missing = [n for n in self.fields if n not in given and n not in self.defaults]
        if missing:
            raise TypeError(f"{type(self).__name__} is missing {', '.join(missing)}")
        object.__setattr__(self, "_values", [given[n] if n in given else _fresh(self.defaults[n]) for n in self.fields])
        object.__setattr__(self, "_encoded", None)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise FrozenError(f"{type(self).__name__} is frozen: amend it instead of setting {name!r}")

    def __delattr__(self, name: str) -> NoReturn:
        raise FrozenError(f"{type(self).__name__} is frozen: {name!r} can't be deleted")

    @classmethod
    def from_encoded(cls, encoded: Sequence[Any]) -> Self:
        """A payload over its encoded fields (JSON bytes or `Raw`, in the order of `fields`)."""
        payload = cls.__new__(cls)
        _set_encoded(payload, encoded)
        _set_values(payload, None)
        return payload

    @classmethod
    def from_json(cls, data: bytes | memoryview) -> Self:
        """A payload from the JSON array that `to_json` makes. Raises `WireError`."""
        encoded = _decode_fields(data)
        if len(encoded) != len(cls.fields):
            raise WireError(f"{cls.__name__} has {len(cls.fields)} fields")
        return cls.from_encoded(encoded)

    def to_json(self) -> bytes:
        """A JSON array of the fields; those never read are copied as they came."""
        if self._encoded is None:
            return encode(self._values)
        return encode([e if v is _UNREAD else v for v, e in zip(self._known(), self._encoded, strict=True)])

    def encoded_fields(self) -> list[Any]:
        """The JSON of each field, in order; those never read are given as they came."""
        if self._encoded is None:
            return [encode(value) for value in self._known()]
        return [e if v is _UNREAD else encode(v) for v, e in zip(self._known(), self._encoded, strict=True)]

    def read_fields(self) -> list[tuple[int, Any]]:
        """Index and value of the fields that were given or have been read."""
        return [(index, value) for index, value in enumerate(self._known()) if value is not _UNREAD]

    def patched(self, changes: Mapping[int, Any]) -> Self:
        """A new payload with the fields of these indexes set to decoded values; the others stay as they are."""
        payload = type(self).from_encoded(self._encoded)  # type: ignore[arg-type]  # None: nothing is encoded
        _set_values(payload, [changes.get(index, value) for index, value in enumerate(self._known())])
        return payload

    def replace(self, **changes: Any) -> Self:
        """A new payload with some fields changed; this one stays as it is."""
        return type(self)(**{n: getattr(self, n) for n in self.fields} | changes)

    def as_dict(self) -> dict[str, Any]:
        """All fields by name, decoded."""
        return {n: getattr(self, n) for n in self.fields}

    def checked(self) -> Self:
        """The same payload, encoded and decoded strictly. Raises `WireError` when a field has a wrong type."""
        copy = type(self).from_json(self.to_json())
        for name in self.fields:
            getattr(copy, name)
        return copy

    def _known(self) -> list[Any]:
        """The values of all fields, `_UNREAD` for those that are only encoded."""
        return [_UNREAD] * len(self.fields) if self._values is None else self._values

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and all(getattr(self, n) == getattr(other, n) for n in self.fields)

    __hash__: ClassVar[None]  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"

    def __copy__(self) -> Self:
        return self

    def __class_getitem__(cls, item: Any) -> types.GenericAlias:
        return types.GenericAlias(cls, item)


def _fresh(default: Any) -> Any:
    """A default that can be changed in place is copied, so that no two payloads share it."""
    return dict(default) if isinstance(default, dict) else default


# The slots' own setters: `__setattr__` refuses, and `object.__setattr__` looks the name up each time.
_set_encoded: Callable[[Payload, Any], None] = Payload.__dict__["_encoded"].__set__
_set_values: Callable[[Payload, list[Any] | None], None] = Payload.__dict__["_values"].__set__

_decode_fields: Callable[[Any], list[Raw]] = decoder(list[Raw])
