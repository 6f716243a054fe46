"""How names from a file stand in messages: bounded, on one line, with everything invisible escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

_NAME_CHARACTERS = 80
_NAMES_LISTED = 8


def quote(name: str) -> str:
    """A name from a file in backticks, cut to 80 characters, invisible characters escaped."""
    cut = name if len(name) <= _NAME_CHARACTERS else name[: _NAME_CHARACTERS - 1] + "…"
    return f"`{printable(cut)}`"


def printable(text: str) -> str:
    """The text with every character that does not print, or that reorders text, written as an escape.

    Applied by the renderers to all that comes from a file, so that no file can write to a terminal.
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else _escape(c) for c in text)


def listed(names: Iterable[str]) -> str:
    """Up to eight names, comma separated, and how many more there are."""
    every: Sequence[str] = tuple(names)
    shown = ", ".join(printable(name[:_NAME_CHARACTERS]) for name in every[:_NAMES_LISTED])
    more = len(every) - _NAMES_LISTED
    return f"{shown} and {more} more" if more > 0 else shown


def counted(number: int, noun: str) -> str:
    """`1 error`, `2 errors`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _escape(character: str) -> str:
    number = ord(character)
    if number <= 0xFF:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number <= 0xFFFF else f"\\U{number:08x}"
