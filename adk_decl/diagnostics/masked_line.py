"""A line that shows keys and brackets, and `…` for every value.

A word is shown when it is certainly a key: one of the given keys or the one pointed at, in front of a colon or an
equals sign; or a word where a key has to stand, on a line that does not begin inside a quote. In doubt it is hidden.
"""

from __future__ import annotations

import re

from adk_decl.diagnostics.wording import printable

_MASK = "…"
_TAB = "    "
_WORD = re.compile(r"""\"(?:[^"\\]|\\.)*"|'[^']*'|[^\s\[\]{},:=#"']+|.""")
_STRUCTURE = frozenset("[]{},:=|>-")
_BEHIND_KEY = (":", "=")
_BEHIND_SURE_KEY = (": ", "=", ":\t")


def masked_cells(line: str, start: int, end: int, keys: frozenset[str]) -> list[str]:
    """One cell for each character: a value is `…` in the cell of its first character and nothing in the others.

    `start` and `end` (from 0, exclusive) are what the finding points at, `keys` what is known to be a key.
    """
    state = _State(line, start, end, keys)
    cells = [""] * len(line)
    hidden = False
    gap: list[int] = []
    for match in _WORD.finditer(line):
        word, at = match[0], match.start()
        if word.isspace():
            gap.append(at)
            continue
        shown = state.shows(match)
        if shown or not hidden:
            for index in gap:
                cells[index] = _TAB if line[index] == "\t" else " "
        gap.clear()
        if shown:
            cells[at : match.end()] = [printable(c) for c in word]
        elif not hidden:
            cells[at] = _MASK
        hidden = not shown
    return cells


class _State:
    """What the words so far say about the next one."""

    def __init__(self, line: str, start: int, end: int, keys: frozenset[str]) -> None:
        self.line = line
        self.pointed = (start, end)
        self.keys = keys
        before = line[:start]
        # An odd number of quotes: the line begins inside a text that an earlier line opened.
        self.certain = before.count('"') % 2 == 0 and before.count("'") % 2 == 0
        self.depth = 0
        self.key_may_stand = True
        self.value_may_stand = True

    def shows(self, match: re.Match[str]) -> bool:
        """Whether a word is shown; takes note of it."""
        word = match[0]
        if word in _STRUCTURE:
            self._structure(word)
            return True
        if word in "\"'#":
            # A quote that is not closed in this line, or a comment: what follows is text.
            self.certain = False
        rest = self.line[match.end() :].lstrip()
        known = rest.startswith(_BEHIND_KEY) and (match.span() == self.pointed or self._is_given(word))
        # The header of a TOML table: `[plugins.log]`.
        known = known or (rest[:1] == "]" and self.line.startswith("[") and self._is_given(word))
        sure = self.certain and self.key_may_stand and (rest + " ").startswith(_BEHIND_SURE_KEY)
        self.key_may_stand = self.value_may_stand = False
        return known or sure

    def _structure(self, sign: str) -> None:
        if sign in "[{":
            if self.depth or self.value_may_stand:
                self.depth += 1
                self.key_may_stand = self.value_may_stand = True
        elif sign in "]}":
            self.depth = max(0, self.depth - 1)
            self.key_may_stand = self.value_may_stand = False
        elif sign == ",":
            self.key_may_stand = self.value_may_stand = self.depth > 0
        elif sign in ":=":
            self.key_may_stand, self.value_may_stand = False, True

    def _is_given(self, word: str) -> bool:
        bare = word.strip("\"'")
        return bare in self.keys or all(part in self.keys for part in bare.split("."))
