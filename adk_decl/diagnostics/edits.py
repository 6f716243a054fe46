"""Text edits applied to the text that their spans point into. What no edit covers stays, byte for byte."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from adk_decl.diagnostics.diagnostic import Edit, Span


class OverlappingEdits(ValueError):
    """Two edits of one call cover the same text."""


class _Range(NamedTuple):
    """An edit by offsets into the text; `end` is exclusive."""

    start: int
    end: int
    text: str


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """The text with all edits made; equal edits count once, and all spans refer to the text as given.

    Line feeds in new text become the line ends of `text`. Raises `OverlappingEdits` when two edits cover the same
    text, and `ValueError` for a span outside the text.
    """
    starts = line_starts(text)
    ranges = sorted({_range(edit, starts, text) for edit in edits})
    parts: list[str] = []
    position = 0
    for before, current in zip([None, *ranges], ranges, strict=False):
        if before is not None and _overlap(before, current):
            raise OverlappingEdits(f"two edits cover the text at offset {current.start}")
        parts += (text[position : current.start], current.text)
        position = current.end
    return "".join((*parts, text[position:]))


def without_overlaps(groups: Iterable[Sequence[Edit]]) -> list[Edit]:
    """The edits of those groups that can be made together: a group whose edits meet earlier ones is left out whole.

    A group is what one fix does. The rest can be made after the text was read again.
    """
    chosen: list[Edit] = []
    for group in groups:
        fresh = [edit for edit in group if edit not in chosen]
        if not any(_meet(edit, other) for edit in fresh for other in chosen):
            chosen += fresh
    return chosen


def line_starts(text: str) -> list[int]:
    """The offset of the first character of each line."""
    starts = [0]
    at = text.find("\n")
    while at >= 0:
        starts.append(at + 1)
        at = text.find("\n", at + 1)
    return starts


def offset(starts: Sequence[int], text: str, line: int, column: int) -> int:
    """The offset of a place, with `starts` from `line_starts`. Raises `ValueError` for a place outside the text."""
    if not 1 <= line <= len(starts):
        raise ValueError(f"there is no line {line}")
    found = starts[line - 1] + column - 1
    end = starts[line] if line < len(starts) else len(text)
    if column < 1 or found > end:
        raise ValueError(f"there is no column {column} in line {line}")
    return found


def _range(edit: Edit, starts: Sequence[int], text: str) -> _Range:
    span = edit.span
    start = offset(starts, text, span.line, span.column)
    end = offset(starts, text, span.end_line, span.end_column)
    if end < start:
        raise ValueError("a span ends before it begins")
    inserted = edit.text
    if "\n" in inserted and "\r\n" in text:
        inserted = inserted.replace("\r\n", "\n").replace("\n", "\r\n")
    return _Range(start, end, inserted)


def _overlap(before: _Range, after: _Range) -> bool:
    """Two ranges in order share text, or both insert at one place, where their order would be a guess."""
    return after.start < before.end or after.start == before.start


def _meet(one: Edit, other: Edit) -> bool:
    if one.span.file != other.span.file:
        return False
    first, second = sorted((one.span, other.span), key=_start)
    return _start(second) < _end(first) or _start(second) == _start(first)


def _start(span: Span) -> tuple[int, int]:
    return span.line, span.column


def _end(span: Span) -> tuple[int, int]:
    return span.end_line, span.end_column
