from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adk_decl.diagnostics.diagnostic import Edit, Span
from adk_decl.diagnostics.edits import OverlappingEdits, apply_edits, line_starts, offset, without_overlaps


def edit(line: int, column: int, end_line: int, end_column: int, text: str, file: str = "f") -> Edit:
    span = Span(file=file, line=line, column=column, end_line=end_line, end_column=end_column)
    return Edit(span=span, text=text)


def place(text: str, at: int) -> tuple[int, int]:
    return text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)


@pytest.mark.parametrize(
    ("edits", "expected"),
    [
        ([], "ab\ncd\n"),
        ([edit(1, 1, 1, 3, "X")], "X\ncd\n"),
        ([edit(2, 1, 2, 1, "X")], "ab\nXcd\n"),
        ([edit(1, 3, 2, 1, "")], "abcd\n"),
        ([edit(3, 1, 3, 1, "end")], "ab\ncd\nend"),
        ([edit(2, 3, 2, 3, "!"), edit(1, 1, 1, 2, "")], "b\ncd!\n"),
        ([edit(1, 1, 1, 2, "X"), edit(1, 1, 1, 2, "X")], "Xb\ncd\n"),
        ([edit(1, 1, 1, 2, "X"), edit(1, 2, 1, 3, "Y")], "XY\ncd\n"),
    ],
)
def test_edits_refer_to_the_text_as_given(edits: list[Edit], expected: str) -> None:
    assert apply_edits("ab\ncd\n", edits) == expected


@pytest.mark.parametrize(
    "edits",
    [
        [edit(1, 1, 1, 3, "X"), edit(1, 2, 1, 3, "Y")],
        [edit(1, 1, 1, 1, "X"), edit(1, 1, 1, 1, "Y")],
        [edit(1, 1, 1, 1, "X"), edit(1, 1, 1, 2, "Y")],
        [edit(1, 1, 2, 2, ""), edit(2, 1, 2, 1, "Y")],
    ],
)
def test_edits_of_the_same_text_are_refused(edits: list[Edit]) -> None:
    with pytest.raises(OverlappingEdits):
        apply_edits("ab\ncd\n", edits)
    assert without_overlaps([one] for one in edits) == edits[:1]


@pytest.mark.parametrize("span", [(9, 1, 9, 1), (1, 9, 1, 9), (0, 1, 1, 1), (1, 0, 1, 1), (1, 2, 1, 1)])
def test_places_outside_the_text_are_refused(span: tuple[int, int, int, int]) -> None:
    with pytest.raises(ValueError, match=r"."):
        apply_edits("ab\ncd\n", [edit(*span, "X")])


def test_new_lines_take_the_line_ends_of_the_text() -> None:
    assert apply_edits("a\r\nb\r\n", [edit(2, 1, 2, 1, "x\ny\r\n")]) == "a\r\nx\r\ny\r\nb\r\n"
    assert apply_edits("a\r\nb\r\n", [edit(1, 2, 1, 2, "!")]) == "a!\r\nb\r\n"


def test_a_group_is_left_out_whole() -> None:
    first, second, far = edit(1, 1, 1, 2, "X"), edit(1, 1, 1, 3, "Y"), edit(2, 1, 2, 2, "Z")
    assert without_overlaps([[first], [second, far]]) == [first]
    assert without_overlaps([[first], [far], [first]]) == [first, far]
    other = edit(1, 1, 1, 2, "X", file="g")
    assert without_overlaps([[first], [other]]) == [first, other]


@given(st.text("ab\né漢\r"), st.data())
def test_an_edit_changes_its_stretch_and_nothing_else(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    made = edit(*place(text, start), *place(text, end), "new")
    assert apply_edits(text, [made]) == text[:start] + "new" + text[end:]
    assert offset(line_starts(text), text, *place(text, start)) == start
