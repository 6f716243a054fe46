"""Safe fixes on the examples of the corpus and on small manifests."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adk_decl.cli.mending import Mended, compile_as, mend
from adk_decl.compiler.compile import CompileResult, compile_file
from adk_decl.diagnostics.diagnostic import Diagnostic, Edit, Fix, Span
from adk_decl.plan.limits import LIMITS
from adk_decl.plan.record import FrozenMap
from tests.architecture.sources import CHECKOUT
from tests.compiler.project import BASE

EXAMPLES = sorted(
    path.relative_to(CHECKOUT).as_posix()
    for folder in ("invalid", "warned")
    for path in (CHECKOUT / "manifests" / folder).glob("ADK*")
)


def is_safe(finding: Diagnostic) -> bool:
    return finding.fix is not None and finding.fix.applicability == "safe" and bool(finding.fix.edits)


def mend_text(folder: Path, text: str | bytes, name: str = "m.adk.yaml") -> Mended:
    data = text if isinstance(text, bytes) else text.encode()
    return mend(data, compile_as(str(folder / name), project_root=None))


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_with_a_safe_fix_gets_better_and_keeps_its_other_bytes(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(CHECKOUT)
    before = compile_file(name)
    data = Path(name).read_bytes()
    mended = mend(data, compile_as(name, project_root=None))
    fixable = [d for d in before.diagnostics if is_safe(d) and d.fix and all(e.span.file == name for e in d.fix.edits)]
    if not fixable:
        assert mended.after == data
        return
    assert len(mended.result.diagnostics) < len(before.diagnostics)
    assert mended.mended
    touched = {line for d in fixable if d.fix for e in d.fix.edits for line in range(e.span.line, e.span.end_line + 1)}
    for number, (old, new) in enumerate(zip(data.split(b"\n"), mended.after.split(b"\n"), strict=True), start=1):
        assert old == new or number in touched
    assert mend(mended.after, compile_as(name, project_root=None)).after == mended.after


def test_comments_marks_and_line_ends_stay(tmp_path: Path) -> None:
    text = BASE.replace("{model: clerk}", "{modle: clerk}  # ünï 漢字") + "x-a: NO # why\n"
    data = b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode()
    mended = mend_text(tmp_path, data)
    expected = text.replace("modle", "model").replace(": NO #", ': "NO" #').replace("\n", "\r\n")
    assert mended.after == b"\xef\xbb\xbf" + expected.encode()
    assert mended.result.diagnostics == ()


def test_fixes_that_come_to_light_are_made_too(tmp_path: Path) -> None:
    mended = mend_text(tmp_path, BASE.replace("name: example", "name:example").replace("models:", "modls:"))
    assert mended.after.decode() == BASE
    assert [d.code for d in mended.mended] == ["ADK019", "ADK110"]


def test_a_key_is_renamed_although_its_value_is_wrong(tmp_path: Path) -> None:
    text = BASE.replace("{agent: support}", "{agent: support, limits: {run_timeout_mss: soon}}")
    mended = mend_text(tmp_path, text)
    assert mended.after.decode() == text.replace("_mss", "_ms")
    assert [d.code for d in mended.result.diagnostics] == ["ADK101"]


@pytest.mark.parametrize("limit", ["run_timeout_ms: 900000000s", "run_timeout_ms: 5s, max_model_calls: '0'"])
def test_a_wrong_value_does_not_become_another_wrong_value(tmp_path: Path, limit: str) -> None:
    text = BASE.replace("{agent: support}", f"{{agent: support, limits: {{{limit}}}}}")
    mended = mend_text(tmp_path, text)
    assert mended.after.decode() == text.replace("5s", "5000")
    assert len(mended.result.diagnostics) == 1


def test_syntax_errors_are_mended_one_after_the_other(tmp_path: Path) -> None:
    text = BASE.replace("name: example", "name:example").replace("apiVersion: ", "apiVersion:")
    assert mend_text(tmp_path, text).after.decode() == BASE


def test_comments_on_neighbouring_lines_are_removed(tmp_path: Path) -> None:
    text = BASE + "# adk: ignore[ADK009] a\n# adk: ignore[ADK009] b\nx-a: NO\n# adk: ignore[ADK009] c\n"
    assert mend_text(tmp_path, text).after.decode() == BASE + 'x-a: "NO"\n'


def test_toml_is_mended_as_well(tmp_path: Path) -> None:
    text = (
        'apiVersion = "adk-decl/v1" # v\nkind = "Manifest"\nname = "e"\n[models.clerk]\nuse = "scripted"\n'
        'config = {replies = [{text = "Hello."}]}\ntimeout_msec = "5s" # t\n'
        '[agents.support]\nmodel = "clerk"\n[runners.desk]\nagent = "support"\n'
    )
    mended = mend_text(tmp_path, text, "m.adk.toml")
    assert mended.after.decode() == text.replace('timeout_msec = "5s"', "timeout_ms = 5000")
    assert mended.result.diagnostics == ()


def test_what_is_not_safe_is_left_alone(tmp_path: Path) -> None:
    text = BASE.replace("models:", "model:")
    mended = mend_text(tmp_path, text)
    assert mended.after.decode() == text
    assert "unsafe" in {d.fix.applicability for d in mended.result.diagnostics if d.fix}


def fake(
    findings: Callable[[bytes], tuple[Diagnostic, ...]], *, readable: Callable[[bytes], bool] = bool
) -> Callable[[bytes], CompileResult]:
    def compile_bytes(data: bytes) -> CompileResult:
        kind = "Manifest" if readable(data) else None
        return CompileResult(file="f", plan=None, diagnostics=findings(data), sources=FrozenMap(), kind=kind)

    return compile_bytes


def finding(message: str, edit: tuple[int, int, str], *, file: str = "f") -> Diagnostic:
    start, end, text = edit
    span = Span(file=file, line=1, column=start + 1, end_line=1, end_column=end + 1)
    fix = Fix(title="t", applicability="safe", edits=(Edit(span=span, text=text),))
    return Diagnostic(code="ADK110", severity="error", message=message, span=span, fix=fix)


def test_an_edit_that_makes_the_file_worse_is_not_made() -> None:
    def findings(data: bytes) -> tuple[Diagnostic, ...]:
        if b"B" in data:
            return (finding("worse", (0, 0, "")), finding("and worse", (0, 0, "")))
        return (finding("lower case", (0, 1, "B")),)

    assert mend(b"b", fake(findings)).after == b"b"


def test_an_edit_that_makes_the_file_unreadable_is_not_made() -> None:
    result = mend(b"b", fake(lambda data: (finding("x", (0, 1, "")),) if data else (), readable=bool))
    assert result.after == b"b"


def test_of_several_fixes_those_that_help_are_made() -> None:
    def findings(data: bytes) -> tuple[Diagnostic, ...]:
        found = [finding("first", (0, 1, "A"))] if data.startswith(b"a") else []
        found += [finding("second", (1, 2, "B"))] if data[1:2] == b"b" else []
        return (*found, *(finding(f"new {n}", (0, 0, "")) for n in range(3))) if b"B" in data else tuple(found)

    assert mend(b"ab", fake(findings)).after == b"Ab"


def test_fixes_of_one_place_take_turns() -> None:
    def findings(data: bytes) -> tuple[Diagnostic, ...]:
        shorter = finding("m", (0, len(data), "x" * (len(data) - 1)))
        return tuple(shorter.replace(path=(len(data), n)) for n in range(len(data) - 1))

    assert mend(b"xxxx", fake(findings)).after == b"x"


def test_a_fix_in_another_file_is_left_to_that_file() -> None:
    result = mend(b"b", fake(lambda data: (finding("x", (0, 1, "B"), file="other"),)))
    assert result.after == b"b"


def test_fixes_that_never_end_end() -> None:
    calls = 0

    def findings(data: bytes) -> tuple[Diagnostic, ...]:
        nonlocal calls
        calls += 1
        return (finding("m", (0, 0, "x")).replace(path=(len(data),)),)

    assert len(mend(b"b", fake(findings)).after) == 1 + LIMITS["fix.rounds"].default
    assert calls <= 1 + LIMITS["fix.attempts"].default


def test_compile_as_reads_no_file(tmp_path: Path) -> None:
    place = tmp_path / "not-there.adk.yaml"
    assert compile_as(os.fspath(place), project_root=None)(BASE.encode()).diagnostics == ()


@settings(max_examples=60, deadline=None)
@given(
    edits=st.lists(
        st.tuples(st.integers(0, len(BASE)), st.integers(0, 4), st.text("ab:{}[],'\"# \n\té-5", max_size=3)), max_size=4
    )
)
def test_any_text_is_mended_without_harm(edits: list[tuple[int, int, str]]) -> None:
    text = BASE
    for start, length, new in edits:
        text = text[:start] + new + text[start + length :]
    compile_bytes = compile_as("nowhere/m.adk.yaml", project_root=None)
    before = compile_bytes(text.encode())
    mended = mend(text.encode(), compile_bytes)
    assert len(mended.result.diagnostics) <= len(before.diagnostics) or before.kind is None
    assert (mended.after == text.encode()) == (not mended.mended)
    if mended.result.kind is not None:
        assert compile_bytes(mended.after).diagnostics == mended.result.diagnostics
