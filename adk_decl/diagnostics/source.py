"""Lines of a source file as they are shown: on one line, bounded, with carets that stand right."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from adk_decl.diagnostics.wording import printable

_COLUMNS = 160
_BEFORE = 60
_TAB = "    "
_CUT = "…"
_MASK = "…"
_WORD = re.compile(r"""\"(?:[^"\\]|\\.)*"|'[^']*'|[^\s\[\]{},:=#"']+|.""")
_STRUCTURE = frozenset("[]{},:=|>-")
_AFTER_KEY = (":", "=", "]")


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

    Tabs become four spaces, what does not print an escape, what is cut `…`. With `keys`, only keys of that set,
    the key that is pointed at, and brackets are shown; all values become `…`.
    """
    first, last = _window(len(line), start)
    visible = line[first:last]
    if keys is None:
        cells: Sequence[str] = [_TAB if c == "\t" else printable(c) for c in visible]
    else:
        cells = _masked(line, start, end, keys)[first:last]
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


def _masked(line: str, start: int, end: int, keys: frozenset[str]) -> list[str]:
    """One cell for each character: values are `…` in the cell of their first character and nothing in the others."""
    cells = [""] * len(line)
    hidden = False
    gap: list[int] = []
    for match in _WORD.finditer(line):
        word, at = match[0], match.start()
        if word.isspace():
            gap.append(at)
            continue
        shown = word in _STRUCTURE or _is_key(line, match, start, end, keys)
        if shown or not hidden:
            for index in gap:
                cells[index] = _TAB if line[index] == "\t" else " "
        gap.clear()
        if shown:
            cells[at : match.end()] = [printable(c) for c in word]
        elif not hidden:
            cells[at] = _MASK
        hidden = not shown
    return cells


def _is_key(line: str, match: re.Match[str], start: int, end: int, keys: frozenset[str]) -> bool:
    rest = line[match.end() :].lstrip()
    if not rest.startswith(_AFTER_KEY):
        return False
    if rest.startswith("]") and not line.lstrip().startswith("["):
        return False  # the last item of a list; only the header of a TOML table ends a key with a bracket
    if (match.start(), match.end()) == (start, end):
        return True
    word = match[0].strip("\"'")
    return word in keys or all(part in keys for part in word.split("."))
