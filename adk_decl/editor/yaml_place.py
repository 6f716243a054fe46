"""Where the cursor is in a YAML text, by indentation. JSON is read as YAML in brackets."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from adk_decl.editor.brackets import Brackets, end_of_quoted, unquoted
from adk_decl.editor.place import Place, Role, word_end
from adk_decl.syntax.document import Path

_KEY = re.compile(r"""([^\s#"'\[\]{},&*!|>%@`-][^#]*?|-[^\s#][^#]*?|"[^"]*"|'[^']*'):(?=[ ]|$)""")
_BLOCK_TEXT = re.compile(r"[|>][0-9+-]*[ ]*(#.*)?$")


class _Level(NamedTuple):
    """One step of the path: how far it is indented, and whether its value stands on its own line already."""

    indent: int
    step: str | int
    is_item: bool
    is_filled: bool


def yaml_place(lines: Sequence[str], row: int, column: int) -> Place | None:
    """The place at a row and column from 0."""
    return _Finder(lines, row, min(column, len(lines[row]))).place()


class _Finder:
    def __init__(self, lines: Sequence[str], row: int, column: int) -> None:
        self.lines = lines
        self.cursor = (row, column)
        self.levels: list[_Level] = []
        self.text_indent: int | None = None

    def place(self) -> Place | None:
        row = 0
        while row < self.cursor[0]:
            following = self._pass_line(row)
            if isinstance(following, int):
                row = following
                continue
            return following[0]
        return self._at_cursor() if row == self.cursor[0] else None

    def _pass_line(self, row: int) -> int | tuple[Place | None]:
        """Take the levels of a whole line; the next row, or the place when the cursor lies in what begins here."""
        line = self.lines[row]
        if not line.strip() or line.lstrip().startswith("#"):
            return row + 1
        indent = _indent(line)
        if self._in_text(indent):
            return row + 1
        column = self._items(line, indent)
        key = _KEY.match(line, column)
        if key is not None:
            column = self._key(line, column, key)
        return self._value(row, column)

    def _in_text(self, indent: int) -> bool:
        """Whether a line belongs to the block text above it."""
        if self.text_indent is None:
            return False
        if indent > self.text_indent:
            return True
        self.text_indent = None
        return False

    def _items(self, line: str, column: int) -> int:
        """Take `- ` signs; the column of what follows."""
        while line[column : column + 1] == "-" and line[column + 1 : column + 2] in ("", " "):
            index = 0
            while self.levels and (
                self.levels[-1].indent > column or (self.levels[-1].indent == column and self.levels[-1].is_item)
            ):
                popped = self.levels.pop()
                if popped.indent == column and isinstance(popped.step, int):
                    index = popped.step + 1
            following = column + 1 + _indent(line[column + 1 :])
            is_filled = following < len(line) and _KEY.match(line, following) is None
            self.levels.append(_Level(column, index, True, is_filled))
            column = following
        return column

    def _key(self, line: str, column: int, key: re.Match[str]) -> int:
        """Take a key; the column of its value."""
        self._leave(column)
        following = key.end() + _indent(line[key.end() :])
        is_filled = following < len(line) and line[following] != "#"
        self.levels.append(_Level(column, unquoted(key[1].rstrip()), False, is_filled))
        return following

    def _leave(self, column: int) -> None:
        while self.levels and self.levels[-1].indent >= column:
            self.levels.pop()

    def _value(self, row: int, column: int) -> int | tuple[Place | None]:
        line = self.lines[row]
        first = line[column : column + 1]
        if first and first in "{[":
            brackets = Brackets(self.lines, self.cursor, self._path(), separator=":")
            brackets.read(row, column)
            return (brackets.place,) if brackets.reached else brackets.row + 1
        if first and first in "\"'":
            end = end_of_quoted(self.lines, row, column, first)
            if end is None or end[0] > self.cursor[0] or (end[0] == self.cursor[0] and end > self.cursor):
                return (None,)
            return end[0] + 1
        if _BLOCK_TEXT.match(line, column):
            self.text_indent = self.levels[-1].indent if self.levels else -1
        return row + 1

    def _at_cursor(self) -> Place | None:
        row, end = self.cursor
        whole = self.lines[row]
        line = whole[:end]
        if not line.strip():
            if self.text_indent is not None and (whole.strip() == "" or _indent(whole) > self.text_indent):
                if end > self.text_indent:
                    return None
                self.text_indent = None
            return self._blank(end)
        if line.lstrip().startswith("#") or self._in_text(_indent(line)):
            return None
        column = self._items(line, _indent(line))
        key = _KEY.match(line, column)
        if key is not None:
            column = self._key(line, column, key)
        elif column == len(line):
            return self._made("either", column)
        else:
            self._leave(column)
        return self._in_value(line, column, "value" if key is not None else "either")

    def _blank(self, column: int) -> Place | None:
        self._leave(column)
        if self.levels and self.levels[-1].is_filled:
            return None
        return self._made("either", column)

    def _in_value(self, line: str, column: int, role: Role) -> Place | None:
        first = line[column : column + 1]
        if first and first in "{[":
            brackets = Brackets(self.lines, self.cursor, self._path(), separator=":")
            brackets.read(self.cursor[0], column)
            return brackets.place
        if first and first in "\"'":
            found = end_of_quoted([line], 0, column, first)
            return self._made(role, column + 1, quote=first) if found is None else None
        if " #" in line[column - 1 :] or _BLOCK_TEXT.match(line, column):
            return None
        return self._made(role, column)

    def _made(self, role: Role, start: int, quote: str = "") -> Place:
        row, column = self.cursor
        line = self.lines[row]
        return Place(self._path(), role, line[start:column], start, word_end(line, column, quote), quote=quote)

    def _path(self) -> Path:
        return tuple(level.step for level in self.levels)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))
