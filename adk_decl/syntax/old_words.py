"""Words that are text here and booleans to readers of YAML 1.1."""

from __future__ import annotations

from adk_decl.diagnostics.diagnostic import Diagnostic, DiagnosticBag, Edit, Fix
from adk_decl.scalars import suspicion
from adk_decl.syntax.document import Document, Node

_LONGEST = 5
_SHORTEST = 2


def warn_old_words(document: Document, bag: DiagnosticBag) -> None:
    """Warn (ADK009) about each value such as `NO` or `off` that was accepted as text in a YAML document.

    Call it when all else was checked: a word that has a finding already, such as a wrong type, gets no second one.
    `y` and `n` get none, because the common readers of YAML 1.1 take them for text too.
    """
    if document.format != "yaml":
        return
    found = [node for node in _scalars(document.root) if _is_old_word(node)]
    if not found:
        return
    from adk_decl.syntax.masking import masked

    taken = {(d.span.file, d.span.line, d.span.column) for d in bag.sorted()}
    warnings = [_warning(node, document.file) for node in found]
    fresh = [d for d in warnings if (d.span.file, d.span.line, d.span.column) not in taken]
    for warning in masked(fresh, document.text):
        bag.add(warning)


def _scalars(root: Node) -> list[Node]:
    scalars, waiting = [], [root]
    while waiting:
        node = waiting.pop()
        if node.kind == "scalar":
            scalars.append(node)
        else:
            waiting += node.items if node.kind == "list" else [value for _, value in node.entries]
    return scalars


def _is_old_word(node: Node) -> bool:
    if not node.plain or not _SHORTEST <= len(node.text) <= _LONGEST or not isinstance(node.value, str):
        return False
    odd = suspicion(node.text)
    return odd is not None and odd[0] == "ADK009"


def _warning(node: Node, file: str) -> Diagnostic:
    span = node.span(file)
    odd = suspicion(node.text)
    return Diagnostic(
        code="ADK009",
        severity="warning",
        message=odd[1] if odd else "this word is text",
        span=span,
        label="text",
        help="quote it",
        fix=Fix(title="quote it", applicability="safe", edits=(Edit(span=span, text=f'"{node.text}"'),)),
    )
