"""Comments that silence a warning on their line: `# adk: ignore[ADK404] the second one is a spare`.

Only warnings can be silenced, each by its code, and with a reason: whoever reads the manifest later has to see why.
A comment that silences nothing is a warning itself, so that none outlives what it was written for.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from functools import partial
from typing import NamedTuple

from adk_decl.diagnostics.codes import CODES
from adk_decl.diagnostics.diagnostic import Diagnostic, DiagnosticBag, Edit, Fix, Span
from adk_decl.diagnostics.wording import listed, quote
from adk_decl.syntax.document import Document, Node

SIGN = "adk:"
"""What such a comment begins with; a text without it has none."""

_COMMENT = re.compile(r"(?:(?<=[ \t])|^)#[ \t]*adk:[ \t]*")
_IGNORE = re.compile(r"ignore[ \t]*\[(?P<codes>[^\]]*)\][ \t]*(?P<reason>.*)")
_OWN_CODES = frozenset(("ADK902", "ADK903"))
_FORM = "`# adk: ignore[CODE] reason`"


class Comment(NamedTuple):
    """One comment: its place, from 1 and with an exclusive end, what follows `adk:`, and whether the line has more."""

    line: int
    column: int
    end_column: int
    rest: str
    alone: bool


def silence(document: Document, bag: DiagnosticBag, *, tell: bool, tell_unused: bool) -> None:
    """Take the warnings of one file out of the bag that a comment on their line names.

    With `tell`, comments that can't be understood get the finding ADK903; with `tell_unused` those that silence
    nothing get ADK902, unless there are errors, which may have kept the passes from finding the warning.
    """
    told: list[Diagnostic] = []
    for comment in comments(document):
        match = _IGNORE.fullmatch(comment.rest)
        wrong = _problem(match)
        if wrong is not None:
            told += [_invalid(comment, document, wrong)] if tell else []
        if match is None:
            continue
        named = [code for code in _codes(match) if _can_be_silenced(code)]
        silenced = bag.take(partial(_is_silenced, file=document.file, line=comment.line, codes=named))
        unused = [code for code in named if code not in {d.code for d in silenced}]
        if unused and tell_unused and wrong is None:
            told.append(_unused(comment, document, match, unused, named))
    for finding in told:
        if finding.code != "ADK902" or not bag.has_errors:
            bag.add(finding)


def comments(document: Document) -> Iterator[Comment]:
    """The comments of a document that begin with `adk:`; text in quotes and blocks that looks like one is none."""
    if document.format == "json":
        return
    lines = document.text.split("\n")
    found: list[Comment] = []
    for number, line in enumerate(lines, start=1):
        if SIGN in line:
            content = line.rstrip()
            for match in _COMMENT.finditer(content):
                alone = not content[: match.start()].strip()
                rest = content[match.end() :]
                found.append(Comment(number, match.start() + 1, len(content) + 1, rest, alone))
    if found:
        texts = [node for node in _scalars(document.root) if _may_hold(node, found)]
        yield from (comment for comment in found if not any(_holds(node, comment, lines) for node in texts))


def _is_silenced(found: Diagnostic, *, file: str, line: int, codes: Collection[str]) -> bool:
    return found.severity == "warning" and found.code in codes and (found.span.file, found.span.line) == (file, line)


def _scalars(root: Node) -> Iterator[Node]:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.kind == "scalar":
            yield node
        waiting += node.items
        for key, value in node.entries:
            waiting += (key, value)


def _may_hold(node: Node, found: Iterable[Comment]) -> bool:
    return any(node.line <= comment.line <= node.end_line for comment in found)


def _holds(node: Node, comment: Comment, lines: list[str]) -> bool:
    """Whether a comment is really a piece of a text. Behind the header of a block it is a comment."""
    if node.line == comment.line and lines[node.line - 1][node.column - 1 : node.column] in ("|", ">"):
        return False
    place = (comment.line, comment.column)
    return (node.line, node.column) <= place < (node.end_line, node.end_column)


def _codes(match: re.Match[str]) -> list[str]:
    return list(dict.fromkeys(word for word in (part.strip() for part in match["codes"].split(",")) if word))


def _can_be_silenced(code: str) -> bool:
    return code in CODES and CODES[code].severity == "warning" and code not in _OWN_CODES


def _problem(match: re.Match[str] | None) -> str | None:
    """What is wrong with a comment, or None."""
    if match is None:
        return "this comment for adk-decl can't be understood"
    codes = _codes(match)
    if not codes:
        return "this comment names no code"
    for code in codes:
        if code not in CODES:
            return f"there is no code {quote(code)}"
        if CODES[code].severity == "error":
            return f"{quote(code)} is an error, and errors can't be silenced"
        if code in _OWN_CODES:
            return f"{quote(code)} can't be silenced"
    return None if match["reason"].strip() else "this comment gives no reason"


def _invalid(comment: Comment, document: Document, message: str) -> Diagnostic:
    return Diagnostic(
        code="ADK903",
        severity="warning",
        message=message,
        span=_span(comment, document),
        label=f"expected {_FORM}",
        help="name the code of a warning on this line, and say why it may stand",
    )


def _unused(
    comment: Comment, document: Document, match: re.Match[str], unused: list[str], named: list[str]
) -> Diagnostic:
    span = _span(comment, document)
    rest = [code for code in named if code not in unused]
    if rest:
        start = comment.end_column - len(comment.rest) + match.start("codes")
        span_of_codes = span.replace(column=start, end_column=start + len(match["codes"]))
        fix = Fix(
            title="name only the others",
            applicability="safe",
            edits=(Edit(span=span_of_codes, text=", ".join(rest)),),
        )
    else:
        fix = Fix(title="remove the comment", applicability="safe", edits=(_removal(comment, document),))
    return Diagnostic(
        code="ADK902",
        severity="warning",
        message=f"there is no {listed(unused)} on this line to silence",
        span=span,
        label="silences nothing",
        fix=fix,
    )


def _removal(comment: Comment, document: Document) -> Edit:
    span = _span(comment, document)
    lines = document.text.split("\n")
    if comment.alone and comment.line < len(lines):
        return Edit(span=span.replace(column=1, end_line=comment.line + 1, end_column=1), text="")
    before = lines[comment.line - 1][: comment.column - 1]
    return Edit(span=span.replace(column=len(before.rstrip()) + 1), text="")


def _span(comment: Comment, document: Document) -> Span:
    return Span(
        file=document.file,
        line=comment.line,
        column=comment.column,
        end_line=comment.line,
        end_column=comment.end_column,
    )
