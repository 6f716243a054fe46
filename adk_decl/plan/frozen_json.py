"""JSON values that can't change: maps become `FrozenMap`, lists become tuples."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from adk_decl.plan.record import FrozenMap

FrozenJson: TypeAlias = "bool | int | float | str | tuple[FrozenJson, ...] | FrozenMap[FrozenJson] | None"

_SCALARS = (bool, int, float, str)


def freeze(value: Any) -> FrozenJson:
    """A deeply frozen copy of a JSON value (`None`, bool, int, float, str, list, map with string keys).

    Raises `TypeError` for anything else. Records, which stand for references in a plan, pass as they are.
    """
    if value is None or isinstance(value, _SCALARS):
        return value
    if isinstance(value, Mapping):
        return FrozenMap({key: freeze(item) for key, item in value.items()})
    if isinstance(value, (list, tuple)):
        return tuple(freeze(item) for item in value)
    if hasattr(value, "_fields"):
        return value  # type: ignore[no-any-return]
    raise TypeError(f"not a JSON value: {type(value).__name__}")


def thaw(value: Any) -> Any:
    """A plain, changeable copy of a frozen JSON value: dicts, lists and scalars."""
    if isinstance(value, Mapping):
        return {key: thaw(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [thaw(item) for item in value]
    return value
