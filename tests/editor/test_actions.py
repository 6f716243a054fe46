"""Fixes as an editor offers them."""

from __future__ import annotations

from pathlib import Path

from adk_decl.compiler.compile import compile_file
from adk_decl.diagnostics.diagnostic import Applicability, Diagnostic, Edit, Fix, Span
from adk_decl.diagnostics.edits import apply_edits
from adk_decl.editor.actions import Action, by_file, fix_all, quick_fixes, silences
from tests.compiler.project import BASE, write_files


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


SPARE = "tools:\n  spare: {use: 'python:own:find', description: x}\n"


def _silences(folder: Path, text: str, name: str = "m.adk.yaml") -> tuple[list[Action], str]:
    write_files(folder, {"own.py": "def find(order: str) -> str: ...\n", name: text})
    result = compile_file(str(folder / name))
    return silences(result.diagnostics, result.file, text, (1, 1), (999, 1)), result.file


def test_a_warning_is_silenced_by_a_comment(tmp_path: Path) -> None:
    text = f"{BASE}{SPARE}"
    (action,), _ = _silences(tmp_path, text)
    assert (action.title, action.is_safe) == ("silence ADK204 on this line", False)
    silenced = apply_edits(text, action.edits)
    assert "x}  # adk: ignore[ADK204] say why\n" in silenced
    (tmp_path / "m.adk.yaml").write_text(silenced)
    assert compile_file(str(tmp_path / "m.adk.yaml")).diagnostics == ()


def test_no_comment_where_it_would_be_text_or_stand_behind_another(tmp_path: Path) -> None:
    opened = SPARE.replace(
        "{use: 'python:own:find', description: x}", "\n    use: 'python:own:find'\n    description: x"
    )
    texts = [
        f"{BASE}tools: {{spare: {{use: 'python:own:find', description: \"x\n y\"}}}}\n",
        f"{BASE}{SPARE.replace('x}', 'x}  # a note')}",
    ]
    assert [_silences(tmp_path, text)[0] for text in texts] == [[], []]
    assert len(_silences(tmp_path, f"{BASE}{opened}")[0]) == 1


def test_errors_and_json_take_no_comment(tmp_path: Path) -> None:
    assert _silences(tmp_path, BASE.replace("model: clerk", "model: cleric"))[0] == []
    warning = Diagnostic(code="ADK204", severity="warning", message="x", span=_span(1, 2, "m.json"))
    assert silences([warning], "m.json", "{}", (1, 1), (1, 9)) == []
    about_comment = Diagnostic(code="ADK902", severity="warning", message="x", span=HERE)
    assert silences([about_comment], "m.yaml", "a: bcdefg", (1, 1), (1, 9)) == []
