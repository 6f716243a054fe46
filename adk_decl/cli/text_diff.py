"""The difference of two texts of a manifest, with the values of private lines masked."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from difflib import SequenceMatcher

from adk_decl.diagnostics.masked_line import masked_cells
from adk_decl.diagnostics.wording import printable
from adk_decl.syntax.masking import is_private

_CONTEXT = 3
_PAINT = {"+": "\x1b[32m", "-": "\x1b[31m", "@": "\x1b[36m"}


def unified_diff(name: str, before: str, after: str, *, hidden: Collection[int] = (), color: bool = False) -> str:
    """A unified diff with three lines around each change; empty when the texts are equal.

    `name` is the file in its head. Lines that lie in `config`, an instruction or a secret show keys only, and so do
    the lines `hidden`, counted from 1 in `before`, and what replaces them. What does not print is escaped.
    """
    old, new = _lines(before), _lines(after)
    groups = list(SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(_CONTEXT))
    if not groups:
        return ""
    head = [f"--- {printable(name)}", f"+++ {printable(name)}"]
    body = [line for group in groups for line in _hunk(group, old, new, hidden)]
    return "".join(f"{_painted(line, color=color)}\n" for line in (*head, *body))


def _lines(text: str) -> list[str]:
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return lines


def _hunk(
    group: list[tuple[str, int, int, int, int]], old: list[str], new: list[str], hidden: Collection[int]
) -> Iterator[str]:
    yield f"@@ -{_stretch(group[0][1], group[-1][2])} +{_stretch(group[0][3], group[-1][4])} @@"
    for tag, start, end, new_start, new_end in group:
        secret = any(number in hidden for number in range(start + 1, end + 1))
        sign = " " if tag == "equal" else "-"
        for index in range(start, end):
            yield sign + _shown(old, index, hide=index + 1 in hidden)
        if tag != "equal":
            for index in range(new_start, new_end):
                yield "+" + _shown(new, index, hide=secret)


def _stretch(start: int, end: int) -> str:
    length = end - start
    return f"{start + 1 if length else start},{length}"


def _shown(lines: list[str], index: int, *, hide: bool) -> str:
    line = lines[index].rstrip("\r")
    if hide or is_private(lines, index + 1):
        return "".join(masked_cells(line, 0, 0, frozenset()))
    return "".join(c if c == "\t" else printable(c) for c in line)


def _painted(line: str, *, color: bool) -> str:
    paint = _PAINT.get(line[:1]) if color else None
    return f"{paint}{line}\x1b[0m" if paint else line
