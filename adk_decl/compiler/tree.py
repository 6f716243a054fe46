"""The manifest after its shape was checked: nodes with their schemas, without what a finding has muted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

from adk_decl.diagnostics.diagnostic import Diagnostic, Span
from adk_decl.plan.frozen_json import FrozenJson, freeze
from adk_decl.plan.model import EnvText
from adk_decl.syntax.document import Document, Node, Scalar

Path: TypeAlias = tuple[str | int, ...]
_NOTHING: Mapping[str, Any] = {}


class Shaped(NamedTuple):
    """A document whose shape was checked.

    `muted` are ids of nodes that a finding covers; later passes skip them. `findings` are those about the shape,
    until the features pass has handed them on. `strays` are the names of keys that stand at a wrong place or are
    misspelt: what lacks one of them has a finding already.
    """

    document: Document
    schemas: Mapping[int, Mapping[str, Any]]
    muted: frozenset[int]
    findings: tuple[Diagnostic, ...] = ()
    strays: frozenset[str] = frozenset()


class Tree:
    """Typed access to what is left of a document: a muted or empty node is as good as absent.

    `texts` holds, by node, the strings that references or escapes change.
    """

    __slots__ = ("_texts", "document", "muted", "root", "schemas", "strays")

    def __init__(self, shaped: Shaped, texts: Mapping[int, str | EnvText]) -> None:
        self.document = shaped.document
        self.root = shaped.document.root
        self.schemas = shaped.schemas
        self.muted = shaped.muted
        self.strays = shaped.strays
        self._texts = texts

    def extended(
        self,
        schemas: Mapping[int, Mapping[str, Any]],
        muted: frozenset[int],
        texts: Mapping[int, str | EnvText],
        strays: frozenset[str] = frozenset(),
    ) -> Tree:
        """The same document with more known about it."""
        known = {**self.schemas, **schemas}
        shaped = Shaped(self.document, known, self.muted | muted, strays=self.strays | strays)
        return Tree(shaped, {**self._texts, **texts})

    def child(self, node: Node | None, key: str) -> Node | None:
        """The usable value under a key; None when absent, muted or null."""
        if node is None or node.kind != "map":
            return None
        found = node.get(key)
        return found if found is not None and self.usable(found) else None

    def stated(self, node: Node | None, key: str) -> bool:
        """Whether a key is written, usable or not: then a check that needs its value has nothing to say."""
        return node is not None and node.kind == "map" and node.get(key) is not None

    def lost(self, node: Node | None, key: str) -> bool:
        """Whether a key is written and unusable, or stands at a wrong place: that it is absent has a finding."""
        return self.stated(node, key) or key in self.strays

    def usable(self, node: Node) -> bool:
        """Whether a node has a value that no finding covers."""
        return id(node) not in self.muted and not (node.kind == "scalar" and node.value is None)

    def entries(self, node: Node | None) -> Iterator[tuple[Node, Node]]:
        """Key and value nodes of a map, without `x-` keys, muted values included."""
        if node is not None and node.kind == "map":
            for key, value in node.entries:
                if not key.text.startswith("x-"):
                    yield key, value

    def items(self, node: Node | None) -> list[Node]:
        """The usable items of a list."""
        return [] if node is None or node.kind != "list" else [item for item in node.items if self.usable(item)]

    def text(self, node: Node | None, key: str) -> str | None:
        """A text without references, or None."""
        value = self.value(self.child(node, key))
        return value if isinstance(value, str) else None

    def integer(self, node: Node | None, key: str) -> int | None:
        """A whole number, or None."""
        value = self.value(self.child(node, key))
        return value if isinstance(value, int) and not isinstance(value, bool) else None

    def truth(self, node: Node | None, key: str) -> bool | None:
        """A boolean, or None."""
        value = self.value(self.child(node, key))
        return value if isinstance(value, bool) else None

    def value(self, node: Node | None) -> Scalar | EnvText:
        """The value of a scalar: references parsed, `$$` undone. None for maps and lists."""
        if node is None or node.kind != "scalar":
            return None
        return self._texts.get(id(node), node.value)

    def frozen(self, node: Node | None) -> FrozenJson:
        """A whole sub-tree as frozen JSON, references as `EnvText` records; an empty map for None."""
        return freeze({} if node is None else self.plain(node))

    def schema(self, node: Node) -> Mapping[str, Any]:
        """The schema that applies to a node; empty when none does."""
        return self.schemas.get(id(node), _NOTHING)

    def span(self, node: Node) -> Span:
        """The place of a node."""
        return node.span(self.document.file)

    def plain(self, node: Node) -> Any:
        """A whole sub-tree as plain dicts, lists and scalars, references as `EnvText` records."""
        if node.kind == "scalar":
            return self._texts.get(id(node), node.value)
        if node.kind == "list":
            return [self.plain(item) for item in node.items]
        return {key.text: self.plain(value) for key, value in node.entries}


def is_secret_reference(node: Node) -> bool:
    """Whether a map is written `{secret: ...}`: one value to people, though it is a map."""
    return node.kind == "map" and len(node.entries) == 1 and node.entries[0][0].text == "secret"
