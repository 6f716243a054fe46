"""What a layer may write in place of a value: how it meets the layers below.

`{$delete: true}` removes what a lower layer states. `{$merge: replace, ...}` takes the place of a map instead of being
merged into it. `{$merge: replace, items: [...]}` and `{$merge: append, items: [...]}` say what becomes of a list.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

from adk_decl.compiler.kinds import DIRECTIVES
from adk_decl.diagnostics.suggest import nearest
from adk_decl.diagnostics.wording import quote
from adk_decl.syntax.document import Node

MERGE, DELETE = DIRECTIVES
ITEMS = "items"
WAYS = ("replace", "append")
OTHER_SPELLINGS: Mapping[str, str] = {
    "$append": "{$merge: append, items: [...]}",
    "$prepend": "{$merge: replace, items: [...]}",
    "$replace": "{$merge: replace, items: [...]}",
    "$patch": "{$merge: replace, ...}",
    "$remove": "{$delete: true}",
    "$unset": "{$delete: true}",
}
"""Directives of other systems, with ours."""

_OF_JSON_SCHEMA = ("$ref", "$id", "$defs", "$schema", "$anchor", "$comment", "$vocabulary")


class Directive(NamedTuple):
    """One directive: `key` is its `$` key, `value` what it carries (nothing for `delete`)."""

    way: Literal["delete", "replace", "append"]
    key: Node
    value: Node | None


class DirectiveError(ValueError):
    """A directive of the wrong form: where, what is wrong, what was expected, and how to write it."""

    def __init__(self, place: Node, message: str, label: str, help: str | None = None) -> None:  # noqa: A002
        super().__init__(message)
        self.place = place
        self.message = message
        self.label = label
        self.help = help


def directive_key(node: Node) -> Node | None:
    """The first key of a map that makes it a directive, or None."""
    return next((key for key, _ in node.entries if key.text in (MERGE, DELETE)), None)


def read_directive(node: Node) -> Directive | None:
    """The directive that a map is, or None. Raises `DirectiveError` for one of the wrong form."""
    key = directive_key(node)
    if key is None:
        _refuse_others(node)
        return None
    value = node.get(key.text)
    assert value is not None
    if key.text == DELETE:
        if value.value is not True:
            raise DirectiveError(value, "`$delete` takes only `true`", "expected `true`")
        if len(node.entries) > 1:
            other = next(name for name, _ in node.entries if name is not key)
            raise DirectiveError(other, "nothing may stand beside `$delete`", "would be removed as well")
        return Directive("delete", key, None)
    return _merge(node, key, value)


def _refuse_others(node: Node) -> None:
    """`$append` and others that people try, and near misses of ours. Other `$` keys, as of a JSON Schema, are keys."""
    for key, _ in node.entries:
        if not key.text.startswith("$"):
            continue
        meant = OTHER_SPELLINGS.get(key.text) or nearest(key.text, DIRECTIVES)
        if meant is not None and key.text not in _OF_JSON_SCHEMA:
            message = f"there is no directive {quote(key.text)}"
            help_text = f"write `{meant}`" if " " in meant else f"did you mean `{meant}`?"
            raise DirectiveError(key, message, "expected `$merge` or `$delete`", help_text)


def _merge(node: Node, key: Node, value: Node) -> Directive:
    if value.value not in WAYS:
        raise DirectiveError(value, "`$merge` takes `replace` or `append`", "expected `replace` or `append`")
    second = next((name for name, _ in node.entries if name.text == DELETE), None)
    if second is not None:
        raise DirectiveError(second, "nothing may stand beside `$delete`", "would be removed as well")
    items = node.get(ITEMS)
    if len(node.entries) == 2 and items is not None and items.kind == "list":
        return Directive("append" if value.value == "append" else "replace", key, items)
    if value.value == "append":
        raise DirectiveError(value, "`append` is for lists", "expected `$merge: append` with `items: [...]`, no more")
    rest = Node("map", node.line, node.column, node.end_line, node.end_column)
    rest.file = node.file
    rest.entries = [(name, part) for name, part in node.entries if name is not key]
    return Directive("replace", key, rest)
