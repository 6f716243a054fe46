"""Which line of YAML is to blame when the parser stops: often not the one where it noticed.

Guesses from indentation and quotes alone, in the order of how sure they are. A wrong guess costs a finding on a
line near by, never another verdict.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_QUOTED = re.compile(r"""(?m)(?:^ *|[:?,{\[-] +|[{\[])("(?:[^"\\]|\\.)*"|'(?:[^']|'')*')""", re.S)
_DASH_WITHOUT_SPACE = re.compile(r"-[A-Za-z_\"'{\[]")
_LINES_UP = 50


class Line(NamedTuple):
    """A line that holds more than a comment: where its text begins, how far it is indented, what it says."""

    start: int
    indent: int
    text: str

    @property
    def opens_block(self) -> bool:
        """Whether lines that belong to this one have to follow."""
        return self.text.endswith(":")

    @property
    def is_entry(self) -> bool:
        """Whether the line holds a key with its colon."""
        return self.opens_block or ": " in self.text


class Neighbours(NamedTuple):
    """The line where the parser stopped, and the lines above it, the nearest first."""

    line: Line
    above: tuple[Line, ...]
    unit: int
    """By how much this file indents, as far as can be told."""


def neighbours(text: str, at: int) -> Neighbours:
    """The line of an index and those above that hold more than a comment."""
    end = text.find("\n", at)
    lines = _code_lines(text[: end if end >= 0 else len(text)])
    indented = [line.indent for line in lines[:-1] if line.indent]
    return Neighbours(lines[-1] if lines else Line(at, 0, ""), tuple(lines[-2::-1]), min(indented, default=2))


def unclosed_quote(text: str, at: int) -> int:
    """The index of a quote that closes only in a later line, the one where the parser stopped; or -1."""
    line = text.rfind("\n", 0, at) + 1
    for match in _QUOTED.finditer(text):
        start, end = match.span(1)
        if start >= line:
            break
        if line < end <= at:
            return start
    return -1


def end_of_flow(text: str, began: int, at: int) -> int:
    """The index of the last character of a list or map whose bracket is missing, or -1 when it goes on to `at`.

    It does not go on in a line that is indented no more than the one with the bracket.
    """
    opening = _line_of(text, began)
    most = opening.indent + _dashes(opening.text)
    end = text.find("\n", at)
    last = Line(0, 0, " ")
    for line in _code_lines(text[began : end if end >= 0 else len(text)]):
        if line.start and line.indent <= most and line.text[0] not in "]}":
            return began + last.start + len(last.text) - 1
        last = line
    return -1


def odd_line(found: Neighbours) -> Line | None:
    """The line above that is out of line with its neighbours, when that explains why the parser stopped below."""
    if not found.above:
        return None
    line, above = found.line, found.above[0]
    if not above.is_entry:
        return None
    before = found.above[1] if len(found.above) > 1 else None
    if above.indent > line.indent:
        return above if _is_indented_too_far(above, line, before, found.unit) else None
    if before is None or above.indent == line.indent:
        return None
    if above.opens_block:
        return None
    if before.opens_block:
        deeper = above.indent - before.indent
        return above if deeper <= 0 or deeper != found.unit == line.indent - before.indent else None
    is_gap = next((one.indent == line.indent for one in found.above[1:] if one.indent <= line.indent), False)
    return above if is_gap else None


def line_without_colon(found: Neighbours) -> Line | None:
    """The line above, when it stands where a key has to stand and has no colon."""
    if not found.above:
        return None
    line, above = found.line, found.above[0]
    if above.is_entry or above.indent != line.indent or above.text.startswith("- "):
        return None
    before = found.above[1] if len(found.above) > 1 else None
    return above if before is None or (before.opens_block and before.indent < above.indent) else None


def dash_without_space(found: Neighbours) -> Line | None:
    """The nearest line around that begins with a dash and no space."""
    least = found.line.indent
    for line in (found.line, *found.above[:_LINES_UP]):
        if line.indent <= least and _DASH_WITHOUT_SPACE.match(line.text):
            return line
        least = min(least, line.indent)
    return None


def _is_indented_too_far(above: Line, line: Line, before: Line | None, unit: int) -> bool:
    if before is None:
        return line.indent == 0
    return before.opens_block and above.indent - before.indent != unit == line.indent - before.indent


def _code_lines(text: str) -> list[Line]:
    lines = []
    start = 0
    for line in text.split("\n"):
        content = line.strip()
        if content and not content.startswith("#"):
            indent = len(line) - len(line.lstrip(" "))
            lines.append(Line(start + indent, indent, content.partition(" #")[0].rstrip()))
        start += len(line) + 1
    return lines


def _line_of(text: str, at: int) -> Line:
    start = text.rfind("\n", 0, at) + 1
    end = text.find("\n", at)
    line = text[start : end if end >= 0 else len(text)]
    indent = len(line) - len(line.lstrip(" "))
    return Line(start + indent, indent, line.strip())


def _dashes(text: str) -> int:
    """How far dashes at its beginning move a line to the right."""
    return len(text) - len(text.lstrip("- "))
