"""Checks the shape of a manifest and decides what later passes may look at."""

from __future__ import annotations

from collections.abc import Iterator

from adk_decl.compiler.tree import Shaped
from adk_decl.diagnostics.diagnostic import DiagnosticBag
from adk_decl.schema.evaluate import evaluate
from adk_decl.schema.load import load_shape
from adk_decl.syntax.document import Document, Node


def check_shape(document: Document, bag: DiagnosticBag, *, partial: bool = False) -> Shaped:
    """The document with its schemas and the findings about its shape, which the next pass hands on.

    A node with a finding is muted, so that one mistake makes one finding. A map that only lacks a key stays in
    use: what it does hold may have mistakes of its own. `bag` is told which lines no pass may show values of. With
    `partial` the document is a layer alone, where no key has to be there.
    """
    found = DiagnosticBag()
    result = evaluate(load_shape("Manifest"), document.root, file=document.file, bag=found, partial=partial)
    bag.hide(result.private_lines)
    muted = result.poisoned
    if muted:
        muted = {
            id(node)
            for node in _nodes(document.root)
            if id(node) in result.poisoned and not (node.kind == "map" and _takes_map(result.schema(node)))
        }
    return Shaped(document, result.schemas, frozenset(muted), found.sorted(), result.strays)


def _takes_map(schema: object) -> bool:
    kind = schema.get("type", ()) if isinstance(schema, dict) else ()
    return kind == "object" or (isinstance(kind, list) and "object" in kind)


def _nodes(root: Node) -> Iterator[Node]:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += node.items if node.kind == "list" else [value for _, value in node.entries]
