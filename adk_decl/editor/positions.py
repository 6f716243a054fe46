"""Between columns of adk-decl, which count code points from 1, and those of editors, which count units from 0.

An editor counts in UTF-16 unless it and the server have agreed on something else.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from adk_decl.diagnostics.diagnostic import Span

Encoding = Literal["utf-8", "utf-16", "utf-32"]


class Position(NamedTuple):
    """A place between two characters as editors count: line and units of the encoding, from 0."""

    line: int
    character: int


class Range(NamedTuple):
    """From one position to another, the end exclusive."""

    start: Position
    end: Position


class Lines:
    """The lines of one text, without their ends, and both ways of counting in it."""

    __slots__ = ("_encoding", "_lines")

    def __init__(self, text: str, encoding: Encoding = "utf-16") -> None:
        self._lines = text.split("\n")
        self._encoding: Encoding = encoding

    def __len__(self) -> int:
        return len(self._lines)

    def line(self, number: int) -> str:
        """A line, counted from 0; empty beyond the text."""
        return self._lines[number].removesuffix("\r") if 0 <= number < len(self._lines) else ""

    def position(self, line: int, column: int) -> Position:
        """The position of a line and column that count from 1. A column beyond the line is its end."""
        return Position(max(line - 1, 0), units(self.line(line - 1)[: max(column - 1, 0)], self._encoding))

    def place(self, position: Position) -> tuple[int, int]:
        """Line and column from 1. What lies beyond the text is its end; inside a character, the start of it."""
        if position.line < 0:
            return 1, 1
        if position.line >= len(self._lines):
            return len(self._lines), len(self.line(len(self._lines) - 1)) + 1
        line = self.line(position.line)
        return position.line + 1, _code_points(line, position.character, self._encoding) + 1

    def range(self, span: Span) -> Range:
        """The range of a span. One that begins and ends at the same place stays empty."""
        return Range(self.position(span.line, span.column), self.position(span.end_line, span.end_column))


def units(text: str, encoding: Encoding) -> int:
    """How many units a text has. A lone surrogate, which a client may send, counts as the one unit it is."""
    if encoding == "utf-32" or text.isascii():
        return len(text)
    if encoding == "utf-16":
        return len(text) + sum(character > "\uffff" for character in text)
    return len(text.encode("utf-8", "surrogatepass"))


def _code_points(line: str, character: int, encoding: Encoding) -> int:
    if character <= 0:
        return 0
    if encoding == "utf-32" or line.isascii():
        return min(character, len(line))
    count = 0
    for index, each in enumerate(line):
        count += units(each, encoding)
        if count > character:
            return index
    return len(line)
