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
    tree = _DEFAULT if table is UNAVAILABLE else _step_tree(table)
    for row, key, value, path in _used(shaped.document.root, tree, ()):
        if path not in refused and _applies(row, value):
            refused[path] = value
            node = key if row.what == "key" else value
            bag.add(_refusal(row, node.span(shaped.document.file), path))
    for each in shaped.findings:
        if not any(each.path[:length] in refused for length in range(1, len(each.path) + 1)):
            bag.add(each)
    muted = shaped.muted.union(id(node) for node in refused.values())
    return shaped._replace(muted=muted, findings=())


class _Step:
    """Where a pattern goes on from here, and the rows whose patterns end here."""

    __slots__ = ("rows", "steps")

    def __init__(self) -> None:
        self.steps: dict[str, _Step] = {}
        self.rows: list[Unavailable] = []


def _step_tree(table: tuple[Unavailable, ...]) -> _Step:
    """All patterns of a table as one tree, so that a document is walked once and only where a pattern leads."""
    root = _Step()
    for row in table:
        for pattern in _places(row):
            step = root
            for name in pattern.split("."):
                step = step.steps.setdefault(name, _Step())
            step.rows.append(row)
    return root


def _places(row: Unavailable) -> Iterator[str]:
    if row.what != "component":
        yield row.pattern
        return
    kind = row.pattern.partition(":")[0]
    yield from (pattern for pattern, of_kind in COMPONENT_PLACES if of_kind == kind)


_DEFAULT = _step_tree(UNAVAILABLE)


def _used(node: Node, tree: _Step, path: Path) -> Iterator[tuple[Unavailable, Node, Node, Path]]:
    """Each row with the key node, value node and path where its pattern fits; an item of a list is its own key."""
    anything = tree.steps.get("*")
    if node.kind == "map":
        if anything is not None:
            for key, value in node.entries:
                yield from _at(key, value, anything, path)
        # There are fewer names in a pattern than keys in a map.
        for name, step in tree.steps.items():
            if name != "*" and (found := node.get(name)) is not None:
                yield from _at(node.key_node(name) or found, found, step, path)
    elif node.kind == "list" and anything is not None:
        for index, item in enumerate(node.items):
            yield from ((row, item, item, (*path, index)) for row in anything.rows)
            if anything.steps:
                yield from _used(item, anything, (*path, index))


def _at(key: Node, value: Node, step: _Step, path: Path) -> Iterator[tuple[Unavailable, Node, Node, Path]]:
    where = (*path, key.text)
    for row in step.rows:
        yield row, key, value, where
    if step.steps and value.kind != "scalar":
        yield from _used(value, step, where)


def _applies(row: Unavailable, value: Node) -> bool:
    if row.what == "key":
        return True
    wanted = row.value if row.what == "value" else row.pattern.partition(":")[2]
    if isinstance(wanted, str) and wanted.endswith("*"):
        return isinstance(value.value, str) and value.value.startswith(wanted[:-1])
    return value.kind == "scalar" and value.value == wanted and type(value.value) is type(wanted)


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
