"""Follows open brackets, of YAML flow collections and of TOML values, up to the cursor."""

from __future__ import annotations

from collections.abc import Sequence

from adk_decl.editor.place import Place, Role, word_end
from adk_decl.syntax.document import Path

_CLOSED_BY = {"{": "}", "[": "]"}
_DEEPEST = 64


class Frame:
    """One open bracket: the key whose value is being written, or the index of the item."""

    __slots__ = ("index", "is_map", "keys")

    def __init__(self, *, is_map: bool) -> None:
        self.is_map = is_map
        self.keys: Path = ()
        self.index = 0

    @property
    def steps(self) -> Path:
        """What this bracket adds to the path."""
        return self.keys if self.is_map else (self.index,)


class Brackets:
    """Reads from an opening bracket to the one that closes it, or to the cursor.

    Afterwards `row` and `column` are where reading ended; `place` is set when that is the cursor.
    """

    def __init__(self, lines: Sequence[str], cursor: tuple[int, int], base: Path, *, separator: str) -> None:
        self._lines = lines
        self._cursor = cursor
        self._base = base
        self._separator = separator
        self._frames: list[Frame] = []
        self._word_start: tuple[int, int] | None = None
        self._was_quoted = False
        self.row = self.column = 0
        self.place: Place | None = None
        self.reached = False

    def read(self, row: int, column: int) -> None:
        """Read from the bracket at this row and column."""
        self.row, self.column = row, column
        while self.row < len(self._lines):
            line = self._lines[self.row]
            if self._at_cursor(len(line)):
                return
            if self.column >= len(line):
                self.row, self.column = self.row + 1, 0
                continue
            if not self._character(line, line[self.column]):
                return

    def _at_cursor(self, length: int) -> bool:
        if (self.row, self.column) < self._cursor:
            return False
        self._stop(quote="")
        return True

    def _character(self, line: str, character: str) -> bool:
        """Take one character; False at the end."""
        if character in "{[":
            if len(self._frames) >= _DEEPEST:
                self.reached = True
                return False
            self._frames.append(Frame(is_map=character == "{"))
            self._forget_word()
        elif character in "}]":
            self._frames.pop()
            self._forget_word()
            if not self._frames:
                self.column += 1
                return False
        elif character == ",":
            self._next()
        elif self._separates(line):
            self._take_key(line)
        elif character in "\"'" and self._word_start is None:
            return self._quoted(character)
        elif character == "#" and (self._separator == "=" or self.column == 0 or line[self.column - 1].isspace()):
            if self.row == self._cursor[0]:
                self.reached = True
                return False
            self.column = len(line)
            return True
        elif not character.isspace() and self._word_start is None:
            self._word_start = (self.row, self.column)
        self.column += 1
        return True

    def _separates(self, line: str) -> bool:
        if line[self.column] != self._separator or not self._frames[-1].is_map or self._frames[-1].keys:
            return False
        if self._separator == "=" or self._was_quoted:
            return True
        return line[self.column + 1 : self.column + 2] in ("", " ", ",", "[", "]", "{", "}")

    def _take_key(self, line: str) -> None:
        start = self._word_start
        text = line[start[1] : self.column].strip() if start is not None and start[0] == self.row else ""
        self._frames[-1].keys = split_key(text) if self._separator == "=" else (unquoted(text),)
        self._forget_word()

    def _next(self) -> None:
        frame = self._frames[-1]
        frame.keys = ()
        frame.index += 1
        self._forget_word()

    def _quoted(self, quote: str) -> bool:
        """Pass a quoted text, or stop at the cursor inside it."""
        self._word_start = (self.row, self.column)
        self._was_quoted = True
        end = end_of_quoted(self._lines, self.row, self.column, quote)
        if end is None or end > self._cursor:
            self.row, self.column = self._cursor
            self._stop(quote=quote)
            return False
        self.row, self.column = end
        return True

    def _stop(self, *, quote: str) -> None:
        self.reached = True
        row, column = self._cursor
        start = column
        if self._word_start is not None and self._word_start[0] == row:
            start = self._word_start[1] + len(quote)
        elif self._word_start is not None:
            return  # in a text of several lines
        top = self._frames[-1]
        role: Role = "either" if not top.is_map else "value" if top.keys else "key"
        path = self._base + tuple(step for frame in self._frames for step in frame.steps)
        line = self._lines[row]
        self.place = Place(
            path, role, line[start:column], start, word_end(line, column, quote), quote=quote, in_flow=True
        )

    def _forget_word(self) -> None:
        self._word_start = None
        self._was_quoted = False


def end_of_quoted(lines: Sequence[str], row: int, column: int, quote: str) -> tuple[int, int] | None:
    """Row and column after a quoted text that begins at `column`; None when it never ends."""
    column += len(quote)
    while row < len(lines):
        line = lines[row]
        while column < len(line):
            if line.startswith(quote, column):
                if quote == "'" and line.startswith("''", column):
                    column += 2
                    continue
                return row, column + len(quote)
            column += 2 if line[column] == "\\" and quote[0] == '"' else 1
        row, column = row + 1, 0
    return None


def unquoted(text: str) -> str:
    """A key without its quotes."""
    return text[1:-1] if len(text) >= 2 and text[0] == text[-1] and text[0] in "\"'" else text


def split_key(text: str) -> tuple[str, ...]:
    """The parts of a dotted key of TOML."""
    parts: list[str] = []
    current, quote = "", ""
    for character in text:
        if quote:
            quote = "" if character == quote else quote
            current += character
        elif character in "\"'":
            quote = character
            current += character
        elif character == ".":
            parts.append(current)
            current = ""
        else:
            current += character
    return tuple(unquoted(part.strip()) for part in [*parts, current])
