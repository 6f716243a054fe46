"""Columns of code points and positions of editors, both ways."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adk_decl.diagnostics.diagnostic import Span
from adk_decl.editor.positions import Encoding, Lines, Position, Range, units

ENCODINGS: list[Encoding] = ["utf-8", "utf-16", "utf-32"]
TEXT = st.text(st.sampled_from("aé€😀𝔘\u0301\n\r\t\U0010ffff"), max_size=60)


@pytest.mark.parametrize(("encoding", "character"), [("utf-8", 5), ("utf-16", 3), ("utf-32", 2)])
def test_a_character_beyond_the_first_plane_counts_as_the_encoding_counts(encoding: Encoding, character: int) -> None:
    lines = Lines("a😀b", encoding)
    assert lines.position(1, 3) == Position(0, character)
    assert lines.place(Position(0, character)) == (1, 3)


def test_a_position_inside_a_character_is_its_start() -> None:
    assert Lines("a😀b").place(Position(0, 2)) == (1, 2)


@pytest.mark.parametrize(
    ("position", "place"),
    [((9, 0), (2, 3)), ((0, 99), (1, 3)), ((-1, 0), (1, 1)), ((0, -5), (1, 1)), ((1, 2), (2, 3))],
)
def test_what_lies_outside_is_moved_inside(position: tuple[int, int], place: tuple[int, int]) -> None:
    assert Lines("ab\r\ncd").place(Position(*position)) == place


def test_a_span_over_lines() -> None:
    span = Span(file="f", line=1, column=2, end_line=2, end_column=99)
    assert Lines("😀x\r\n😀").range(span) == Range(Position(0, 2), Position(1, 2))


@given(TEXT, st.sampled_from(ENCODINGS), st.data())
def test_every_place_comes_back(text: str, encoding: Encoding, data: st.DataObject) -> None:
    lines = Lines(text, encoding)
    line = data.draw(st.integers(1, len(lines)))
    column = data.draw(st.integers(1, len(lines.line(line - 1)) + 1))
    position = lines.position(line, column)
    assert lines.place(position) == (line, column)
    if encoding != "utf-32":
        sizes = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2)}[encoding]
        assert position.character == len(lines.line(line - 1)[: column - 1].encode(sizes[0])) // sizes[1]


@given(TEXT, st.sampled_from(ENCODINGS), st.integers(-5, 90), st.integers(-5, 90))
def test_any_position_gives_a_place_in_the_text(text: str, encoding: Encoding, line: int, character: int) -> None:
    lines = Lines(text, encoding)
    row, column = lines.place(Position(line, character))
    assert 1 <= row <= len(lines)
    assert 1 <= column <= len(lines.line(row - 1)) + 1


def test_a_lone_surrogate_is_counted() -> None:
    assert [units("\ud800a", encoding) for encoding in ENCODINGS] == [4, 2, 2]
