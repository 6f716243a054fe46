"""Findings one a line: `file:line:column: CODE message`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from adk_decl.diagnostics.diagnostic import Diagnostic
from adk_decl.diagnostics.text import by_file, hidden
from adk_decl.diagnostics.wording import printable

_COLORS = {"error": "\x1b[31m", "warning": "\x1b[33m"}


def render(
    diagnostics: Iterable[Diagnostic],
    sources: Mapping[str, str],
    *,
    color: bool = False,
    limit: int | None = 50,
) -> str:
    """The findings, one a line, without the text of the files; at most `limit` of a file, the rest counted."""
    lines = []
    for file, group in by_file(tuple(diagnostics)).items():
        shown = group if limit is None else group[:limit]
        lines += [_line(d, color=color) for d in shown]
        if len(group) > len(shown):
            lines.append(hidden(file, len(group) - len(shown)))
    return "".join(f"{line}\n" for line in lines)


def _line(diagnostic: Diagnostic, *, color: bool) -> str:
    code = f"{_COLORS[diagnostic.severity]}{diagnostic.code}\x1b[0m" if color else diagnostic.code
    span = diagnostic.span
    mend = f" ({printable(diagnostic.help)})" if diagnostic.help else ""
    return f"{printable(span.file)}:{span.line}:{span.column}: {code} {printable(diagnostic.message)}{mend}"
