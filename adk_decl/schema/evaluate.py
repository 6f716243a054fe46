"""Walks a tree of nodes along a schema and reports every error at its place.

The result says which nodes are wrong, so that later passes leave them alone, and which schema applies to each
node, so that lowering takes types and defaults from the schema instead of repeating them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from adk_decl.diagnostics.diagnostic import Diagnostic, DiagnosticBag
from adk_decl.syntax.document import MergedNode

if TYPE_CHECKING:
    from adk_decl.schema.load import Schema, Shape
    from adk_decl.syntax.document import Node, Path


class ShapeResult:
    """What a walk found out.

    `poisoned` holds `id(node)` of each node that is wrong in itself or has an unknown key: skip that sub-tree.
    `schemas` maps `id(node)` to the resolved schema of each node that was visited. Both are valid as long as the
    document lives. `private_lines` are the lines, with their file, that hold values which no finding may show.
    `strays` are the names of keys that stand where they do not belong, and what misspelt ones were meant to be: a
    check that lacks one of these has nothing to say.
    """

    __slots__ = ("poisoned", "private_lines", "schemas", "strays")

    def __init__(self) -> None:
        self.poisoned: set[int] = set()
        self.private_lines: set[tuple[str, int]] = set()
        self.schemas: dict[int, Schema] = {}
        self.strays: frozenset[str] = frozenset()

    def is_poisoned(self, node: Node) -> bool:
        """Whether this node has a finding of its own."""
        return id(node) in self.poisoned

    def schema(self, node: Node) -> Schema:
        """The schema that applies to a node; an empty one when it was not visited."""
        return self.schemas.get(id(node), {})

    def merge(self, other: ShapeResult) -> None:
        """Take over what another walk, over another part of the same document, found out."""
        self.poisoned |= other.poisoned
        self.private_lines |= other.private_lines
        self.schemas.update(other.schemas)
        self.strays |= other.strays


class Stray(NamedTuple):
    """A key that does not belong where it stands, with its value; `path` ends in the key that was meant."""

    key: Node
    value: Node
    path: Path

    @property
    def names(self) -> tuple[str, ...]:
        """The key, what it was meant to be, and the keys of its map, which slipped with it."""
        return (self.key.text, str(self.path[-1]), *(key.text for key, _ in self.value.entries))


class Missing(NamedTuple):
    """A finding about a map at `path` that lacks a key: each of `names` would do."""

    finding: Diagnostic
    path: Path
    names: tuple[str, ...]


class Walk:
    """The changeable state of one walk."""

    __slots__ = (
        *("bag", "base", "failed", "file", "masked", "missing", "partial", "poisoned", "private", "root", "schemas"),
        *("secret", "shape", "strays"),
    )

    def __init__(self, shape: Shape, root: Node, base: Path, file: str, bag: DiagnosticBag | None) -> None:
        self.shape = shape
        self.root = root
        self.base = base
        self.file = file
        self.bag = bag
        self.masked = False
        self.partial = False
        self.secret = False
        self.failed = False
        self.private: list[Node] = []
        self.strays: list[Stray] = []
        self.missing: list[Missing] = []
        self.poisoned: set[int] = set()
        self.schemas: dict[int, Schema] = {}

    def fail(self, what: str, schema: Schema, node: Node, path: Path, *facts: object) -> None:
        """Report a finding about `node`, once for each node. `what` names a function of the wording."""
        self.failed = True
        if self.bag is None or id(node) in self.poisoned:
            return
        self.poisoned.add(id(node))
        from adk_decl.schema.wording import WORDING, Failure

        failure = Failure(self, schema, node, path, facts)
        for diagnostic in WORDING[what](failure):
            self.bag.add(diagnostic)
        if what == "slipped":
            from adk_decl.schema.places import node_at

            key = node_at(self, path[:-1]).key_node(str(path[-1]))
            if key is not None:
                self.strays.append(Stray(key, node, path))

    def lack(self, names: tuple[str, ...], what: str, schema: Schema, node: Node, path: Path) -> None:
        """Report that a map has none of `names`, unless one of them turns out to stand at a wrong place."""
        self.failed = True
        if self.bag is None or id(node) in self.poisoned:
            return
        self.poisoned.add(id(node))
        from adk_decl.schema.wording import WORDING, Failure

        self.missing += (Missing(found, path, names) for found in WORDING[what](Failure(self, schema, node, path, ())))

    def report(self, diagnostic: Diagnostic) -> None:
        """Keep a finding that is worded already."""
        self.failed = True
        if self.bag is not None:
            self.bag.add(diagnostic)


def evaluate(
    shape: Shape,
    node: Node,
    *,
    file: str,
    bag: DiagnosticBag,
    path: Path = (),
    mask_values: bool = False,
    partial: bool = False,
    elsewhere: frozenset[str] = frozenset(),
) -> ShapeResult:
    """Check `node` against `shape`; findings go into `bag`, with `file` as the shown name.

    `path` is the place of `node` in its document. With `mask_values` no finding holds or shows a value. With `partial`
    no key has to be there, but those of a secret: the document is a layer, and others state the rest. That a key of
    `elsewhere` is missing is not told: it was found at a wrong place.
    """
    walk = Walk(shape, node, path, file, bag)
    walk.masked = mask_values
    walk.partial = partial
    shape.check(shape.root)(node, path, walk)
    if walk.missing:
        # Imported only for a document that lacks something.
        from adk_decl.schema.strays import unsettled

        for found in unsettled(walk.missing, walk.strays, elsewhere):
            bag.add(found)
    result = ShapeResult()
    result.poisoned = walk.poisoned
    result.schemas = walk.schemas
    result.strays = frozenset(name for stray in walk.strays for name in stray.names)
    for private in walk.private:
        result.private_lines |= _lines(private, file)
    bag.hide(result.private_lines)
    return result


def fits(shape: Shape, schema: object, node: Node, path: Path, walk: Walk) -> bool:
    """Whether a node fits a schema, without any finding: the probe of `if`."""
    probe = Walk(shape, walk.root, walk.base, walk.file, None)
    shape.check(schema)(node, path, probe)
    return not probe.failed


def _lines(node: Node, file: str) -> set[tuple[str, int]]:
    """The lines on which a node stands; those of a merged one lie in several files."""
    if not isinstance(node, MergedNode):
        return {(node.file or file, line) for line in range(node.line, _last_line(node) + 1)}
    lines = {(key.file or file, key.line) for key, _ in node.entries}
    return lines.union(*(_lines(part, file) for part in (*node.items, *(value for _, value in node.entries))))


def _last_line(node: Node) -> int:
    """The line of a node's last token. The end of a block map itself may lie at the next token."""
    while node.kind != "scalar":
        if node.kind == "map" and node.entries:
            node = node.entries[-1][1]
        elif node.kind == "list" and node.items:
            node = node.items[-1]
        else:
            break
    return node.end_line
