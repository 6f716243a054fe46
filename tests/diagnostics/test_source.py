from __future__ import annotations

import pytest

from adk_decl.diagnostics.source import Source, excerpt


def test_lines_are_counted_from_one() -> None:
    source = Source("a\r\nb\n")
    assert [source.line(n) for n in (0, 1, 2, 3, 4)] == [None, "a", "b", "", None]


@pytest.mark.parametrize(
    ("line", "start", "end", "text", "column", "width"),
    [
        ("name: x", 6, 7, "name: x", 6, 1),
        ("\tname: x", 1, 5, "    name: x", 4, 4),
        ("漢字: x", 4, 5, "漢字: x", 6, 1),
        ("漢字: x", 0, 2, "漢字: x", 0, 4),
        ("e\u0301: x", 4, 5, "e\\u0301: x" if not "\u0301".isprintable() else "e\u0301: x", 3, 1),
        ("a\x1b[31m: x", 0, 1, "a\\x1b[31m: x", 0, 1),
        ("a\u202eb: x", 0, 3, "a\\u202eb: x", 0, 8),
        ("", 0, 0, "", 0, 1),
        ("ab", 2, 2, "ab", 2, 1),
    ],
)
def test_excerpt(line: str, start: int, end: int, text: str, column: int, width: int) -> None:
    shown = excerpt(line, start, end)
    assert (shown.text, shown.start, shown.width) == (text, column, width)


def test_long_lines_are_cut_around_the_place() -> None:
    line = "x" * 5000 + "HERE" + "y" * 5000
    shown = excerpt(line, 5000, 5004)
    assert len(shown.text) == 162
    assert shown.text[shown.start : shown.start + shown.width] == "HERE"
    assert shown.text[0] == shown.text[-1] == "…"


def test_a_stretch_longer_than_the_window_is_cut() -> None:
    shown = excerpt("x" * 5000, 0, 5000)
    assert shown.width == 160
