"""The space behind a hash."""

from __future__ import annotations

import pytest

from adk_decl.syntax.comment_text import comment_text


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("#x", "# x"),
        ("# x", "# x"),
        ("#   x  ", "#   x"),
        ("#", "#"),
        ("#é", "# é"),
        ("#'x'", "# 'x'"),
        ("#- a: 1", "# - a: 1"),
        ("#!bin", "#!bin"),
        ("#:schema x", "#:schema x"),
        ("#####", "#####"),
        ("#=== x ===", "#=== x ==="),
    ],
)
def test_comment_text(source: str, expected: str) -> None:
    assert comment_text(source) == expected
    assert comment_text(expected) == expected
