"""The lines of a YAML block scalar, free of their indentation."""

from __future__ import annotations

import re
from typing import NamedTuple

_HEADER = re.compile(r"([|>][-+0-9]*)[ \t]*(#[^\n]*)?")


class BlockScalar(NamedTuple):
    """A block scalar of a text.

    `header` is its indicator with those for chomping and indentation, `step` the number of the latter or None,
    `comment` the comment behind it. `lines` are those of the content, without its indentation. `end` is the index
    of the line feed behind them, or the length of the text; `unfinished` says that content ends with the text.
    """

    header: str
    step: int | None
    comment: str
    lines: list[str]
    end: int
    unfinished: bool


def read_block_scalar(text: str, at: int, parent: int) -> BlockScalar:
    """The block scalar whose indicator stands at `at`, in a map or list that stands at column `parent` (from 0)."""
    match = _HEADER.match(text, at)
    assert match is not None
    header, comment = match[1], match[2] or ""
    step = next((int(c) for c in header if c.isdigit()), None)
    indent = None if step is None else max(parent, 0) + step
    lines: list[str] = []
    used, end = 0, match.end()
    position = end + 1
    while position < len(text):
        stop = text.find("\n", position)
        stop = len(text) if stop < 0 else stop
        line = text[position:stop]
        spaces = len(line) - len(line.lstrip(" "))
        if spaces < len(line):
            if indent is None:
                if spaces <= parent:
                    break
                indent = spaces
            if spaces < indent:
                break
        content = line[indent:] if indent is not None else ""
        lines.append(content)
        position = stop + 1
        if content:
            used, end = len(lines), stop
    if "+" in header:
        used, end = len(lines), position - 1
    return BlockScalar(header, step, comment, lines[:used], end, used > 0 and end == len(text))
