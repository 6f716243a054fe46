"""Lines of a source file as they are shown: on one line, bounded, with carets that stand right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from adk_decl.diagnostics.masked_line import masked_cells
from adk_decl.diagnostics.wording import printable

_COLUMNS = 160
_BEFORE = 60
_TAB = "    "
_CUT = "…"


class Excerpt(NamedTuple):
    """A line as shown, and where a stretch of it stands there: columns from 0."""

    text: str
    start: int
    width: int


class Source:
    """The text of a file, by lines."""

    __slots__ = ("_lines",)

    def __init__(self, text: str) -> None:
        self._lines = text.split("\n")

    def line(self, number: int) -> str | None:
        """A line without its end, counted from 1, or None when there is none."""
        if not 1 <= number <= len(self._lines):
            return None
        return self._lines[number - 1].rstrip("\r")


def excerpt(line: str, start: int, end: int, *, keys: frozenset[str] | None = None) -> Excerpt:
    """The part of a line around the characters `start` to `end` (from 0, `end` exclusive), at most 160 characters.

    Tabs become four spaces, what does not print an escape, what is cut `…`. With `keys`, only keys and brackets
    are shown, see `masked_line`; all values become `…`.
    """
    first, last = _window(len(line), start)
    visible = line[first:last]
    if keys is None:
        cells: Sequence[str] = [_TAB if c == "\t" else printable(c) for c in visible]
    else:
        cells = masked_cells(line, start, end, keys)[first:last]
    head = _CUT if first else ""
    tail = _CUT if last < len(line) else ""
    begin = max(start - first, 0)
    before = len(head) + sum(map(_width, cells[:begin]))
    width = sum(map(_width, cells[begin : max(end - first, begin)]))
    return Excerpt(head + "".join(cells) + tail, before, max(width, 1))


def _window(length: int, start: int) -> tuple[int, int]:
    if length <= _COLUMNS:
        return 0, length
    first = max(0, min(start - _BEFORE, length - _COLUMNS))
    return first, first + _COLUMNS


def _width(cell: str) -> int:
    """How many columns of a terminal a text takes."""
    if cell.isascii():
        return len(cell)
    # Imported only for text beyond ASCII: most files never need it.
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(c) else 2 if east_asian_width(c) in "WF" else 1 for c in cell)
