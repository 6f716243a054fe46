"""Refuses what the schema knows and this version can't do: one ADK209 at its place, and nothing else about it."""

from __future__ import annotations

from collections.abc import Iterator

from adk_decl.compiler.finding import Path, finding
from adk_decl.compiler.tree import Shaped
from adk_decl.diagnostics.diagnostic import Diagnostic, DiagnosticBag, Span
from adk_decl.diagnostics.wording import quote
from adk_decl.plan.features import UNAVAILABLE, Unavailable
from adk_decl.syntax.document import Node

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
    for row in table:
        for pattern in _places(row):
            for key, value, path in _matches(shaped.document.root, tuple(pattern.split("."))):
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


def _matches(root: Node, pattern: tuple[str, ...]) -> Iterator[tuple[Node, Node, Path]]:
    """Key node, value node and path of everything that fits the pattern; an item of a list is its own key."""
    waiting: list[tuple[Node, Node, Path]] = [(root, root, ())]
    for step in pattern:
        found: list[tuple[Node, Node, Path]] = []
        for _, node, path in waiting:
            if step == "*" and node.kind == "list":
                found += [(item, item, (*path, index)) for index, item in enumerate(node.items)]
            elif node.kind == "map":
                found += [(k, v, (*path, k.text)) for k, v in node.entries if step in ("*", k.text)]
        waiting = found
        if not waiting:
            return
    yield from waiting


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
