"""What every document and every finding must satisfy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from adk_decl.diagnostics.diagnostic import Diagnostic, Span
from adk_decl.syntax.document import Document, Node
from adk_decl.syntax.preflight import text_to_show


def outline(node: Node, *, places: bool = False) -> Any:
    """The tree with types told apart, and with all places when asked."""
    where = (node.line, node.column, node.end_line, node.end_column, node.plain, node.text) if places else ()
    if node.kind == "scalar":
        return (type(node.value).__name__, node.value, *where)
    if node.kind == "list":
        items = [outline(item, places=places) for item in node.items]
        return (where, items) if places else items
    entries = [(outline(key, places=places), outline(value, places=places)) for key, value in node.entries]
    return (where, entries) if places else {key.text: outline(value) for key, value in node.entries}


def assert_spans_inside(data: bytes, document: Document | None, found: Iterable[Diagnostic]) -> None:
    """Fail unless every place of a node or a finding lies in the text and ends where it began or later."""
    lines = text_to_show(data).split("\n")
    for span in [span for d in found for span in _spans(d)]:
        _assert_inside(span, lines)
    if document is not None:
        for node in _nodes(document.root):
            _assert_inside(node.span("file"), lines)


def _spans(diagnostic: Diagnostic) -> Iterator[Span]:
    yield diagnostic.span
    yield from (label.span for label in diagnostic.labels)
    if diagnostic.fix:
        yield from (edit.span for edit in diagnostic.fix.edits)


def _nodes(root: Node) -> Iterator[Node]:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += node.items
        for key, value in node.entries:
            waiting += (key, value)


def _assert_inside(span: Span, lines: list[str]) -> None:
    assert 1 <= span.line <= span.end_line <= len(lines), span
    assert 1 <= span.column <= len(lines[span.line - 1]) + 1, span
    assert 1 <= span.end_column <= len(lines[span.end_line - 1]) + 1, span
    assert (span.line, span.column) <= (span.end_line, span.end_column), span
