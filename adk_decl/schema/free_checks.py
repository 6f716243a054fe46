"""Checks of what no schema describes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adk_decl.syntax.env_refs import has_reference

if TYPE_CHECKING:
    from adk_decl.schema.evaluate import Walk
    from adk_decl.syntax.document import Node, Path


def free_check(node: Node, path: Path, walk: Walk) -> None:
    """The check of a value that no schema describes: no reference and no secret may stand there."""
    if node.kind == "scalar":
        value = node.value
        if type(value) is str and "$" in value and has_reference(value):
            walk.fail("reference", {}, node, path)
    elif node.kind == "list":
        for index, item in enumerate(node.items):
            free_check(item, (*path, index), walk)
    elif is_secret_form(node):
        walk.fail("secret", {}, node, path)
    else:
        for key, value_node in node.entries:
            free_check(value_node, (*path, key.text), walk)


def ignore_check(node: Node, path: Path, walk: Walk) -> None:
    """The check of what is kept and not looked at, such as `x-` keys."""


def is_secret_form(node: Node) -> bool:
    """Whether a node is written as `{secret: {env: ...}}` or `{secret: {file: ...}}`."""
    if node.kind != "map" or len(node.entries) != 1 or node.entries[0][0].text != "secret":
        return False
    source = node.entries[0][1]
    return source.kind == "map" and any(key.text in ("env", "file") for key, _ in source.entries)


def is_removal(node: Node) -> bool:
    """Whether a node is written as `{$delete: ...}`: in a layer by itself, nothing is to check but its key."""
    return node.kind == "map" and len(node.entries) == 1 and node.entries[0][0].text == "$delete"
