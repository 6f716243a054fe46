"""One tree for YAML, TOML and JSON: nodes that know where they stand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from adk_decl.diagnostics.diagnostic import Span

Kind = Literal["scalar", "map", "list"]
Scalar = None | bool | int | float | str
Path = tuple[str | int, ...]

_NOTHING: Any = ()
"""Instead of a list that stays empty: most nodes are scalars, and two lists each would double their cost."""

_NONE_REPLACED: Mapping[int, Any] = {}


class Node:
    """A scalar, map or list of a document, with its place.

    `line`, `column` and their ends count code points from 1, ends are exclusive. A scalar has `value` (typed by
    the scalar rules, not by the parser) and `text`, its source text without quotes; `plain` says whether it was
    written without quotes. A map has `entries` in order, as (key node, value node), a list has `items`. `file` is the
    shown name of the file that states the node; None stands for the file that the document is named after.
    """

    __slots__ = (
        "_index",
        "column",
        "end_column",
        "end_line",
        "entries",
        "file",
        "items",
        "kind",
        "line",
        "plain",
        "text",
        "value",
    )

    def __init__(self, kind: Kind, line: int, column: int, end_line: int, end_column: int, text: str = "") -> None:
        self.kind: Kind = kind
        self.line = line
        self.column = column
        self.end_line = end_line
        self.end_column = end_column
        self.file: str | None = None
        self.value: Scalar = None
        self.text = text
        self.plain = False
        self.entries: list[tuple[Node, Node]] = [] if kind == "map" else _NOTHING
        self.items: list[Node] = [] if kind == "list" else _NOTHING
        self._index: dict[str, tuple[Node, Node]] | None = None

    def get(self, key: str) -> Node | None:
        """The value under a key of a map, or None; of a key that stands twice, the first."""
        entry = self._entry(key)
        return entry[1] if entry is not None else None

    def key_node(self, key: str) -> Node | None:
        """The node of a key of a map, or None."""
        entry = self._entry(key)
        return entry[0] if entry is not None else None

    def keys(self) -> Iterator[str]:
        """The keys of a map, in order."""
        return (name.text for name, _ in self.entries)

    def _entry(self, key: str) -> tuple[Node, Node] | None:
        index = self._index
        if index is None or len(index) != len(self.entries):
            index = self._index = {entry[0].text: entry for entry in reversed(self.entries)}
        return index.get(key)

    def span(self, file: str) -> Span:
        """This node's place; `file` is the name of its document, which a node of another layer does not lie in."""
        return Span(
            file=self.file or file,
            line=self.line,
            column=self.column,
            end_line=self.end_line,
            end_column=self.end_column,
        )

    def to_plain(self) -> object:
        """The value as plain dicts, lists and scalars, without places."""
        if self.kind == "scalar":
            return self.value
        if self.kind == "list":
            return [item.to_plain() for item in self.items]
        return {key.text: value.to_plain() for key, value in self.entries}


class MergedNode(Node):
    """A map or list whose parts come from several files. Its own place is that of the file that defines it."""

    __slots__ = ()


class Document:
    """A file that was read: its name as shown to people, its text, its format and its root node.

    `layers` are the documents that it was merged of, the one that gives way first; an unlayered one is its only layer.
    `replaced` are nodes of lower layers by the `id` of the node that took their place.
    """

    __slots__ = ("_layers", "file", "format", "replaced", "root", "text")

    def __init__(
        self,
        *,
        file: str,
        text: str,
        format: Literal["yaml", "toml", "json"],  # noqa: A002
        root: Node,
        layers: tuple[Document, ...] = (),
        replaced: Mapping[int, Node] = _NONE_REPLACED,
    ) -> None:
        self.file = file
        self.text = text
        self.format = format
        self.root = root
        self.replaced = replaced
        self._layers = layers

    @property
    def layers(self) -> tuple[Document, ...]:
        """The documents that this one was merged of, or this one alone."""
        return self._layers or (self,)

    def text_of(self, node: Node) -> str:
        """The text of the file that states a node."""
        return next((layer.text for layer in self._layers if layer.file == node.file), self.text)
