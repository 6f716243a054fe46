"""Findings for people: the message, the place, the line with carets, what to do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from adk_decl.diagnostics.diagnostic import Diagnostic, Span
from adk_decl.diagnostics.source import Source, excerpt
from adk_decl.diagnostics.wording import counted, printable

_RESET = "\x1b[0m"
_BOLD = "\x1b[1m"
_BLUE = "\x1b[1;34m"
_COLORS = {"error": "\x1b[1;31m", "warning": "\x1b[1;33m"}


class _Mark(NamedTuple):
    """A stretch of the file to underline, with what it says."""

    span: Span
    message: str
    sign: str


def render(
    diagnostics: Iterable[Diagnostic],
    sources: Mapping[str, str],
    *,
    color: bool = False,
    limit: int | None = 50,
) -> str:
    """The findings as text, with a line of counts at the end; empty when there is none.

    `sources` maps the names of files, as in the spans, to their text. At most `limit` findings of a file are
    shown and the rest counted; None shows all.
    """
    every = tuple(diagnostics)
    if not every:
        return ""
    blocks = []
    for file, group in by_file(every).items():
        source = Source(sources[file]) if file in sources else None
        shown = group if limit is None else group[:limit]
        blocks += [_block(d, source, sources, color=color) for d in shown]
        if len(group) > len(shown):
            blocks.append(hidden(file, len(group) - len(shown)))
    return "\n\n".join(blocks) + f"\n\n{summary(every)}\n"


def by_file(diagnostics: Sequence[Diagnostic]) -> dict[str, list[Diagnostic]]:
    """The findings grouped by file, both in the given order."""
    groups: dict[str, list[Diagnostic]] = {}
    for diagnostic in diagnostics:
        groups.setdefault(diagnostic.span.file, []).append(diagnostic)
    return groups


def hidden(file: str, number: int) -> str:
    """The line that counts the findings of a file that are not shown."""
    return f"{counted(number, 'more finding')} in {printable(file)} not shown"


def summary(diagnostics: Iterable[Diagnostic]) -> str:
    """`2 errors, 1 warning in 1 file`."""
    every = tuple(diagnostics)
    errors = sum(d.severity == "error" for d in every)
    files = len({d.span.file for d in every})
    return f"{counted(errors, 'error')}, {counted(len(every) - errors, 'warning')} in {counted(files, 'file')}"


def _block(diagnostic: Diagnostic, source: Source | None, sources: Mapping[str, str], *, color: bool) -> str:
    span = diagnostic.span
    marks = _marks(diagnostic)
    lines = _snippet(marks, source, _keys(diagnostic), color=color) if source and not _is_empty(span) else []
    gutter = max((len(str(mark.span.line)) for mark in marks), default=1) if lines else 1
    head = f"{diagnostic.severity}[{diagnostic.code}]"
    paint = _COLORS[diagnostic.severity]
    result = [
        f"{_painted(head, paint, color=color)}{_painted(': ' + printable(diagnostic.message), _BOLD, color=color)}",
        f"{' ' * gutter}{_painted('-->', _BLUE, color=color)} {printable(span.file)}:{span.line}:{span.column}",
        *lines,
    ]
    for label in diagnostic.labels:
        if label.span.file != span.file:
            result += _elsewhere(label.span, label.message, sources, diagnostic, color=color)
    edge = " " * gutter + _painted(" = ", _BLUE, color=color)
    result += [f"{edge}{line}" for line in _advice(diagnostic)]
    return "\n".join(result)


def _marks(diagnostic: Diagnostic) -> list[_Mark]:
    marks = [_Mark(diagnostic.span, diagnostic.label, "^")]
    marks += [_Mark(x.span, x.message, "-") for x in diagnostic.labels if x.span.file == diagnostic.span.file]
    return sorted(marks, key=lambda mark: (mark.span.line, mark.sign == "-", mark.span.column))


def _keys(diagnostic: Diagnostic) -> frozenset[str] | None:
    """The keys that a masked snippet may show, or None when nothing is masked."""
    if not diagnostic.mask_values:
        return None
    return frozenset(part for part in diagnostic.path if isinstance(part, str))


def _is_empty(span: Span) -> bool:
    return (span.line, span.column) == (span.end_line, span.end_column)


def _snippet(marks: Sequence[_Mark], source: Source, keys: frozenset[str] | None, *, color: bool) -> list[str]:
    gutter = max(len(str(mark.span.line)) for mark in marks)
    bar = " " * gutter + _painted(" |", _BLUE, color=color)
    result = [bar]
    previous = 0
    for mark in marks:
        line = source.line(mark.span.line)
        if line is None:
            continue
        shown = excerpt(line, *_stretch(mark.span, line), keys=keys)
        if mark.span.line != previous:
            if previous and mark.span.line > previous + 1:
                result.append(_painted("...", _BLUE, color=color))
            number = _painted(f"{mark.span.line:>{gutter}} |", _BLUE, color=color)
            result.append(f"{number} {shown.text}".rstrip())
        previous = mark.span.line
        under = mark.sign * shown.width + (f" {printable(mark.message)}" if mark.message else "")
        paint = _COLORS["error"] if mark.sign == "^" else _BLUE
        result.append(f"{bar} {' ' * shown.start}{_painted(under, paint, color=color)}")
    return result if len(result) > 1 else []


def _stretch(span: Span, line: str) -> tuple[int, int]:
    """The characters of the first line of a span, from 0."""
    end = span.end_column - 1 if span.end_line == span.line else len(line)
    start = min(span.column - 1, len(line))
    return start, max(start, min(end, len(line)))


def _advice(diagnostic: Diagnostic) -> list[str]:
    fix = diagnostic.fix
    tag = f"  [fix: {fix.applicability}]" if fix else ""
    mend = diagnostic.help if diagnostic.help is not None else fix.title if fix else None
    lines = [f"help: {printable(mend)}{tag}"] if mend is not None else []
    lines += [f"note: {printable(note)}" for note in diagnostic.notes]
    lines.append(f"see: adk-decl explain {diagnostic.code}")
    return lines


def _elsewhere(
    span: Span, message: str, sources: Mapping[str, str], diagnostic: Diagnostic, *, color: bool
) -> list[str]:
    gutter = " " * len(str(span.line))
    head = f"{gutter}{_painted(':::', _BLUE, color=color)} {printable(span.file)}:{span.line}:{span.column}"
    text = sources.get(span.file)
    lines = (
        _snippet([_Mark(span, message, "-")], Source(text), _keys(diagnostic), color=color) if text is not None else []
    )
    return [head, *lines] if lines else [f"{head} {printable(message)}"]


def _painted(text: str, paint: str, *, color: bool) -> str:
    return f"{paint}{text}{_RESET}" if color else text
