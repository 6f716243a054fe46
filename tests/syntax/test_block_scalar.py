"""The lines of a block scalar and where it ends."""

from __future__ import annotations

import pytest

from adk_decl.syntax.block_scalar import BlockScalar, read_block_scalar


@pytest.mark.parametrize(
    ("text", "parent", "expected"),
    [
        ("|\n  x\n   y\nb:", 0, BlockScalar("|", None, "", ["x", " y"], 10, False)),
        ("|  # c\n  x\n# d\n", 0, BlockScalar("|", None, "# c", ["x"], 10, False)),
        (">-\n  x", 0, BlockScalar(">-", None, "", ["x"], 6, True)),
        ("|2\n    x\n\n\n", 0, BlockScalar("|2", 2, "", ["  x"], 8, False)),
        ("|+\n  x\n\n\nb:", 0, BlockScalar("|+", None, "", ["x", "", ""], 8, False)),
        ("|\n  x\n     \n \n", 0, BlockScalar("|", None, "", ["x", "   "], 11, False)),
        ("|\n\n\n  x\n", 0, BlockScalar("|", None, "", ["", "", "x"], 7, False)),
        ("|\nb:", 0, BlockScalar("|", None, "", [], 1, False)),
        ("|\n\n\n", 0, BlockScalar("|", None, "", [], 1, False)),
        ("|", 0, BlockScalar("|", None, "", [], 1, False)),
        ("|1\n     x\n", 4, BlockScalar("|1", 1, "", ["x"], 9, False)),
    ],
)
def test_read_block_scalar(text: str, parent: int, expected: BlockScalar) -> None:
    assert read_block_scalar(text, 0, parent) == expected
