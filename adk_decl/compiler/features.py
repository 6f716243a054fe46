"""Refuses what the schema knows and this version can't do: one ADK209 at its place, and nothing else about it."""

from __future__ import annotations

from collections.abc import Iterator

from adk_decl.compiler.finding import Path, finding
from adk_decl.compiler.tree import Shaped
from adk_decl.diagnostics.diagnostic import Diagnostic, DiagnosticBag, Span
from adk_decl.diagnostics.wording import quote
from adk_decl.plan.features import UNAVAILABLE, Unavailable
from adk_decl.syntax.document import Node

_Place = tuple[Node, Node, Path]

COMPONENT_PLACES: tuple[tuple[str, str], ...] = (
    ("plugins.*.use", "plugin"),
    ("runners.*.plugins.*.use", "plugin"),
    ("agents.*.plugins.*.use", "plugin"),
    ("models.*.use", "model"),
    ("runners.*.session_store.use", "session_store"),
)
"""Where a component is named, and of which kind."""


def refuse_unavailable(shaped: Shaped, bag: DiagnosticBag, *, table: tuple[Unavailable, ...] = UNAVAILABLE) -> Shaped:
    """The same document with every refused key and value muted.

    Findings about the shape go into the bag here, but for those inside of what is refused.
    """
    refused: dict[Path, Node] = {}
    places = _Places(shaped.document.root)
    for row in table:
        for pattern in _places(row):
            for key, value, path in places.matches(pattern):
                if path not in refused and _applies(row, value):
                    refused[path] = value
                    node = key if row.what == "key" else value
                    bag.add(_refusal(row, node.span(shaped.document.file), path))
    for each in shaped.findings:
        if not any(each.path[:length] in refused for length in range(1, len(each.path) + 1)):
            bag.add(each)
    muted = shaped.muted.union(id(node) for node in refused.values())
    return shaped._replace(muted=muted, findings=())


def _places(row: Unavailable) -> Iterator[str]:
    if row.what != "component":
        yield row.pattern
        return
    kind = row.pattern.partition(":")[0]
    yield from (pattern for pattern, of_kind in COMPONENT_PLACES if of_kind == kind)


def _applies(row: Unavailable, value: Node) -> bool:
    if row.what == "key":
        return True
    wanted = row.value if row.what == "value" else row.pattern.partition(":")[2]
    if isinstance(wanted, str) and wanted.endswith("*"):
        return isinstance(value.value, str) and value.value.startswith(wanted[:-1])
    return value.kind == "scalar" and value.value == wanted and type(value.value) is type(wanted)


class _Places:
    """Finds what fits a pattern; patterns that begin alike share the search."""

    def __init__(self, root: Node) -> None:
        self._known: dict[str, list[_Place]] = {"": [(root, root, ())]}

    def matches(self, pattern: str) -> list[_Place]:
        """Key node, value node and path of everything that fits; an item of a list is its own key."""
        known = self._known.get(pattern)
        if known is None:
            start, _, step = pattern.rpartition(".")
            known = [place for outer in self.matches(start) for place in _below(outer, step)]
            self._known[pattern] = known
        return known


def _below(outer: _Place, step: str) -> list[_Place]:
    _, node, path = outer
    if node.kind == "map":
        if step == "*":
            return [(key, value, (*path, key.text)) for key, value in node.entries]
        return [(key, value, (*path, step)) for key, value in node.entries if key.text == step]
    if node.kind == "list" and step == "*":
        return [(item, item, (*path, index)) for index, item in enumerate(node.items)]
    return []


def _refusal(row: Unavailable, span: Span, path: Path) -> Diagnostic:
    name = str(path[-1]) if row.what == "key" else row.pattern.partition(":")[2] or str(row.value)
    return finding(
        "ADK209",
        f"{quote(name)} is not available in this version: {row.summary}",
        span,
        path=path,
        label="not available in this version",
        help="leave it out; `adk-decl components` lists what is available",
    )
