"""The places of every key and value of a TOML 1.0 text, as nodes; tomllib gives the values afterwards.

What tomllib words badly, or newer versions of it accept, is reported here: what stands twice, forms of TOML
1.1, text without quotes, dates and numbers that no field takes. It need not find every error, because tomllib
reads the same text, but what it reports is one. Nesting is bounded before it recurses.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import NamedTuple

from adk_decl.scalars import suspicion
from adk_decl.syntax.document import Node
from adk_decl.syntax.profile import Profile
from adk_decl.syntax.reporter import Place, Reporter, Unreadable
from adk_decl.syntax.toml_tables import Table, TableRules

_SPACE = re.compile(r"[ \t]*")
_HEADER_LINE = re.compile(
    r"(?m)(?<=\n)\[{1,2}(?!true|false|inf|nan)[A-Za-z_][A-Za-z0-9_.\"'-]*\]{1,2}[ \t]*(?:#.*)?\r?$"
)
_GAP = re.compile(r"(?:[ \t\r\n]++|#[^\n]*+)*+")
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_STRINGS = (
    ('"""', re.compile(r'"""(?:[^"\\]++|\\.|"{1,2}(?!"))*+"{3,5}', re.DOTALL)),
    ("'''", re.compile(r"'''(?:[^']++|'{1,2}(?!'))*+'{3,5}", re.DOTALL)),
    ('"', re.compile(r'"(?:[^"\\\n]++|\\[^\n])*+"')),
    ("'", re.compile(r"'[^'\n]*+'")),
)
_PLAIN = re.compile(r"[^,\[\]{}\n\r#\"'=]+")
_ESCAPE = re.compile(r"""\\(?:[btnfr"\\]|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|[ \t]*\r?\n|(.))""")
_DATE = re.compile(r"\d{4}-\d\d-\d\d|\d\d:\d\d")
_NUMBER = re.compile(r"[-+]?(?:\d[\d_]*(?:\.[\d_]+)?(?:[eE][-+]?[\d_]+)?|0x[0-9A-Fa-f_]+|0o[0-7_]+|0b[01_]+)\Z")
_LEADING_ZERO = re.compile(r"[-+]?0[\d_]")
_NON_FINITE = frozenset(("inf", "+inf", "-inf", "nan", "+nan", "-nan"))


class Index(NamedTuple):
    """The root node, and each scalar with its source text, quotes included."""

    root: Node
    scalars: dict[Node, str]


def index(text: str, reporter: Reporter, profile: Profile) -> Index:
    """Walk over a TOML text.

    Values that no field takes, and keys that stand twice, are reported and left out of the tree. Raises
    `Unreadable` after reporting what is no TOML 1.0 or beyond a limit.
    """
    walk = _Walk(text, reporter, profile)
    walk.run()
    return Index(walk.rules.root.node, walk.scalars)


class _Walk:
    def __init__(self, text: str, reporter: Reporter, profile: Profile) -> None:
        self.text = text
        self.reporter = reporter
        self.starts = [0, *(match.end() for match in re.finditer("\n", text))]
        self.rules = TableRules(reporter, profile, Node("map", *self.place(0, len(text.rstrip()))))
        self.scalars: dict[Node, str] = {}

    def run(self) -> None:
        table, at = self.rules.root, self.gap(0)
        while at < len(self.text):
            if self.text[at] == "[":
                table, at = self.header(at)
            else:
                at = self.entry(table, at)
            at = self.space(at)
            if self.text[at : at + 1] not in ("", "\n", "\r", "#"):
                raise self.wrong(at, "something stands behind the end of a statement", "expected a line end")
            at = self.gap(at)

    def header(self, start: int) -> tuple[Table, int]:
        closing = "]]" if self.text.startswith("[[", start) else "]"
        keys, at = self.keys(start + len(closing))
        if not self.text.startswith(closing, at):
            raise self.wrong(at, "the header of a table is not closed", f"expected `{closing}`")
        end = at + len(closing)
        if closing == "]]":
            return self.rules.header_item(keys, self.place(start, end)), end
        return self.rules.header(keys), end

    def entry(self, table: Table, at: int) -> int:
        """One `key = value`; answers where it ends."""
        keys, at = self.keys(at)
        if not self.text.startswith("=", at):
            raise self.wrong(at, "a key without a value", "expected `=`")
        parent = self.rules.dotted(table, keys[:-1])
        value, child, end = self.value(self.space(at + 1), parent.depth + 1)
        self.rules.define(parent, keys[-1], value, child)
        return end

    def keys(self, at: int) -> tuple[list[Node], int]:
        """The parts of a dotted key."""
        found = []
        while True:
            at = self.space(at)
            key, at = self.key(at)
            found.append(key)
            at = self.space(at)
            if not self.text.startswith(".", at):
                return found, at
            at += 1

    def key(self, at: int) -> tuple[Node, int]:
        quoted = self.text[at : at + 1] in ("'", '"') and not self.text.startswith(('"""', "'''"), at)
        end = self.string_end(at) if quoted else (match.end() if (match := _BARE.match(self.text, at)) else at)
        if end == at:
            raise self.wrong(at, "a key is missing or holds a character that needs quotes", "expected a key")
        node = self.rules.node("scalar", self.place(at, end), 0)
        raw = self.text[at:end]
        node.text = _unquoted(raw) if quoted else raw
        node.value = node.text
        return node, end

    def value(self, at: int, depth: int) -> tuple[Node | None, Table | None, int]:
        """A value: its node, or None when it was reported; its table when it is an inline one; where it ends."""
        first = self.text[at : at + 1]
        if first == "[":
            node, end = self.array(at, depth)
            return node, None, end
        if first == "{":
            table, end = self.inline(at, depth)
            return table.node, table, end
        if first in ("'", '"'):
            return self.string(at)
        return self.plain(at)

    def array(self, start: int, depth: int) -> tuple[Node, int]:
        node = self.rules.node("list", self.place(start, start + 1), depth)
        at = self.gap(start + 1)
        while not self.text.startswith("]", at):
            if _HEADER_LINE.match(self.text, at):
                raise self.not_closed(at, start)
            value, _, at = self.value(at, depth + 1)
            if value is not None:
                node.items.append(value)
            at = self.gap(at)
            if self.text.startswith(",", at):
                at = self.gap(at + 1)
            elif not self.text.startswith("]", at):
                raise self.not_closed(at, start)
        return self.ended(node, at + 1), at + 1

    def not_closed(self, at: int, start: int) -> Unreadable:
        """A list without its bracket ends with its last item, not with the line where something else begins."""
        message, label = "a list is not closed, or lacks a comma", "expected `,` or `]`"
        line = self.text.rfind("\n", 0, at) + 1
        if line <= start or self.text[line:at].strip():
            return self.wrong(at, message, label, began=start)
        at = self.code_end(start, line)
        return self.wrong(at, message, f"{label} after this", "close the bracket", began=start)

    def code_end(self, start: int, end: int) -> int:
        """The index of the last character between two indexes that is neither white space nor in a comment."""
        last, at = start, start
        while at < end:
            if self.text[at] == "#":
                at = self.text.find("\n", at)
                continue
            if self.text[at] in "'\"":
                at = self.string_end(at) - 1
            if not self.text[at].isspace():
                last = at
            at += 1
        return last

    def inline(self, start: int, depth: int) -> tuple[Table, int]:
        table = Table(self.rules.node("map", self.place(start, start + 1), depth), "header", depth)
        at = self.one_line(self.space(start + 1))
        while not self.text.startswith("}", at):
            at = self.one_line(self.space(self.entry(table, at)))
            if self.text.startswith(",", at):
                comma, at = at, self.one_line(self.space(at + 1))
                if self.text.startswith("}", at):
                    raise self.wrong(comma, "a comma before the closing brace", "not in TOML 1.0", "remove the comma")
            elif not self.text.startswith("}", at):
                raise self.wrong(
                    at, "an inline table is not closed, or lacks a comma", "expected `,` or `}`", began=start
                )
        self.ended(table.node, at + 1)
        table.origin = "inline"
        return table, at + 1

    def one_line(self, at: int) -> int:
        if self.text[at : at + 1] in ("\n", "\r", "#"):
            mend = "write it on one line, or as a `[table]`"
            raise self.wrong(at, "an inline table goes over more than one line", "not in TOML 1.0", mend)
        return at

    def string(self, at: int) -> tuple[Node, None, int]:
        end = self.string_end(at)
        node = self.rules.node("scalar", self.place(at, end), 0)
        self.scalars[node] = self.text[at:end]
        return node, None, end

    def string_end(self, at: int) -> int:
        for opening, pattern in _STRINGS:
            if self.text.startswith(opening, at):
                match = pattern.match(self.text, at)
                if match is None:
                    raise self.wrong(at, "a quote is never closed", "opened here", "close the quote")
                if opening[0] == '"' and "\\" in match[0]:
                    self.escapes(match[0], at)
                return match.end()
        return at

    def escapes(self, raw: str, at: int) -> None:
        for match in _ESCAPE.finditer(raw):
            if match[1]:
                start = at + match.start()
                mend = "double the backslash, or use single quotes"
                raise self.wrong(start, "an escape that TOML 1.0 does not know", "unknown escape", mend)

    def plain(self, at: int) -> tuple[Node | None, None, int]:
        match = _PLAIN.match(self.text, at)
        raw = match[0].rstrip(" \t") if match else ""
        if not raw:
            raise self.wrong(at, "a value is missing", "expected a value")
        end = at + len(raw)
        node = self.rules.node("scalar", self.place(at, end), 0)
        node.plain, node.text = True, raw
        if raw not in ("true", "false") and self.is_refused(raw, at, end):
            return None, None, end
        self.scalars[node] = raw
        return node, None, end

    def is_refused(self, raw: str, at: int, end: int) -> bool:
        """Report a value without quotes that is neither a boolean nor a number in 64 bits."""
        place = self.place(at, end)
        code = message = label = ""
        fix = self.reporter.replacement(place, f'"{raw}"', "quote it")
        if _DATE.match(raw):
            code, message, label = "ADK101", "dates and times are not used here", "a date or a time"
        elif raw in _NON_FINITE:
            self.reporter.add(
                "ADK012", place, "a number must be finite", label="not finite", help="write a finite number"
            )
            return True
        elif _LEADING_ZERO.match(raw) and _NUMBER.match(raw):
            code, message, label = "ADK010", "a leading zero is not allowed in a number", "begins with a zero"
        elif _NUMBER.match(raw):
            return self.is_too_large(raw, place)
        if not code:
            raise self.not_a_value(raw, at, place)
        self.reporter.add(code, place, message, label=label, help="quote it if it is text", fix=fix)
        return True

    def is_too_large(self, raw: str, place: Place) -> bool:
        digits = raw.replace("_", "").lstrip("+")
        if digits[:2] in ("0x", "0o", "0b"):
            # 64 bits take 16, 22 or 64 digits.
            large = int(digits, 0) > 2**63 - 1 if len(digits) <= 66 else True
            odd = ("ADK013", "a whole number must fit 64 bits", "write a smaller number") if large else None
        else:
            odd = suspicion(digits)
        if odd is not None:
            self.reporter.add(odd[0], place, odd[1], label="too large", help="write a smaller number")
        return odd is not None

    def not_a_value(self, raw: str, at: int, place: Place) -> Unreadable:
        if raw.lower() in ("null", "none", "nil"):
            return self.wrong(at, "TOML has no null", "no value", "leave the key out", end=at + len(raw))
        odd = suspicion(raw)
        if odd is not None and odd[0] == "ADK009":
            return self.wrong(at, "booleans are `true` and `false`", "no boolean", odd[2], end=at + len(raw))
        fix = None if "\\" in raw else self.reporter.replacement(place, f'"{raw}"', "quote it")
        return self.reporter.refuse("ADK004", place, "text has to stand in quotes", label="no value of TOML", fix=fix)

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
        text = self.text
        while at > 0 and text[at : at + 1] in ("", "\n", "\r"):
            at -= 1
        second = (self.place(began, began + 1), "opened here") if began is not None and began < at else None
        place = self.place(at, max(end or 0, min(at + 1, len(text))))
        return self.reporter.refuse("ADK004", place, message, label=label, second=second, help=mend)

    def space(self, at: int) -> int:
        match = _SPACE.match(self.text, at)
        return match.end() if match else at

    def gap(self, at: int) -> int:
        match = _GAP.match(self.text, at)
        return match.end() if match else at

    def ended(self, node: Node, end: int) -> Node:
        node.end_line = bisect_right(self.starts, end - 1)
        node.end_column = end - self.starts[node.end_line - 1] + 1
        return node

    def place(self, start: int, end: int) -> Place:
        line = bisect_right(self.starts, start)
        end_line = bisect_right(self.starts, max(end - 1, start))
        return line, start - self.starts[line - 1] + 1, end_line, end - self.starts[end_line - 1] + 1


def _unquoted(raw: str) -> str:
    if raw[0] == "'" or "\\" not in raw:
        return raw[1:-1]
    # Only a key with an escape needs it; the reader imports it in any case.
    import tomllib

    try:
        return str(tomllib.loads(f"k = {raw}")["k"])
    except tomllib.TOMLDecodeError:
        return raw[1:-1]
