"""JSON (RFC 8259) with places: one value, no key twice, numbers within 64 bits."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from typing import Literal

from adk_decl.scalars import suspicion, typed
from adk_decl.syntax.document import Kind, Node
from adk_decl.syntax.keys import KeyRule
from adk_decl.syntax.profile import Profile
from adk_decl.syntax.reporter import Place, Reporter, Unreadable

_GAP = re.compile(r"[ \t\r\n]*")
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4}))*+"')
_WORD = re.compile(r"[^\s,:\[\]{}\"']+")


def read_json(text: str, reporter: Reporter, profile: Profile) -> Node:
    """The root node of a JSON text that passed `preflight.decode`.

    Keys that stand twice are reported and left out of the tree. Raises `Unreadable` after reporting what ends
    the reading.
    """
    walk = _Walk(text, reporter, profile)
    at = walk.gap(0)
    if at == len(text):
        raise reporter.refuse("ADK015", (1, 1, 1, 1), "the file holds no content", help="write one JSON value")
    root, at = walk.value(at, 1)
    at = walk.gap(at)
    if at < len(text):
        if text[at] in ",]}:":
            raise walk.wrong(at, "something stands behind the value", "expected the end of the file")
        raise reporter.refuse(
            "ADK005",
            walk.place(at, at + 1),
            "a second value begins here",
            label="one file holds one value",
            help="put the values into a list",
        )
    return root


class _Walk:
    def __init__(self, text: str, reporter: Reporter, profile: Profile) -> None:
        self.text = text
        self.reporter = reporter
        self.profile = profile
        self.keys = KeyRule(reporter)
        self.starts = [0, *(match.end() for match in re.finditer("\n", text))]
        self.nodes = 0

    def value(self, at: int, depth: int) -> tuple[Node, int]:
        """The value that begins at an index, and where it ends."""
        first = self.text[at : at + 1]
        if first == "{":
            return self.map(at, depth)
        if first == "[":
            return self.list(at, depth)
        if first == '"':
            return self.string(at)
        return self.word(at)

    def map(self, start: int, depth: int) -> tuple[Node, int]:
        node = self.container("map", start, depth)
        seen: dict[str, Node] = {}
        at = self.gap(start + 1)
        while not self.text.startswith("}", at):
            if not self.text.startswith('"', at):
                raise self.not_a_key(at)
            key, at = self.string(at)
            at = self.gap(at)
            if not self.text.startswith(":", at):
                raise self.wrong(at, "a key without a value", "expected `:`")
            value, at = self.value(self.gap(at + 1), depth + 1)
            first = seen.setdefault(key.text, key)
            if first is not key:
                self.keys.report_duplicate(key, first)
            elif self.keys.accepts(key):
                node.entries.append((key, value))
            at = self.separator(at, start, "}", "map")
        return self.ended(node, at + 1)

    def list(self, start: int, depth: int) -> tuple[Node, int]:
        node = self.container("list", start, depth)
        at = self.gap(start + 1)
        while not self.text.startswith("]", at):
            value, at = self.value(at, depth + 1)
            node.items.append(value)
            at = self.separator(at, start, "]", "list")
        return self.ended(node, at + 1)

    def separator(self, at: int, start: int, closing: str, what: str) -> int:
        """Behind a value: over the comma to the next one, or to the closing bracket."""
        at = self.gap(at)
        if self.text.startswith(closing, at):
            return at
        if not self.text.startswith(",", at):
            raise self.wrong(
                at, f"a {what} is not closed, or lacks a comma", f"expected `,` or `{closing}`", began=start
            )
        following = self.gap(at + 1)
        if self.text.startswith(closing, following):
            place = self.place(at, at + 1)
            raise self.reporter.refuse(
                "ADK004",
                place,
                f"a comma before the end of a {what}",
                label="not allowed in JSON",
                fix=self.reporter.replacement(place, "", "remove the comma"),
            )
        return following

    def string(self, at: int) -> tuple[Node, int]:
        match = _STRING.match(self.text, at)
        if match is None:
            raise self.wrong(at, "a string that is not closed, or holds what JSON wants escaped", "begins here")
        node = self.node("scalar", at, match.end())
        raw = match[0]
        node.text = raw[1:-1] if "\\" not in raw else str(json.loads(raw))
        node.value = node.text
        if "\\" in raw and ("\0" in node.text or any("\ud800" <= c <= "\udfff" for c in node.text)):
            raise self.reporter.refuse(
                "ADK002",
                self.place(at, match.end()),
                "the text holds an escape for a character that may not stand in a value",
                label="NUL or half of a surrogate pair",
                help="remove the escape",
            )
        return node, match.end()

    def word(self, at: int) -> tuple[Node, int]:
        """A number, `true`, `false` or `null`."""
        match = _WORD.match(self.text, at)
        if match is None:
            raise self.wrong(at, "a value is missing", "expected a value")
        raw = match[0]
        value = typed(raw)
        if isinstance(value, str):
            raise self.not_a_word(raw, at)
        node = self.node("scalar", at, match.end())
        node.plain, node.text, node.value = True, raw, value
        return node, match.end()

    def not_a_word(self, raw: str, at: int) -> Unreadable:
        if raw.startswith(("//", "/*", "#")):
            return self.wrong(at, "JSON has no comments", "a comment", "remove the comment")
        odd = suspicion(raw)
        if odd is not None:
            code = "ADK004" if odd[0] in ("ADK009", "ADK112") else odd[0]
            return self.reporter.refuse(code, self.place(at, at + len(raw)), odd[1], label="no JSON", help=odd[2])
        return self.wrong(at, "text has to stand in double quotes", "no JSON", "quote it", end=at + len(raw))

    def not_a_key(self, at: int) -> Unreadable:
        if self.text.startswith(("//", "/*", "#"), at):
            return self.wrong(at, "JSON has no comments", "a comment", "remove the comment")
        return self.wrong(at, "a key has to stand in double quotes", 'expected `"`')

    def container(self, kind: Literal["map", "list"], at: int, depth: int) -> Node:
        if depth > self.profile.depth:
            raise self.reporter.refuse(
                "ADK016",
                self.place(at, at + 1),
                f"nesting is deeper than {self.profile.depth} levels",
                label=f"level {depth}",
            )
        return self.node(kind, at, at + 1)

    def node(self, kind: Kind, start: int, end: int) -> Node:
        self.nodes += 1
        if self.nodes > self.profile.nodes:
            raise self.reporter.refuse(
                "ADK016",
                self.place(start, start + 1),
                f"the file holds more than {self.profile.nodes} keys and values",
                label="the limit is reached here",
            )
        return Node(kind, *self.place(start, end))

    def wrong(
        self,
        at: int,
        message: str,
        label: str,
        mend: str | None = None,
        *,
        end: int | None = None,
        began: int | None = None,
    ) -> Unreadable:
        """Report a syntax error at an index; at a line end it stands on the character before."""
        while at > 0 and self.text[at : at + 1] in ("", "\n", "\r"):
            at -= 1
        second = (self.place(began, began + 1), "opened here") if began is not None and began < at else None
        place = self.place(at, max(end or 0, min(at + 1, len(self.text))))
        return self.reporter.refuse("ADK004", place, message, label=label, second=second, help=mend)

    def gap(self, at: int) -> int:
        match = _GAP.match(self.text, at)
        return match.end() if match else at

    def ended(self, node: Node, end: int) -> tuple[Node, int]:
        _, _, node.end_line, node.end_column = self.place(end - 1, end)
        return node, end

    def place(self, start: int, end: int) -> Place:
        line = bisect_right(self.starts, start)
        end_line = bisect_right(self.starts, max(end - 1, start))
        return line, start - self.starts[line - 1] + 1, end_line, end - self.starts[end_line - 1] + 1
