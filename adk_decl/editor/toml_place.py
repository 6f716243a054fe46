"""Where the cursor is in a TOML text, by table headers and brackets."""

from __future__ import annotations

import re
from collections.abc import Sequence

from adk_decl.editor.brackets import Brackets, end_of_quoted, split_key
from adk_decl.editor.place import Place, word_end
from adk_decl.syntax.document import Path

_HEADER = re.compile(r"[ \t]*(\[\[?)([^\]#]*)")
_KEY = re.compile(
    r"""[ \t]*((?:"[^"]*"|'[^']*'|[A-Za-z0-9_-]+)(?:[ \t]*\.[ \t]*(?:"[^"]*"|'[^']*'|[A-Za-z0-9_-]+))*)[ \t]*="""
)
_QUOTES = ('"""', "'''", '"', "'")


def toml_place(lines: Sequence[str], row: int, column: int) -> Place | None:
    """The place at a row and column from 0."""
    return _Finder(lines, row, min(column, len(lines[row]))).place()


class _Finder:
    def __init__(self, lines: Sequence[str], row: int, column: int) -> None:
        self.lines = lines
        self.cursor = (row, column)
        self.table: Path = ()
        self.arrays: dict[Path, int] = {}

    def place(self) -> Place | None:
        row = 0
        while row < self.cursor[0]:
            line = self.lines[row]
            header = _HEADER.match(line)
            key = None if header is not None else _KEY.match(line)
            row += 1
            if header is not None:
                self._enter(header)
            elif key is not None:
                following = self._pass_value(row - 1, key)
                if isinstance(following, int):
                    row = following
                else:
                    return following[0]
        return self._at_cursor() if row == self.cursor[0] else None

    def _enter(self, header: re.Match[str]) -> None:
        parts = split_key(header[2].strip())
        path: Path = ()
        for index, part in enumerate(parts):
            path = (*path, part)
            if index == len(parts) - 1 and header[1] == "[[":
                self.arrays[path] = self.arrays.get(path, -1) + 1
            if path in self.arrays:
                path = (*path, self.arrays[path])
        self.table = path

    def _pass_value(self, row: int, key: re.Match[str]) -> int | tuple[Place | None]:
        """The row after a value, or the place when the cursor lies in it."""
        line = self.lines[row]
        column = _after_blanks(line, key.end())
        if line[column : column + 1] in ("{", "["):
            brackets = Brackets(self.lines, self.cursor, self.table + split_key(key[1]), separator="=")
            brackets.read(row, column)
            return (brackets.place,) if brackets.reached else brackets.row + 1
        quote = next((each for each in _QUOTES if line.startswith(each, column)), None)
        if quote is not None and len(quote) == 3:
            end = end_of_quoted(self.lines, row, column, quote)
            return (None,) if end is None or end > self.cursor else end[0] + 1
        return row + 1

    def _at_cursor(self) -> Place | None:
        row, column = self.cursor
        line = self.lines[row][:column]
        if line.lstrip().startswith("#"):
            return None
        if line.lstrip().startswith("["):
            return self._in_header(line)
        key = _KEY.match(line)
        if key is None:
            start = len(line) - len(line.lstrip())
            parts = split_key(line[start:])
            start = column - len(parts[-1]) if len(parts) > 1 else start
            return self._made(self.table + parts[:-1], "key", start)
        return self._in_value(line, key)

    def _in_header(self, line: str) -> Place | None:
        header = _HEADER.match(line)
        if header is None or header.end() < len(line):
            return None
        parts = split_key(header[2])
        path: Path = ()
        for part in parts[:-1]:
            path = (*path, part)
            if path in self.arrays:
                path = (*path, self.arrays[path])
        return self._made(path, "header", len(line) - len(header[2].rpartition(".")[2].lstrip()))

    def _in_value(self, line: str, key: re.Match[str]) -> Place | None:
        path = self.table + split_key(key[1])
        column = _after_blanks(line, key.end())
        if line[column : column + 1] in ("{", "["):
            brackets = Brackets(self.lines, self.cursor, path, separator="=")
            brackets.read(self.cursor[0], column)
            return brackets.place
        quote = next((each for each in _QUOTES if line.startswith(each, column)), "")
        if len(quote) == 3:
            return None
        if quote:
            ended = end_of_quoted([line], 0, column, quote) is not None
            return None if ended else self._made(path, "value", column + 1, quote=quote)
        return None if "#" in line[column:] else self._made(path, "value", column)

    def _made(self, path: Path, role: str, start: int, quote: str = "") -> Place:
        row, column = self.cursor
        line = self.lines[row]
        end = word_end(line, column, quote)
        return Place(path, role, line[start:column], start, end, quote=quote)  # type: ignore[arg-type]


def _after_blanks(line: str, column: int) -> int:
    return column + len(line[column:]) - len(line[column:].lstrip())
