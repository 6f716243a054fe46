"""Findings as workflow commands of GitHub Actions, which shows them beside the changed lines.

GitHub keeps ten errors and ten warnings of a step and drops the rest without a word, so errors come first, and
what exceeds ten is written as plain lines of the log. A line of counts ends the output.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from adk_decl.diagnostics import concise
from adk_decl.diagnostics.diagnostic import Diagnostic
from adk_decl.diagnostics.text import summary
from adk_decl.diagnostics.wording import counted, printable

ANNOTATIONS_PER_KIND = 10
"""How many errors, and how many warnings, GitHub shows of one step."""

MESSAGE_CHARACTERS = 4000
"""The longest message; GitHub refuses annotations beyond 64 KiB, and an escaped character takes up to 12 bytes."""

_MESSAGE_ESCAPES = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_PROPERTY_ESCAPES = _MESSAGE_ESCAPES | {":": "%3A", ",": "%2C"}
_TO_MESSAGE = str.maketrans(_MESSAGE_ESCAPES)
_TO_PROPERTY = str.maketrans(_PROPERTY_ESCAPES)


def render(
    diagnostics: Iterable[Diagnostic],
    sources: Mapping[str, str],
    *,
    color: bool = False,
    limit: int | None = None,
) -> str:
    """The findings as workflow commands, errors first, and a line of counts; empty when there is none.

    `color` and `limit` have no effect: GitHub's own limits hold.
    """
    every = sorted(diagnostics, key=lambda d: d.severity != "error")
    if not every:
        return ""
    shown: list[Diagnostic] = []
    rest: list[Diagnostic] = []
    room = {"error": ANNOTATIONS_PER_KIND, "warning": ANNOTATIONS_PER_KIND}
    for diagnostic in every:
        (shown if room[diagnostic.severity] > 0 else rest).append(diagnostic)
        room[diagnostic.severity] -= 1
    lines = [_command(d) for d in shown]
    if rest:
        lines.append(f"{counted(len(rest), 'more finding')} beyond the limit of annotations:")
        lines += [_log_line(line) for line in concise.render(rest, sources, limit=None).splitlines()]
    return "".join(f"{line}\n" for line in (*lines, summary(every)))


def _command(diagnostic: Diagnostic) -> str:
    span = diagnostic.span
    places: dict[str, str | int] = {
        "title": f"adk-decl {diagnostic.code}",
        "file": printable(span.file),
        "line": span.line,
        "endLine": span.end_line,
    }
    if span.line == span.end_line:
        # GitHub takes columns only of a place within one line.
        places |= {"col": span.column, "endColumn": span.end_column}
    properties = ",".join(f"{name}={str(value).translate(_TO_PROPERTY)}" for name, value in places.items())
    return f"::{diagnostic.severity} {properties}::{_message(diagnostic).translate(_TO_MESSAGE)}"


def _message(diagnostic: Diagnostic) -> str:
    lines = [printable(diagnostic.message)]
    if diagnostic.label:
        lines.append(printable(diagnostic.label))
    mend = diagnostic.help if diagnostic.help is not None else diagnostic.fix.title if diagnostic.fix else None
    if mend is not None:
        lines.append(f"help: {printable(mend)}")
    lines += [f"note: {printable(note)}" for note in diagnostic.notes]
    lines.append(f"see: adk-decl explain {diagnostic.code}")
    text = "\n".join(lines)
    return text if len(text) <= MESSAGE_CHARACTERS else text[: MESSAGE_CHARACTERS - 1] + "…"


def _log_line(line: str) -> str:
    """A line that GitHub never takes for a command: `::` at its start or `##[` anywhere would be one."""
    return f"- {line.replace('##[', '## [')}"
