"""Findings about text that could not be parsed must not show what stands in `config`, an instruction or a secret.

There is no tree yet, so the keys around a place are guessed from indentation, table headers and the line itself.
The guess may mask too much, which costs a snippet its values; keys always stay.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from adk_decl.diagnostics.diagnostic import Diagnostic

PRIVATE_KEYS = frozenset(
    ("config", "instruction", "secret", "api_key", "headers", "authorization", "password", "token", "replies")
)
"""Keys whose values no finding shows where no schema has been asked."""

_KEY = re.compile(r"""[ \t]*(?:- +)*["']?([A-Za-z0-9_.-]+)["']? *[:=]""")
_KEY_INSIDE = re.compile(r"""["']?([A-Za-z0-9_-]+)["']? *[:=]""")
_HEADER = re.compile(r"""[ \t]*\[{1,2}([A-Za-z0-9_."' -]+)\]{1,2}[ \t]*(?:#.*)?\r?\Z""")
_FIXES_WITHOUT_VALUES = frozenset(("ADK003", "ADK014", "ADK019"))
_LINES_UP = 5000


def masked(findings: Sequence[Diagnostic], text: str) -> list[Diagnostic]:
    """The findings, with `mask_values` and the guessed path where a place lies inside something private.

    A fix that would repeat a value becomes its title.
    """
    if not any(word in text for word in PRIVATE_KEYS):
        return list(findings)
    lines = text.split("\n")
    return [_masked(finding, lines) for finding in findings]


def is_private(lines: Sequence[str], number: int) -> bool:
    """Whether a line, counted from 1, may hold a value that is not shown, by the same guess."""
    return not PRIVATE_KEYS.isdisjoint(_keys_around(lines, number - 1))


def _masked(finding: Diagnostic, lines: Sequence[str]) -> Diagnostic:
    spans = (finding.span, *(label.span for label in finding.labels))
    keys = [key for span in spans for key in _keys_around(lines, span.line - 1)]
    if PRIVATE_KEYS.isdisjoint(keys):
        # An indented line that is out of line tells nothing about where it belongs; the one above it may.
        indented = [span.line - 1 for span in spans if lines[span.line - 1][:1] in (" ", "\t")]
        above = [_line_above(lines, number) for number in indented]
        keys = [key for line in above for key in _keys_around(lines, line)]
    if PRIVATE_KEYS.isdisjoint(keys):
        return finding
    hidden = finding.replace(mask_values=True, path=tuple(dict.fromkeys(keys)))
    if finding.fix is None or finding.code in _FIXES_WITHOUT_VALUES:
        return hidden
    return hidden.replace(fix=None, help=finding.help or finding.fix.title)


def _line_above(lines: Sequence[str], number: int) -> int:
    """The nearest line above that holds more than a comment, or -1."""
    above = min(number, len(lines)) - 1
    while above >= 0 and (not lines[above].strip() or lines[above].lstrip().startswith("#")):
        above -= 1
    return above


def _keys_around(lines: Sequence[str], number: int) -> list[str]:
    """Keys on a line, those above it that are less indented, and those of the table header above it."""
    if not 0 <= number < len(lines):
        return []
    line = lines[number]
    # Of the words before a colon only the first is certainly a key: `x: a: b` has a value with a colon.
    first = _KEY.match(line)
    found = [*(first[1].split(".") if first else ()), *PRIVATE_KEYS.intersection(_KEY_INSIDE.findall(line))]
    indent = len(line) - len(line.lstrip())
    outer: list[str] = []
    for above in reversed(lines[max(0, number - _LINES_UP) : number]):
        if header := _HEADER.match(above):
            outer += [part.strip(" \"'") for part in reversed(header[1].split("."))]
            break
        depth = len(above) - len(above.lstrip())
        # A key as far out as a list item holds it; an unindented key holds only what is indented.
        if (depth < indent or (depth == indent and line.lstrip()[:1] == "-")) and (key := _KEY.match(above)):
            outer += reversed(key[1].split("."))
            indent, line = depth, above
    return [*reversed(outer), *found]
