"""Pairs keys that are missing with keys that stand at a wrong place, so that one slip makes one finding."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from adk_decl.diagnostics.diagnostic import Diagnostic
    from adk_decl.schema.evaluate import Missing, Stray
    from adk_decl.syntax.document import Node, Path

_MOST_STRAYS = 50
"""So many strays are paired; a file with more of them was not made by a slip of the hand."""


def unsettled(missing: Sequence[Missing], strays: Sequence[Stray], elsewhere: frozenset[str]) -> Iterator[Diagnostic]:
    """The findings about missing keys that no stray explains. Each stray explains one, the nearest in the file."""
    left = [each for each in missing if not elsewhere.intersection(each.names)]
    for stray in strays[:_MOST_STRAYS]:
        fitting = [each for each in left if _explains(stray, each)]
        if fitting:
            left.remove(min(fitting, key=lambda each: abs(stray.key.line - each.finding.span.line)))
    for each in left:
        yield each.finding


def _explains(stray: Stray, missing: Missing) -> bool:
    if stray.key.text in missing.names:
        return True
    # `[plugin.audit]` for `[plugins.audit]`: what is missing stands below the misspelt key.
    return any(_holds(stray, (*missing.path, name)) for name in missing.names)


def _holds(stray: Stray, path: Path) -> bool:
    depth = len(stray.path)
    return path[:depth] == stray.path and _leads(stray.value, path[depth:])


def _leads(node: Node, path: Path) -> bool:
    for step in path:
        found = node.get(step) if node.kind == "map" and isinstance(step, str) else None
        if found is None:
            return False
        node = found
    return True
