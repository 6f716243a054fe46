"""What a migration does to a document: four operations, each on plain data; `text_edits` does the same to a text.

Doing both and comparing the results is what makes an edit safe: where a text turns out to be written in a way that an
edit does not understand, the two differ and the edit is not made.
"""

from __future__ import annotations

from typing import Any, Literal

from adk_decl.diagnostics.diagnostic import Span
from adk_decl.plan.record import Record

Path = tuple[str | int, ...]


class Operation(Record):
    """One change at a place: `path` leads to the value concerned, `span` is what a report points at.

    - `rename`: the key at the end of `path` becomes `name`.
    - `set`: the scalar at `path` becomes `value`.
    - `insert`: `name: value` is put before the key at the end of `path`.
    - `key_by`: the list at `path` becomes a map; the text under `name` of each item is its key.
    """

    kind: Literal["rename", "set", "insert", "key_by"]
    path: Path
    span: Span
    name: str = ""
    value: str | int | bool | None = None


class NotPossible(ValueError):
    """An operation that does not fit the data, such as a key that is there already."""


def apply(operation: Operation, data: Any) -> None:
    """Make the change in plain data, in place. Raises `NotPossible` when it does not fit."""
    if operation.kind == "rename":
        _rename(operation, data)
    elif operation.kind == "insert":
        owner = _at(data, operation.path[:-1])
        _require(isinstance(owner, dict) and operation.name not in owner)
        owner[operation.name] = operation.value
    elif operation.kind == "set":
        _at(data, operation.path[:-1])[operation.path[-1]] = operation.value
    else:
        _key_by(operation, data)


def _rename(operation: Operation, data: Any) -> None:
    owner = _at(data, operation.path[:-1])
    old = operation.path[-1]
    _require(isinstance(owner, dict) and old in owner and operation.name not in owner)
    owner[operation.name] = owner.pop(old)


def _key_by(operation: Operation, data: Any) -> None:
    owner, last = _at(data, operation.path[:-1]), operation.path[-1]
    items = owner[last]
    _require(isinstance(items, list) and all(isinstance(item, dict) for item in items))
    names = [item.get(operation.name) for item in items]
    _require(all(isinstance(name, str) for name in names) and len(set(names)) == len(names))
    _require(all(len(item) > 1 for item in items))
    owner[last] = {item.pop(operation.name): item for item in items}


def _at(data: Any, path: Path) -> Any:
    for step in path:
        data = data[step]
    return data


def _require(condition: object) -> None:
    if not condition:
        raise NotPossible
