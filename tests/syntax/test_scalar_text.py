from __future__ import annotations

import pytest

from adk_decl.syntax.scalar_text import scalar_text


@pytest.mark.parametrize(
    ("text", "plain", "written"),
    [
        ("fast", True, "fast"),
        ("adk-decl/v1", True, "adk-decl/v1"),
        ("fast", False, '"fast"'),
        ("true", True, '"true"'),
        ("on", True, '"on"'),
        ("12", True, '"12"'),
        ("a: b", True, '"a: b"'),
        ("é", True, '"é"'),
        ("", True, '""'),
    ],
)
def test_written(text: str, written: str, *, plain: bool) -> None:
    assert scalar_text(text, plain=plain) == written
