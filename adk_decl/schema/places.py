"""How the place of a node is named in a message: ``plugin `redact` ``, `` `limits` of runner `desk` ``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adk_decl.diagnostics.diagnostic import Span
from adk_decl.diagnostics.wording import quote

if TYPE_CHECKING:
    from adk_decl.schema.evaluate import Walk
    from adk_decl.syntax.document import Node, Path


def node_at(walk: Walk, path: Path) -> Node:
    """The node at a path of the document; the last one there is when the path leads on."""
    node = walk.root
    for step in path[len(walk.base) :]:
        if isinstance(step, int):
            if not 0 <= step < len(node.items):
                return node
            node = node.items[step]
        else:
            found = node.get(step)
            if found is None:
                return node
            node = found
    return node


def describe(walk: Walk, path: Path) -> str:
    """What stands at `path`, in the words of the manifest."""
    if len(path) <= len(walk.base):
        return "the manifest" if not walk.base else quote(str(path[-1])) if path else "this value"
    step = path[-1]
    title = walk.schemas.get(id(node_at(walk, path)), {}).get("title")
    if title and title != step:
        return f"{title} {_name(walk, path)}"
    if isinstance(step, int):
        return f"item {step + 1} of {describe(walk, path[:-1])}"
    owner = _owner(walk, path[:-1])
    return f"{quote(step)} of {describe(walk, owner)}" if owner is not None else quote(step)


def key_span(walk: Walk, node: Node, path: Path) -> Span:
    """The token that a finding about a whole node points at: its key, else its own first token."""
    if len(path) > len(walk.base) and isinstance(path[-1], str):
        key = node_at(walk, path[:-1]).key_node(path[-1])
        if key is not None:
            return key.span(walk.file)
    return first_span(walk, node)


def first_span(walk: Walk, node: Node) -> Span:
    """The first token of a node: that of a scalar, of the first key of a map, of the first item of a list."""
    while node.kind != "scalar":
        if node.kind == "map" and node.entries:
            return node.entries[0][0].span(walk.file)
        if node.kind == "list" and node.items:
            node = node.items[0]
            continue
        break
    if node.line == node.end_line:
        return node.span(walk.file)
    return node.span(walk.file).replace(end_line=node.line, end_column=node.column + 1)


def _name(walk: Walk, path: Path) -> str:
    step = path[-1]
    if isinstance(step, str):
        return quote(step)
    named = node_at(walk, path)
    identity = named.get("id") if named.kind == "map" else None
    if identity is not None and identity.kind == "scalar" and isinstance(identity.value, str) and not walk.masked:
        return quote(identity.value)
    return f"{step + 1} of {describe(walk, path[:-1])}"


def _owner(walk: Walk, path: Path) -> Path | None:
    """The nearest named thing around a field, or None at the top."""
    while len(path) > len(walk.base):
        title = walk.schemas.get(id(node_at(walk, path)), {}).get("title")
        if title and title != path[-1]:
            return path
        path = path[:-1]
    return None
