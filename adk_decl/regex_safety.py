"""Which regular expressions of other people's schemas may run: those that can't take for ever.

Python's matcher backtracks. A repetition inside a repetition makes it exponential, so such patterns are refused, as
are back references, and patterns with many open repetitions. What is left is polynomial, and the text that is matched
is bounded.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from adk_decl.plan.limits import LIMITS

LONGEST_PATTERN = LIMITS["schema.pattern_characters"].default
LONGEST_TEXT = LIMITS["schema.pattern_text_characters"].default
"""Longer texts fit no pattern."""

_MOST_OPEN_REPETITIONS = 8
_BOUNDED = re.compile(r"\{([0-9]*)(,?)([0-9]*)\}")
_LARGEST_BOUND = 10_000

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
    """The search of a pattern that has no problem. `$` at its end means the end of the text."""
    if pattern.endswith("$") and not pattern.endswith("\\$"):
        pattern = pattern[:-1] + r"\Z"
    return re.compile(pattern).search


class _Scan:
    """One pass over a pattern that compiles, group by group."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.position = 0
        self.open_repetitions = 0

    def problem(self) -> str | None:
        try:
            self._group()
        except _Unsafe as unsafe:
            return str(unsafe)
        if self.open_repetitions > _MOST_OPEN_REPETITIONS:
            return f"a pattern has at most {_MOST_OPEN_REPETITIONS} repetitions without an upper bound"
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
            return True
        if inside:
            raise _Unsafe("a pattern may not repeat what repeats or branches itself")
        most = bounds[3] if bounds and bounds[2] else bounds[1] if bounds else ""
        if not most:
            self.open_repetitions += 1
        elif int(most) > _LARGEST_BOUND:
            raise _Unsafe(f"a pattern repeats at most {_LARGEST_BOUND} times")
        return bounds is None or bool(bounds[2])


class _Unsafe(Exception):
    """Why a pattern is refused."""
