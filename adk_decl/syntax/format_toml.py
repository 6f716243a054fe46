"""The canonical layout of a TOML document, by changing what stands between its tokens and nothing else.

Keys, values and comments are copied from the text in their order; only the white space between them is written
anew. `docs/format.md` states the layout.
"""

from __future__ import annotations

import re

from adk_decl.syntax.comment_text import comment_text
from adk_decl.syntax.document import Document
from adk_decl.syntax.untouchable import Untouchable

STEP = 2
"""Spaces of one level in an array."""

_TRIVIA = re.compile(r"(?:[ \t\n]++|#[^\n]*+)*+")
_STRING = (
    r'"""(?:[^"\\]++|\\[\s\S]|"{1,2}(?!"))*+"{3,5}'
    r"|'''(?:[^']++|'{1,2}(?!'))*+'{3,5}"
    r'|"(?:[^"\\\n]++|\\[^\n])*+"'
    r"|'[^'\n]*+'"
)
_KEY = re.compile(rf"{_STRING}|[A-Za-z0-9_-]++")
_VALUE = re.compile(rf"{_STRING}|[^,\[\]{{}}\n#\"'= \t]++")


def format_toml(document: Document) -> str:
    """The text of a TOML document in canonical layout; for a canonical text, the same text.

    Raises `Untouchable`. The caller has to read the result again and compare the trees.
    """
    return _Writer(document.text.replace("\r\n", "\n")).write()


class _Writer:
    """Walks over the text; `at` is the index up to which it is written."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.out: list[str] = []

    def write(self) -> str:
        self.between_statements()
        while self.at < len(self.text):
            if self.text[self.at] == "[":
                self.header()
            else:
                self.entry(0)
            self.end_of_line()
            self.between_statements()
        return "".join(self.out)

    def between_statements(self) -> None:
        """Comments and blank lines before a statement; a table stands off from what is before it."""
        end = self.after(self.at)
        lines = [line.strip(" \t") for line in self.text[self.at : end].split("\n")]
        if end < len(self.text) or not lines[-1]:
            # The last one is the indentation of the statement, or what follows the last line feed.
            lines.pop()
        self.at = end
        blocks = _blocks(lines)
        if self.out and self.text.startswith("[", end) and [] not in blocks:
            # The comments right above a header belong to it.
            blocks.insert(0, [])
        if end == len(self.text):
            while blocks and blocks[-1] == []:
                blocks.pop()
        if not self.out and blocks and blocks[0] == []:
            blocks.pop(0)
        for block in blocks:
            self.out += [comment_text(line) + "\n" for line in block] if block else ["\n"]

    def header(self) -> None:
        double = self.text.startswith("[[", self.at)
        opening, closing = ("[[", "]]") if double else ("[", "]")
        self.token(opening)
        self.keys()
        self.token(closing)

    def entry(self, depth: int) -> None:
        """One `key = value`."""
        self.keys()
        self.out.append(" ")
        self.token("=")
        self.out.append(" ")
        self.spaces()
        self.value(depth)

    def keys(self) -> None:
        """A key with its dots."""
        while True:
            self.spaces()
            self.copy(_KEY)
            self.spaces()
            if not self.text.startswith(".", self.at):
                return
            self.token(".")

    def value(self, depth: int) -> None:
        first = self.text[self.at : self.at + 1]
        if first == "[":
            self.array(depth)
        elif first == "{":
            self.inline(depth)
        else:
            self.copy(_VALUE)

    def array(self, depth: int) -> None:
        self.token("[")
        self.lead(depth + 1, "", before="]")
        while not self.text.startswith("]", self.at):
            self.value(depth + 1)
            self.lead(depth + 1, "", before="]")
            if self.text.startswith(",", self.at):
                self.token(",")
                self.lead(depth + 1, " ", before="]")
        self.token("]")

    def inline(self, depth: int) -> None:
        self.token("{")
        self.spaces()
        empty = self.text.startswith("}", self.at)
        while not self.text.startswith("}", self.at):
            self.out.append(" ")
            self.entry(depth)
            self.spaces()
            if self.text.startswith(",", self.at):
                self.token(",")
                self.spaces()
        if not empty:
            self.out.append(" ")
        self.token("}")

    def lead(self, depth: int, separator: str, *, before: str) -> None:
        """Write what stands before the next token of an array; the bracket that closes it stands one level out."""
        end = self.after(self.at)
        first, *lines = self.text[self.at : end].split("\n")
        self.at = end
        closes = self.text.startswith(before, end)
        if first.strip(" \t"):
            self.out.append("  " + comment_text(first.strip(" \t")))
        if not lines:
            self.out.append("" if closes else separator)
            return
        blocks = _blocks([line.strip(" \t") for line in lines[:-1]])
        for block in blocks[:-1] if blocks and blocks[-1] == [] and closes else blocks:
            indent = "\n" + " " * (STEP * depth)
            self.out += [indent + comment_text(line) for line in block] if block else ["\n"]
        self.out.append("\n" + " " * (STEP * (depth - 1 if closes else depth)))

    def end_of_line(self) -> None:
        """The comment behind a statement, and its line end."""
        self.spaces()
        if self.text.startswith("#", self.at):
            end = self.text.find("\n", self.at)
            end = len(self.text) if end < 0 else end
            self.out.append("  " + comment_text(self.text[self.at : end]))
            self.at = end
        if self.at < len(self.text):
            if self.text[self.at] != "\n":
                raise Untouchable
            self.at += 1
        self.out.append("\n")

    def copy(self, pattern: re.Pattern[str]) -> None:
        match = pattern.match(self.text, self.at)
        if match is None:
            raise Untouchable
        self.out.append(match[0])
        self.at = match.end()

    def token(self, token: str) -> None:
        if not self.text.startswith(token, self.at):
            raise Untouchable
        self.out.append(token)
        self.at += len(token)

    def spaces(self) -> None:
        while self.text.startswith((" ", "\t"), self.at):
            self.at += 1

    def after(self, at: int) -> int:
        match = _TRIVIA.match(self.text, at)
        return match.end() if match else at


def _blocks(lines: list[str]) -> list[list[str]]:
    """Lines as blocks of comments, an empty one for each run of blank lines."""
    blocks: list[list[str]] = []
    for line in lines:
        if not line:
            if not blocks or blocks[-1]:
                blocks.append([])
        elif blocks and blocks[-1]:
            blocks[-1].append(line)
        else:
            blocks.append([line])
    return blocks
