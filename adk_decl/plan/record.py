"""Immutable values that are cheap to define.

A frozen dataclass costs more than half a millisecond each at import, and `validate` imports many of
them; a `Record` costs a few microseconds, because it generates no code. It has slots, takes keywords
only, compares and hashes by its fields, copies to itself and pickles by value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar, NoReturn, Self, TypeVar, dataclass_transform

V = TypeVar("V", covariant=True)


class FrozenError(AttributeError, TypeError):
    """Raised by every attempt to change a frozen value. It is both an `AttributeError` and a `TypeError`."""


class _RecordType(type):
    """Turns the annotations of a class body into slots and keeps their defaults beside them."""

    def __new__(mcs, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> _RecordType:
        annotations = namespace.get("__annotations__", {})
        own = tuple(n for n, text in annotations.items() if "ClassVar" not in str(text))
        defaults = {n: namespace.pop(n) for n in own if n in namespace}
        namespace["__slots__"] = own
        cls = super().__new__(mcs, name, bases, namespace)
        inherited: tuple[str, ...] = ()
        for base in bases:
            inherited += getattr(base, "_fields", ())
            defaults = {**getattr(base, "_defaults", {}), **defaults}
        cls._fields = inherited + own  # type: ignore[attr-defined]
        cls._defaults = defaults  # type: ignore[attr-defined]
        cls._field_set = frozenset(inherited + own)  # type: ignore[attr-defined]
        return cls


@dataclass_transform(frozen_default=True, kw_only_default=True)
class Record(metaclass=_RecordType):
    """Base of frozen values: `class Limit(Record): name: str; default: int = 0`."""

    _fields: ClassVar[tuple[str, ...]]
    _defaults: ClassVar[Mapping[str, Any]]
    _field_set: ClassVar[frozenset[str]]

    def __init__(self, **values: Any) -> None:
        store = object.__setattr__
        if len(values) != len(self._fields):
            missing = [n for n in self._fields if n not in values and n not in self._defaults]
            if missing:
                raise TypeError(f"{type(self).__name__} is missing {', '.join(missing)}")
        for name, value in values.items():
            if name not in self._field_set:
                raise TypeError(f"{type(self).__name__} has no field {name!r}")
            store(self, name, value)
        if len(values) != len(self._fields):
            for name in self._fields:
                if name not in values:
                    store(self, name, self._defaults[name])

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise FrozenError(f"{type(self).__name__} is frozen: {name!r} can't be set")

    def __delattr__(self, name: str) -> NoReturn:
        raise FrozenError(f"{type(self).__name__} is frozen: {name!r} can't be deleted")

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(getattr(self, n) == getattr(other, n) for n in self._fields)

    def __hash__(self) -> int:
        return hash((type(self), *(getattr(self, n) for n in self._fields)))

    def __repr__(self) -> str:
        inner = ", ".join(f"{n}={getattr(self, n)!r}" for n in self._fields)
        return f"{type(self).__name__}({inner})"

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return (_rebuild, (type(self), {n: getattr(self, n) for n in self._fields}))

    def replace(self, **changes: Any) -> Self:
        """A new value with some fields changed; this one stays as it is."""
        return type(self)(**{n: getattr(self, n) for n in self._fields} | changes)


def _rebuild(cls: type[Record], values: dict[str, Any]) -> Record:
    return cls(**values)


class FrozenMap(Mapping[str, V]):
    """A read-only, hashable mapping with string keys that keeps the order it was built in.

    Order does not count in equality or in canonical JSON.
    """

    __slots__ = ("_entries",)
    _entries: dict[str, V]

    def __init__(self, entries: Mapping[str, V] | None = None) -> None:
        object.__setattr__(self, "_entries", dict(entries) if entries else {})

    def __getitem__(self, key: str) -> V:
        return self._entries[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, key: object) -> bool:
        return key in self._entries

    def __eq__(self, other: object) -> bool:
        if isinstance(other, FrozenMap):
            return self._entries == other._entries
        return self._entries == other if isinstance(other, dict) else NotImplemented

    def __hash__(self) -> int:
        return hash(frozenset(self._entries.items()))

    def __repr__(self) -> str:
        return f"FrozenMap({self._entries!r})"

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise FrozenError(f"FrozenMap is frozen: {name!r} can't be set")

    def __delattr__(self, name: str) -> NoReturn:
        raise FrozenError(f"FrozenMap is frozen: {name!r} can't be deleted")

    def __setitem__(self, key: str, value: object) -> NoReturn:
        raise FrozenError(f"FrozenMap is frozen: {key!r} can't be set")

    def __delitem__(self, key: str) -> NoReturn:
        raise FrozenError(f"FrozenMap is frozen: {key!r} can't be deleted")

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return (FrozenMap, (dict(self._entries),))


class LazyMap(FrozenMap[V]):
    """A `FrozenMap` that is built at its first use, for what most programs never look at."""

    __slots__ = ("_build", "_built")
    _build: Callable[[], Mapping[str, V]] | None
    _built: dict[str, V]

    def __init__(self, build: Callable[[], Mapping[str, V]]) -> None:
        object.__setattr__(self, "_build", build)

    @property
    def _entries(self) -> dict[str, V]:  # type: ignore[override]
        if self._build is not None:
            object.__setattr__(self, "_built", dict(self._build()))
            object.__setattr__(self, "_build", None)
        return self._built


EMPTY_MAP: FrozenMap[Any] = FrozenMap()
