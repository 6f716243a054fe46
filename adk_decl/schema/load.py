"""Loads schemas and compiles them, piece by piece and only when a piece is met.

A `Shape` is a schema of the subset described in `adk_decl.schema.subset`. Compiling a piece means making one
closure for it (`adk_decl.schema.checks`), which then walks nodes.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from adk_decl.data_files import read_data

if TYPE_CHECKING:
    from adk_decl.schema.evaluate import Walk
    from adk_decl.syntax.document import Node, Path

Schema = Mapping[str, Any]
Check = "Callable[[Node, Path, Walk], None]"

FILES: Mapping[str, str] = {
    "Manifest": "manifest.v1.schema.json",
    "Components": "components.v1.schema.json",
    "Lock": "lock.v1.schema.json",
}
"""The schema file of each kind of document."""

_LONGEST_REFERENCE_CHAIN = 16
_SHAPES_KEPT = 256
_by_kind: dict[str, Shape] = {}
_by_schema: dict[int, tuple[Schema, Shape]] = {}


class InvalidSchema(ValueError):
    """A schema that can't be compiled: a broken reference. Its text holds no part of a document."""


class Shape:
    """A schema whose references are resolved and whose pieces are compiled on first use."""

    __slots__ = ("_checks", "_names", "_resolved", "root", "trusted")

    def __init__(self, root: Schema, *, trusted: bool = False) -> None:
        """`trusted` says that the patterns are our own."""
        self.root = root
        self.trusted = trusted
        self._names: frozenset[str] | None = None
        self._resolved: dict[int, tuple[Any, Schema]] = {}
        self._checks: dict[int, Callable[[Node, Path, Walk], None]] = {}

    def resolve(self, schema: Any) -> Schema:
        """The schema itself, with `$ref` followed and its own annotations laid over the target's.

        Boolean schemas become maps too. Raises `InvalidSchema` for a reference that leads nowhere.
        """
        known = self._resolved.get(id(schema))
        if known is not None:
            return known[1]
        resolved = self._follow(schema)
        self._resolved[id(schema)] = (schema, resolved)
        return resolved

    def check(self, schema: Any) -> Callable[[Node, Path, Walk], None]:
        """The closure that checks a node against `schema`; compiled at the first call."""
        resolved = self.resolve(schema)
        check = self._checks.get(id(resolved))
        if check is None:
            from adk_decl.schema.checks import compile_check

            check = self._checks[id(resolved)] = compile_check(self, resolved)
        return check

    def property(self, schema: Any, name: str) -> Schema | None:
        """The resolved schema of the value under `name` in a map that fits `schema`, or None."""
        resolved = self.resolve(schema)
        if name in resolved.get("properties", {}):
            return self.resolve(resolved["properties"][name])
        rest = resolved.get("additionalProperties")
        return self.resolve(rest) if isinstance(rest, Mapping) else None

    def default(self, schema: Any, name: str) -> Any:
        """The `default` of the property `name`, or None when there is none. Not to be changed by the caller."""
        found = self.property(schema, name)
        return None if found is None else found.get("default")

    def property_names(self) -> frozenset[str]:
        """Every name of a property anywhere in the schema."""
        if self._names is None:
            names: set[str] = set()
            pending: list[Any] = [self.root]
            while pending:
                part = pending.pop()
                if isinstance(part, Mapping):
                    names.update(part.get("properties", ()))
                    pending.extend(part.values())
                elif isinstance(part, list | tuple):
                    pending.extend(part)
            self._names = frozenset(names)
        return self._names

    def _follow(self, schema: Any) -> Schema:
        if schema is True:
            return {}
        if schema is False:
            return {"x-never": True}
        seen = 0
        while "$ref" in schema:
            seen += 1
            if seen > _LONGEST_REFERENCE_CHAIN:
                raise InvalidSchema("a reference that leads back to itself")
            target = self._target(schema["$ref"])
            schema = {**target, **{key: value for key, value in schema.items() if key != "$ref"}}
        return schema  # type: ignore[no-any-return]

    def _target(self, reference: str) -> Schema:
        if not reference.startswith("#"):
            raise InvalidSchema("a reference that leaves the schema")
        found: Any = self.root
        for part in reference[1:].split("/")[1:]:
            name = part.replace("~1", "/").replace("~0", "~")
            if not isinstance(found, Mapping) or name not in found:
                raise InvalidSchema("a reference that leads nowhere")
            found = found[name]
        if not isinstance(found, Mapping):
            raise InvalidSchema("a reference to something that is not a schema")
        return found


def load_schema(kind: str) -> dict[str, Any]:
    """A fresh copy of the schema of a kind of document. Raises `KeyError` for an unknown kind."""
    loaded: dict[str, Any] = json.loads(read_data(f"schemas/{FILES[kind]}"))
    return loaded


def load_shape(kind: str) -> Shape:
    """The shape of a kind of document, such as `Manifest`; read once. Raises `KeyError` for an unknown kind."""
    shape = _by_kind.get(kind)
    if shape is None:
        shape = _by_kind[kind] = Shape(load_schema(kind), trusted=True)
    return shape


def shape_from(schema: Schema) -> Shape:
    """The shape of a given schema, kept for the next call with the same object."""
    known = _by_schema.get(id(schema))
    if known is not None and known[0] is schema:
        return known[1]
    if len(_by_schema) >= _SHAPES_KEPT:
        _by_schema.clear()
    shape = Shape(schema)
    _by_schema[id(schema)] = (schema, shape)
    return shape
