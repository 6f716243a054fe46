"""A scan over the lines of YAML before its parser: tabs, directives, depth and number of flow items.

It finds what the two backends of the parser read differently (tabs, directives) and refuses what would cost
them long. It is no parser: where it takes text for a quote or a bracket by mistake it finds less, never more;
exact depth and numbers are counted again on the parser's events.
"""

from __future__ import annotations

import re

from adk_decl.syntax.profile import Profile
from adk_decl.syntax.reporter import Reporter, Unreadable

_SPECIAL = frozenset("[]{},'\"#|>\t")
_TOKEN = re.compile(r"[\[\]{},'\"#|>\t]")
_BLOCK_HEADER = re.compile(r"[|>][-+0-9]* *(?:#.*)?\r?\Z")
_DOUBLE_END = re.compile(r'(?:[^"\\]|\\.)*"')
_SINGLE_END = re.compile(r"(?:[^']|'')*'(?!')")
_DASHES = re.compile(r" *(?:- +)*")
_LEADING_BLANKS = re.compile(r"(?m:(?<=[:?-] )|^)([ ]*[|>][-+]?[ ]*(?:#[^\n]*+)?\r?\n)((?:[ ]*+\r?\n)*+)")
_LOOK_BACK = 64
_BEFORE_TOKEN = frozenset(":-?,[{")


def scan(text: str, reporter: Reporter, profile: Profile) -> None:
    """Report tabs (ADK003), directives (ADK017) and flow collections beyond the limits (ADK016).

    Raises `Unreadable` when it reported anything.
    """
    _check_directives(text, reporter)
    opened = text.count("[") + text.count("{")
    separated = 2 * (text.count("\n") + text.count(","))
    if "\t" in text or opened > profile.depth or separated > profile.nodes:
        _Scan(reporter, profile).run(text)
    if reporter.found:
        raise Unreadable


def without_leading_blanks(text: str) -> str:
    """The text with spaces removed from the blank lines that directly follow the header of a block scalar.

    They mean nothing, but the pure parser refuses some of them. All other places stay as they are.
    """
    if "|" not in text and ">" not in text:
        return text
    return _LEADING_BLANKS.sub(lambda match: match[1] + match[2].replace(" ", ""), text)


def _check_directives(text: str, reporter: Reporter) -> None:
    if "%" not in text:
        return
    for number, line in enumerate(text.split("\n"), start=1):
        if line.startswith("%"):
            raise reporter.refuse(
                "ADK017",
                (number, 1, number, len(line.rstrip()) + 1),
                "YAML directives are not supported",
                label="a directive",
                help="remove the line; files are read as YAML 1.2",
            )
        if line.strip() and not line.lstrip().startswith("#"):
            return


class _Scan:
    """The state that goes from line to line."""

    def __init__(self, reporter: Reporter, profile: Profile) -> None:
        self.reporter = reporter
        self.profile = profile
        self.depth = 0
        self.items = 0
        self.quote = ""
        self.block: int | None = None
        """Indentation of the key that holds the block scalar we are in."""

    def run(self, text: str) -> None:
        if _SPECIAL.isdisjoint(text) and text.count("\n") < self.profile.nodes:
            return  # nothing that any rule is about, and at most one item a line
        for number, line in enumerate(text.split("\n"), start=1):
            if self.block is not None:
                content = line.strip()
                if not content or len(line) - len(line.lstrip(" ")) > self.block:
                    continue
                self.block = None
            if self.quote or not _SPECIAL.isdisjoint(line):
                self._line(line, number)
            elif ":" in line or "-" in line:
                self.items += 1
                if self.items > self.profile.nodes:
                    raise self._too_many(number)

    def _line(self, line: str, number: int) -> None:
        position = 0
        if self.quote:
            position = self._close_quote(line, 0)
        elif not self.depth and (":" in line or "-" in line):
            self._count(number)
        while position >= 0 and (match := _TOKEN.search(line, position)):
            position = self._token(line, match.start(), number)

    def _token(self, line: str, at: int, number: int) -> int:
        """Handle the special character at `at`; answers where to go on, or -1 when the line is done."""
        character = line[at]
        if character == "\t":
            return self._tab(line, at, number)
        if character == "#":
            return -1 if at == 0 or line[at - 1] in " \t" else at + 1
        if character in "'\"":
            if not self._starts_token(line, at):
                return at + 1
            self.quote = character
            return self._close_quote(line, at + 1)
        if character in "|>":
            if not self.depth and self._starts_token(line, at) and _BLOCK_HEADER.match(line, at):
                self.block = self._indent(line, at)
                return -1
            return at + 1
        self._bracket(character, line, at, number)
        return at + 1

    def _bracket(self, character: str, line: str, at: int, number: int) -> None:
        if character in "[{":
            if self.depth or self._starts_token(line, at):
                self.depth += 1
                if self.depth > self.profile.depth:
                    raise self.reporter.refuse(
                        "ADK016",
                        (number, at + 1, number, at + 2),
                        f"nesting is deeper than {self.profile.depth} levels",
                        label=f"level {self.depth}",
                    )
        elif self.depth:
            if character == ",":
                self._count(number)
            else:
                self.depth -= 1

    def _count(self, number: int) -> None:
        self.items += 1
        if self.items > self.profile.nodes:
            raise self._too_many(number)

    def _too_many(self, number: int) -> Unreadable:
        return self.reporter.refuse(
            "ADK016",
            (number, 1, number, 2),
            f"the file holds more than {self.profile.nodes} keys and values",
            label="the limit is reached here",
        )

    def _tab(self, line: str, at: int, number: int) -> int:
        end = at + 1
        while line[end : end + 1] == "\t":
            end += 1
        rest = line[end:].strip()
        indents = bool(rest) and not line[:at].strip()
        text = "  " * (end - at) if indents else " " if rest else ""
        place = (number, at + 1, number, end + 1)
        self.reporter.add(
            "ADK003",
            place,
            "a tab is used as indentation" if indents else "a tab is used as white space",
            label="a tab",
            help="use spaces; a tab may stand in quotes, blocks and comments",
            fix=self.reporter.replacement(place, text, "replace the tab with spaces", "unsafe" if indents else "safe"),
        )
        return end

    def _close_quote(self, line: str, position: int) -> int:
        """Where the line goes on after the end of the open quote, or -1 when it does not end in this line."""
        match = (_DOUBLE_END if self.quote == '"' else _SINGLE_END).match(line, position)
        if match is None:
            return -1
        self.quote = ""
        return match.end()

    def _starts_token(self, line: str, at: int) -> bool:
        before = line[max(0, at - _LOOK_BACK) : at].rstrip(" \t")
        if not before or before[-1] in _BEFORE_TOKEN:
            return True
        last = before.rsplit(None, 1)[-1]
        return last[0] in "!&" or before == "---"

    def _indent(self, line: str, at: int) -> int:
        """The indentation that the lines of a block scalar, whose header stands at `at`, must exceed."""
        dashes = _DASHES.match(line)
        key = dashes.end() if dashes else 0
        if line.startswith("---"):
            return -1
        return line.rfind("-", 0, at) if key == at and key else key if key < at else -1
