"""Which regular expressions of other people's schemas may run: those whose time is bounded.

Python's matcher backtracks. A repetition inside a repetition makes it exponential, so such patterns are refused, as
are back references. What is left is bounded by the length of the text: its degree is the number of open repetitions,
and each optional part or alternative doubles it; so the text is bounded too, and no match takes longer than about a
second.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from adk_decl.plan.limits import LIMITS

LONGEST_PATTERN = LIMITS["schema.pattern_characters"].default
LONGEST_TEXT = LIMITS["schema.pattern_text_characters"].default
"""Longer texts fit no pattern."""

_STEPS = 3e7
_MOST_OPEN_REPETITIONS = 6
_MOST_CHOICES = 16
_SMALL_BOUND = 4
_LARGEST_BOUND = 10_000
_BOUNDED = re.compile(r"\{([0-9]*)(,?)([0-9]*)\}")

Search = Callable[[str], "re.Match[str] | None"]


def pattern_problem(pattern: str) -> str | None:
    """Why a pattern may not be used, or None."""
    if len(pattern) > LONGEST_PATTERN:
        return f"a pattern has at most {LONGEST_PATTERN} characters"
    try:
        re.compile(pattern)
    except (re.error, RecursionError, OverflowError):
        return "the pattern is not a regular expression"
    return _Scan(pattern).problem()


def compile_safe(pattern: str) -> Search:
    """The search of a pattern that has no problem. `$` at its end means the end of the text.

    A text that is too long for the pattern does not match it.
    """
    longest = longest_text(pattern)
    search = compile_pattern(pattern)
    return lambda text: search(text) if len(text) <= longest else None


def compile_pattern(pattern: str) -> Search:
    """The search of a pattern of our own. `$` at its end means the end of the text, not "before a last line break"."""
    if pattern.endswith("$") and not pattern.endswith("\\$"):
        pattern = pattern[:-1] + r"\Z"
    return re.compile(pattern).search


def longest_text(pattern: str) -> int:
    """The length in characters of the longest text that a pattern without problems is matched with."""
    scan = _Scan(pattern)
    scan.problem()
    anchored = pattern.startswith("^") and "|" not in pattern
    degree = scan.open_repetitions + (0 if anchored else 1)
    steps = max(1.0, _STEPS / 2**scan.choices)
    return min(LONGEST_TEXT, int(steps ** (1 / max(1, degree))))


class _Scan:
    """One pass over a pattern that compiles, group by group."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.position = 0
        self.open_repetitions = 0
        self.choices = 0

    def problem(self) -> str | None:
        """Why the pattern is refused, or None."""
        try:
            self._group()
        except _Unsafe as unsafe:
            return str(unsafe)
        if self.open_repetitions > _MOST_OPEN_REPETITIONS:
            return f"a pattern has at most {_MOST_OPEN_REPETITIONS} repetitions without a small bound"
        if self.choices > _MOST_CHOICES:
            return f"a pattern has at most {_MOST_CHOICES} alternatives and optional parts"
        return None

    def _group(self) -> bool:
        """Read to the end of the group; whether anything in it repeats or branches."""
        varies = False
        while self.position < len(self.pattern):
            character = self.pattern[self.position]
            self.position += 1
            if character == ")":
                return varies
            inner = False
            if character == "|":
                varies = True
                self.choices += 1
                continue
            if character == "\\":
                self._escape()
            elif character == "[":
                self._set()
            elif character == "(":
                self._group_start()
                inner = self._group()
            varies |= inner | self._repetition(inside=inner)
        return varies

    def _escape(self) -> None:
        if self.position < len(self.pattern) and self.pattern[self.position] in "123456789":
            raise _Unsafe("a pattern may not refer back to a group")
        self.position += 1

    def _set(self) -> None:
        if self.pattern[self.position : self.position + 1] == "^":
            self.position += 1
        first = True
        while first or self.pattern[self.position] != "]":
            self.position += 2 if self.pattern[self.position] == "\\" else 1
            first = False
        self.position += 1

    def _group_start(self) -> None:
        if self.pattern[self.position : self.position + 1] != "?":
            return
        if self.pattern.startswith(("?:", "?=", "?!"), self.position):
            self.position += 2
        else:
            raise _Unsafe("a pattern may use no group other than (...), (?:...), (?=...) and (?!...)")

    def _repetition(self, *, inside: bool) -> bool:
        """Read a quantifier if there is one; whether there was. `inside` says that what it repeats varies itself."""
        character = self.pattern[self.position : self.position + 1]
        bounds = _BOUNDED.match(self.pattern, self.position) if character == "{" else None
        if character not in ("*", "+", "?") and bounds is None:
            return False
        self.position += len(bounds[0]) if bounds else 1
        if self.pattern[self.position : self.position + 1] in ("?", "+"):
            self.position += 1
        if character == "?":
            self.choices += 1
            return True
        if inside:
            raise _Unsafe("a pattern may not repeat what repeats or branches itself")
        return self._count(bounds)

    def _count(self, bounds: re.Match[str] | None) -> bool:
        """Count a repetition; whether its number varies."""
        most = "" if bounds is None else bounds[3] if bounds[2] else bounds[1]
        varies = bounds is None or bool(bounds[2])
        if most and int(most) > _LARGEST_BOUND:
            raise _Unsafe(f"a pattern repeats at most {_LARGEST_BOUND} times")
        if varies and most and int(most) <= _SMALL_BOUND:
            self.choices += 3
        elif varies:
            self.open_repetitions += 1
        return varies


class _Unsafe(Exception):
    """Why a pattern is refused."""
