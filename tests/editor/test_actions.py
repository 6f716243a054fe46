"""Fixes as an editor offers them."""

from __future__ import annotations

from adk_decl.diagnostics.diagnostic import Applicability, Diagnostic, Edit, Fix, Span
from adk_decl.editor.actions import by_file, fix_all, quick_fixes


def _span(column: int, end: int, file: str = "m.yaml", line: int = 1) -> Span:
    return Span(file=file, line=line, column=column, end_line=line, end_column=end)


def _finding(span: Span, applicability: Applicability = "safe", *edits: Edit, title: str = "mend") -> Diagnostic:
    fix = Fix(title=title, applicability=applicability, edits=edits)
    return Diagnostic(code="ADK110", severity="error", message="wrong", span=span, fix=fix)


HERE = _span(5, 9)
EDIT = Edit(span=HERE, text="x")


def test_the_fixes_that_touch_the_range_safe_ones_first() -> None:
    unsafe = _finding(HERE, "unsafe", EDIT, title="guess")
    elsewhere = _finding(_span(5, 9, line=3), "safe", EDIT)
    other_file = _finding(_span(5, 9, "other.yaml"), "safe", EDIT)
    safe = _finding(HERE, "safe", EDIT)
    found = quick_fixes([unsafe, elsewhere, other_file, safe], "m.yaml", (1, 9), (1, 9))
    assert [(action.title, action.is_safe, action.finding) for action in found] == [
        ("mend", True, safe),
        ("guess (look at the result)", False, unsafe),
    ]


def test_a_fix_that_only_says_what_to_do_is_no_action() -> None:
    findings = [_finding(HERE, "display", EDIT), _finding(HERE, "safe"), _finding(HERE).replace(fix=None)]
    assert quick_fixes(findings, "m.yaml", (1, 1), (1, 99)) == []
    assert fix_all(findings, "m.yaml") is None


def test_all_safe_fixes_of_one_file_that_don_t_meet() -> None:
    second = Edit(span=_span(7, 12), text="y")
    third = Edit(span=_span(20, 21), text="z")
    abroad = Edit(span=_span(1, 2, "other.yaml"), text="w")
    findings = [
        _finding(HERE, "safe", EDIT),
        _finding(HERE, "safe", second),
        _finding(HERE, "unsafe", third),
        _finding(HERE, "safe", third, abroad),
        _finding(HERE, "safe", third),
    ]
    action = fix_all(findings, "m.yaml")
    assert action is not None
    assert action.edits == (EDIT, third)


def test_edits_by_file() -> None:
    abroad = Edit(span=_span(1, 2, "other.yaml"), text="w")
    assert by_file([EDIT, abroad, EDIT]) == {"m.yaml": [EDIT], "other.yaml": [abroad]}
