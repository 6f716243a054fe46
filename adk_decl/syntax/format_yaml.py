"""The canonical layout of a YAML document, by changing what stands between its tokens and nothing else.

Scalars, comments and punctuation are copied from the text in their order, so that none can get lost; only the
white space between them is written anew. `docs/format.md` states the layout.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from adk_decl.scalars import suspicion
from adk_decl.syntax.block_scalar import BlockScalar, read_block_scalar
from adk_decl.syntax.comment_text import comment_text
from adk_decl.syntax.document import Document, Node
from adk_decl.syntax.untouchable import Untouchable

Spot = tuple[int, int]
"""A line and a column, from 1."""

STEP = 2
"""Spaces of one level."""

_TRIVIA = re.compile(r"(?:[ \t\n]++|#[^\n]*+)*+")
_OTHER_READERS = re.compile(r"[-+]?\d+(?::[0-5]?\d)+(?:\.\d*)?\Z|\d{4}-\d\d?-\d\d?(?:[Tt ].*)?\Z")
_LONGEST_AMBIGUOUS = 40
_SHORTEST_AMBIGUOUS = 2
"""`y` and `n` are text to the common readers of YAML 1.1."""


def format_yaml(document: Document, *, quote: Collection[Spot] = (), keep: Collection[Spot] = ()) -> str:
    """The text of a YAML document in canonical layout; for a canonical text, the same text.

    `quote`: where plain scalars begin that get quotes, see `ambiguous`. `keep`: where comments begin that stay as
    they are. Raises `Untouchable`. The caller has to read the result again and compare the trees.
    """
    return _Writer(document.text, quote, keep).write(document.root)


def ambiguous(root: Node) -> list[Node]:
    """The plain scalars that are text here and a boolean, null, number or date to other readers of YAML."""
    found = []
    waiting = [root]
    known: dict[str, bool] = {}
    while waiting:
        node = waiting.pop()
        if node.kind == "map":
            for key, value in node.entries:
                waiting += (key, value)
        elif node.kind == "list":
            waiting += node.items
        elif node.plain and isinstance(node.value, str):
            text = node.text
            answer = known.get(text)
            if answer is None:
                answer = known[text] = _is_ambiguous(text)
            if answer:
                found.append(node)
    return found


def _is_ambiguous(text: str) -> bool:
    if not _SHORTEST_AMBIGUOUS <= len(text) <= _LONGEST_AMBIGUOUS or '"' in text or "\\" in text:
        return text == "~"
    return suspicion(text) is not None or _OTHER_READERS.match(text) is not None


class _Frame:
    """A block map or list that is open: its column in the source and in the result."""

    __slots__ = ("outer", "source", "target")

    def __init__(self, source: int, target: int, outer: _Frame | None) -> None:
        self.source = source
        self.target = target
        self.outer = outer


class _Writer:
    """Walks over the tree and the text together; `at` is the index up to which the text is written."""

    def __init__(self, text: str, quote: Collection[Spot], keep: Collection[Spot]) -> None:
        # The line feed in front makes the first line like every other one.
        self.text = "\n" + text.replace("\r\n", "\n")
        self.starts = [0, *(match.end() for match in re.finditer("\n", self.text))]
        self.quoted = frozenset(self.starts[line] + column - 1 for line, column in quote)
        self.kept = frozenset(self.starts[line] + column - 1 for line, column in keep)
        self.at = 0
        self.out: list[str] = []
        self.last: _Frame | None = None

    def write(self, root: Node) -> str:
        if self.text.startswith("---", self.after(0)):
            self.lead(0, "")
            self.token("---")
        if self.is_flow(root):
            self.lead(0, " ")
            self.flow(root, STEP, 0)
        else:
            self.value(root, 0, None)
        self.rest()
        return "".join(self.out).lstrip("\n")

    def rest(self) -> None:
        """What stands behind the root: comments and the mark of the end."""
        self.lead(0, "", last=True)
        if self.text.startswith("...", self.at):
            self.out.append("\n")
            self.token("...")
            self.last = None
            self.lead(0, "", last=True)
        if self.at != len(self.text):
            raise Untouchable
        self.out.append("\n")

    def value(self, node: Node, column: int, outer: _Frame | None) -> None:
        """A node of a block map, a block list or the root; `column` is where it stands if it begins a line."""
        kind = node.kind
        if kind == "scalar":
            self.block_value(node, column, outer)
        elif self.is_flow(node):
            self.lead(column, " ")
            self.flow(node, column, column)
        elif kind == "map":
            self.block_map(node, column, outer)
        else:
            self.block_list(node, column, outer)

    def block_map(self, node: Node, column: int, outer: _Frame | None) -> None:
        frame = _Frame(node.column - 1, column, outer)
        inner = column + STEP
        for key, value in node.entries:
            self.lead(column, " ")
            self.last = frame
            if self.text[self.at] == "?" and self.index(key) != self.at:
                self.token("?")
                self.lead(inner, " ")
            self.scalar(key, inner)
            if value.plain and not value.text:
                self.optional_colon(column)
                continue
            if self.text[self.at] != ":":
                self.lead(column, "")
            self.token(":")
            self.value(value, inner, frame)

    def block_list(self, node: Node, column: int, outer: _Frame | None) -> None:
        frame = _Frame(node.column - 1, column, outer)
        inner = column + STEP
        for item in node.items:
            self.lead(column, " ")
            self.last = frame
            self.token("-")
            if not item.plain or item.text:
                self.value(item, inner, frame)

    def block_value(self, node: Node, column: int, outer: _Frame | None) -> None:
        self.lead(column, " ")
        if not node.plain and self.text[self.at] in "|>":
            parent = outer.source if outer is not None else -1
            self.block_scalar(read_block_scalar(self.text, self.at, parent), column)
        else:
            self.scalar(node, column)

    def block_scalar(self, block: BlockScalar, column: int) -> None:
        header = block.header
        if block.unfinished and not header.endswith("-"):
            # The text ends without a line feed: the one that is added must not become part of the value.
            header = header.removesuffix("+") + "-"
        self.out.append(header)
        if block.comment:
            self.out.append("  " + comment_text(block.comment))
        indent = " " * (column - STEP + block.step if block.step else column)
        self.out += [f"\n{indent}{line}" if line else "\n" for line in block.lines]
        self.at = block.end

    def flow(self, node: Node, column: int, closing: int) -> None:
        """A collection in brackets; `column` is where a line inside begins, `closing` where the last bracket does."""
        bracket = self.text[self.at]
        self.token(bracket)
        self.flow_content(node, column)
        self.lead(closing, "")
        if self.text.startswith(",", self.at):
            self.token(",")
            self.lead(closing, "")
        self.token("]" if bracket == "[" else "}")

    def flow_content(self, node: Node, column: int) -> None:
        separator = ""
        pairs: list[tuple[Node, Node | None]] = (
            [(item, None) for item in node.items] if node.kind == "list" else list(node.entries)
        )
        for first, second in pairs:
            if separator:
                self.lead(column, "")
                self.token(",")
            self.lead(column, separator)
            separator = " "
            if second is None:
                self.flow_value(first, column)
            else:
                self.flow_pair(first, second, column)

    def flow_pair(self, key: Node, value: Node, column: int) -> None:
        inner = column + STEP
        if self.text[self.at] == "?" and self.index(key) != self.at:
            self.token("?")
            self.lead(inner, " ")
        self.scalar(key, inner)
        if value.plain and not value.text:
            self.optional_colon(column)
            return
        self.lead(column, "")
        self.token(":")
        self.lead(inner, " ")
        self.flow_value(value, inner)

    def flow_value(self, node: Node, column: int) -> None:
        if node.kind == "scalar":
            self.scalar(node, column)
        elif self.is_flow(node):
            self.flow(node, column + STEP, column)
        else:
            # A pair without braces, as in `[a: 1]`.
            self.flow_content(node, column)

    def scalar(self, node: Node, column: int) -> None:
        """Copy a scalar; further lines of one that goes over several are moved to `column`."""
        start, end = self.index(node), self.starts[node.end_line] + node.end_column - 1
        if start != self.at:
            raise Untouchable
        text = self.text[start:end]
        if "\n" in text:
            text = _moved(text, column)
        self.out.append(f'"{text}"' if start in self.quoted else text)
        self.at = end

    def optional_colon(self, column: int) -> None:
        """The colon behind a key without a value, which may be left out in braces and behind `?`."""
        after = self.text[self.after(self.at) :][:1]
        if after == ":":
            self.lead(column, "")
            self.token(":")
            # Other readers take `{a:}` for the text `a:`.
            if self.text[self.at : self.at + 2].lstrip(" ")[:1] in (",", "}", "]"):
                self.out.append(" ")

    def lead(self, column: int, separator: str, *, last: bool = False) -> None:
        """Write what stands before the next token: nothing or `separator` in a line, else comments and line ends."""
        text, at = self.text, self.at
        end = self.at = self.after(at)
        between = text[at:end]
        if "#" in between:
            self.comments(between, at, column, last=last)
        elif last:
            return
        elif "\n" not in between:
            self.out.append(separator)
        else:
            blank = self.out and between.count("\n") > 1
            self.out.append(("\n\n" if blank else "\n") + " " * column)

    def comments(self, between: str, at: int, column: int, *, last: bool) -> None:
        head, *lines = between.split("\n")
        if head:
            self.end_of_line(head, at)
        source = -1 if last else len(lines.pop())
        blank = False
        for line in lines:
            words = line.strip(" \t")
            if not words:
                blank = True
                continue
            self.out.append(("\n\n" if blank and self.out else "\n") + " " * self.comment_column(line, source, column))
            self.out.append(comment_text(words))
            blank = False
        if not last:
            self.out.append(("\n\n" if blank and self.out else "\n") + " " * column)

    def end_of_line(self, head: str, at: int) -> None:
        words = head.strip(" \t")
        if not words:
            return
        begins = at + len(head) - len(head.lstrip(" \t"))
        if begins in self.kept:
            self.out.append(head.rstrip(" \t"))
        else:
            self.out.append("  " + comment_text(words))

    def comment_column(self, line: str, source: int, column: int) -> int:
        """Where a comment goes that has a line of its own: to what follows, or to the block that it ends.

        `source` is the column of the next token in the source, `column` the one in the result.
        """
        stands = len(line) - len(line.lstrip(" \t"))
        if stands <= source:
            return column
        frame = self.last
        while frame is not None and frame.source > stands:
            frame = frame.outer
        return max(frame.target, column) if frame is not None else column

    def token(self, token: str) -> None:
        if not self.text.startswith(token, self.at):
            raise Untouchable
        self.out.append(token)
        self.at += len(token)

    def after(self, at: int) -> int:
        """The index of the next token."""
        match = _TRIVIA.match(self.text, at)
        return match.end() if match else at

    def is_flow(self, node: Node) -> bool:
        return node.kind != "scalar" and self.text[self.index(node)] in "[{"

    def index(self, node: Node) -> int:
        return self.starts[node.line] + node.column - 1


def _moved(text: str, column: int) -> str:
    """A plain or quoted scalar of several lines, its further lines at `column`: white space there means nothing."""
    first, *lines = text.split("\n")
    moved = [_without_end(first)]
    for line in lines:
        words = _without_end(line.lstrip(" \t"))
        moved.append(" " * column + words if words else "")
    return "\n".join(moved)


def _without_end(line: str) -> str:
    # Behind a backslash a space is part of the value.
    shorter = line.rstrip(" \t")
    return line if shorter.endswith("\\") else shorter
