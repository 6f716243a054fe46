"""Where the cursor is: which part of the manifest a text that is being written belongs to.

The text need not parse, so this looks at indentation, brackets and headers, and never at the tree.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from adk_decl.plan.limits import LIMITS
from adk_decl.syntax.document import Path
from adk_decl.syntax.read import Format

Role = Literal["key", "value", "either", "header"]

_LONGEST_LINE = LIMITS["read.line_characters"].default
_MOST_CHARACTERS = LIMITS["read.manifest_bytes"].default


class Place(NamedTuple):
    """What can be written at the cursor.

    `role` `key`: a key of the map at `path`. `value`: the value at `path`. `either`: the value at `path`, which may
    be a map or a list that begins here. `header`: the last part of a TOML table name, below `path`.
    `start` and `end` are the columns from 0 of the word that the cursor is in; `word` is its part before the cursor.
    `quote` is the quote that the word has open. `in_flow` says whether brackets are open around it.
    """

    path: Path
    role: Role
    word: str
    start: int
    end: int
    quote: str = ""
    in_flow: bool = False


def place_at(text: str, format: Format, line: int, column: int) -> Place | None:  # noqa: A002
    """The place at a line and column from 1; None in comments, in long texts, and where nothing can be said."""
    if len(text) > _MOST_CHARACTERS:
        return None
    lines = [each.removesuffix("\r") for each in text.split("\n")]
    row = line - 1
    if not 0 <= row < len(lines) or max(map(len, lines)) > _LONGEST_LINE:
        return None
    if format == "toml":
        from adk_decl.editor.toml_place import toml_place

        return toml_place(lines, row, column - 1)
    from adk_decl.editor.yaml_place import yaml_place

    return yaml_place(lines, row, column - 1)


def word_end(line: str, column: int, quote: str = "") -> int:
    """Where the word that goes on at a column ends: at its quote, else at a space or a sign of the syntax."""
    if quote:
        end = line.find(quote, column)
        return end if end >= 0 else len(line)
    end = column
    while end < len(line) and not line[end].isspace() and line[end] not in ",[]{}#\"'=":
        if line[end] == ":" and line[end + 1 : end + 2] in ("", " "):
            break
        end += 1
    return end
