"""Where a manifest can be changed: each key and value with its place in the text and the schema that applies."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

from adk_decl.components.catalogue import find
from adk_decl.diagnostics.diagnostic import DiagnosticBag
from adk_decl.schema.config import check_config
from adk_decl.schema.evaluate import evaluate
from adk_decl.schema.load import load_shape
from adk_decl.syntax.document import Node
from adk_decl.syntax.read import read_bytes
from tests.quality.bases import Base

Path = tuple[str | int, ...]


class Spot(NamedTuple):
    """One entry of a map or one item of a list; an item has no key."""

    path: Path
    parent: Node
    key: Node | None
    value: Node
    schema: Mapping[str, Any]
    around: Mapping[str, Any]

    @property
    def types(self) -> tuple[str, ...]:
        """The types that may stand here, without text that is only a reference to the environment."""
        stated = self.schema.get("type", ())
        types = (stated,) if isinstance(stated, str) else tuple(stated)
        if self.schema.get("x-env-type", "string") != "string":
            types = tuple(name for name in types if name != "string")
        return types


class Source:
    """A manifest with its spots; offsets count characters from 0."""

    def __init__(self, base: Base) -> None:
        self.base = base
        self.text = base.text
        self.lines = base.text.split("\n")
        document = read_bytes(base.text.encode(), file="base", format=base.format, bag=DiagnosticBag())
        assert document is not None
        self.root = document.root
        self._starts = [0]
        for line in self.lines:
            self._starts.append(self._starts[-1] + len(line) + 1)
        schemas = _schemas(self.root)
        self.spots = tuple(_spots(self.root, (), schemas))

    def offset(self, line: int, column: int) -> int:
        """The offset of a place."""
        return self._starts[line - 1] + column - 1

    def range(self, node: Node) -> tuple[int, int]:
        """Where a node stands."""
        return self.offset(node.line, node.column), self.offset(node.end_line, node.end_column)

    def written(self, node: Node) -> str:
        """A node as it is written."""
        start, end = self.range(node)
        return self.text[start:end]

    def line_start(self, line: int) -> int:
        """The offset at which a line begins."""
        return self._starts[line - 1]

    def owns_lines(self, spot: Spot) -> bool:
        """Whether an entry stands on lines of its own: nothing else before its key or behind its value."""
        if spot.key is None or spot.key.line > spot.value.line:
            return False
        before = self.lines[spot.key.line - 1][: spot.key.column - 1]
        behind = self.lines[spot.value.end_line - 1][spot.value.end_column - 1 :].strip()
        return not before.strip() and (not behind or behind.startswith("#"))

    def text_of(self, value: object) -> str:
        """A value as the format writes it."""
        if self.base.format == "toml":
            return json.dumps(value)
        return value if isinstance(value, str) else json.dumps(value)


@cache
def source(base: Base) -> Source:
    """The source of a base, read once."""
    return Source(base)


def _schemas(root: Node) -> dict[int, Mapping[str, Any]]:
    bag = DiagnosticBag()
    result = evaluate(load_shape("Manifest"), root, file="base", bag=bag)
    schemas = dict(result.schemas)
    for kind, owner in _owners(root):
        use, config = owner.get("use"), owner.get("config")
        component = find(kind, str(use.value)) if use is not None else None  # type: ignore[arg-type]
        if config is not None and component is not None:
            schemas |= check_config(component.config_schema, config, file="base", bag=bag, path=()).schemas
    assert bag.sorted() == ()
    return schemas


def _owners(root: Node) -> Iterator[tuple[str, Node]]:
    for table, kind in (("models", "model"), ("plugins", "plugin")):
        yield from ((kind, value) for value in _values(root.get(table)))
    for table in ("runners", "agents"):
        for value in _values(root.get(table)):
            listed = value.get("plugins")
            yield from (("plugin", item) for item in (listed.items if listed else ()) if item.kind == "map")
            store = value.get("session_store")
            if store is not None:
                yield "session_store", store


def _values(node: Node | None) -> list[Node]:
    return [] if node is None else [value for _, value in node.entries]


def _spots(node: Node, path: Path, schemas: Mapping[int, Mapping[str, Any]]) -> Iterator[Spot]:
    around = schemas.get(id(node), {})
    children: list[tuple[str | int, Node | None, Node]] = [(key.text, key, value) for key, value in node.entries]
    children += [(index, None, item) for index, item in enumerate(node.items)]
    for step, key, value in children:
        yield Spot((*path, step), node, key, value, schemas.get(id(value), {}), around)
        yield from _spots(value, (*path, step), schemas)
