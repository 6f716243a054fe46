from __future__ import annotations

import pytest

from adk_decl.diagnostics.codes import CODES
from adk_decl.diagnostics.pages import page

SECTIONS = ["## What", "## Why", "## Bad", "## Good", "## Mend"]


@pytest.mark.parametrize("code", CODES)
def test_each_code_has_a_page_of_one_layout(code: str) -> None:
    row = CODES[code]
    lines = page(code).splitlines()
    assert lines[0] == f"# {code} {row.slug}"
    assert lines[2] == f"**Severity** {row.severity}"
    assert [line for line in lines if line.startswith("## ")] == SECTIONS


def test_an_unknown_code_has_none() -> None:
    with pytest.raises(KeyError):
        page("ADK999")
