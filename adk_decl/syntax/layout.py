"""A document in canonical layout, and the proof that it still says the same."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal, NamedTuple

from adk_decl.diagnostics.diagnostic import DiagnosticBag
from adk_decl.syntax.document import Document, Node
from adk_decl.syntax.profile import MANIFEST, Profile
from adk_decl.syntax.read import read_bytes
from adk_decl.syntax.untouchable import Untouchable

Spot = tuple[int, int]
"""A line and a column, from 1."""


Reason = Literal["not understood", "other tree", "too large"]
"""Why a document has no canonical text. `too large`: that text would be beyond a reading limit."""

_LIMIT = "ADK016"


class Layout(NamedTuple):
    """The canonical text, or None and why there is none."""

    text: str | None
    reason: Reason | Literal[""] = ""


def ambiguous_spots(document: Document) -> frozenset[Spot]:
    """Where plain scalars begin that other readers of YAML take for something else than text."""
    if document.format != "yaml":
        return frozenset()
    from adk_decl.syntax.format_yaml import ambiguous

    return frozenset((node.line, node.column) for node in ambiguous(document.root))


def lay_out(
    document: Document, *, quote: Collection[Spot] = (), keep: Collection[Spot] = (), profile: Profile = MANIFEST
) -> Layout:
    """The canonical text of a YAML or TOML document that was read without an error.

    `quote`: where plain scalars begin that get quotes. `keep`: where comments begin that stay as they are. A text
    that differs from that of the document is read again, and given only if it has the same tree: the same keys in
    the same order, the same values of the same types. So it compiles to the same plan.
    """
    try:
        text = _formatted(document, quote, keep)
    except Untouchable:
        return Layout(None, "not understood")
    reason = _objection(text, document, profile) if text != document.text else None
    return Layout(text) if reason is None else Layout(None, reason)


def same_tree(first: Node, second: Node) -> bool:
    """Whether two trees hold the same keys in the same order and the same values; places and quotes don't count."""
    waiting = [(first, second)]
    while waiting:
        one, other = waiting.pop()
        if one.kind != other.kind:
            return False
        if one.kind == "scalar":
            if one.value != other.value or type(one.value) is not type(other.value):
                return False
        elif one.kind == "list":
            if len(one.items) != len(other.items):
                return False
            waiting += zip(one.items, other.items, strict=True)
        else:
            if len(one.entries) != len(other.entries):
                return False
            for (key, value), (other_key, other_value) in zip(one.entries, other.entries, strict=True):
                if key.text != other_key.text:
                    return False
                waiting.append((value, other_value))
    return True


def _formatted(document: Document, quote: Collection[Spot], keep: Collection[Spot]) -> str:
    if document.format == "yaml":
        from adk_decl.syntax.format_yaml import format_yaml

        return format_yaml(document, quote=quote, keep=keep)
    if document.format == "toml":
        from adk_decl.syntax.format_toml import format_toml

        return format_toml(document)
    raise Untouchable


def _objection(text: str, document: Document, profile: Profile) -> Reason | None:
    """What speaks against a text: it does not read to the tree of the document."""
    bag = DiagnosticBag()
    again = read_bytes(text.encode("utf-8"), file=document.file, format=document.format, bag=bag, profile=profile)
    if again is not None:
        return None if same_tree(document.root, again.root) else "other tree"
    return "too large" if any(found.code == _LIMIT for found in bag.sorted()) else "other tree"
