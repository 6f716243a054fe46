from __future__ import annotations

from adk_decl.diagnostics.wording import counted, listed, printable, quote


def test_invisible_characters_are_escaped() -> None:
    assert quote("timeout_ms\xa0") == "`timeout_ms\\xa0`"
    assert printable("a\u200bb\x1b[31m\u202e\U000e0001") == "a\\u200bb\\x1b[31m\\u202e\\U000e0001"
    assert printable("é😀漢") == "é😀漢"


def test_long_names_are_cut() -> None:
    assert len(quote("x" * 10_000)) == 82


def test_lists_name_eight_and_count_the_rest() -> None:
    assert listed("abc") == "a, b, c"
    assert listed(str(n) for n in range(10)) == "0, 1, 2, 3, 4, 5, 6, 7 and 2 more"


def test_counted() -> None:
    assert (counted(0, "error"), counted(1, "error"), counted(2, "error")) == ("0 errors", "1 error", "2 errors")
