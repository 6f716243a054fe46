"""Comments that silence warnings on their line."""

from __future__ import annotations

from pathlib import Path

import pytest

from adk_decl.compiler.suppressions import comments
from adk_decl.diagnostics.diagnostic import Diagnostic, DiagnosticBag
from adk_decl.diagnostics.edits import apply_edits
from adk_decl.syntax.read import Format, read_bytes
from tests.compiler.project import BASE, codes, compile_text

SPARE = "  spare: {use: scripted, config: {replies: [{text: Hello.}]}}"


def with_spare(comment: str) -> str:
    """A manifest with the warning ADK204 on one line, and a comment on that line."""
    return BASE.replace("agents:", f"{SPARE}{comment}\nagents:", 1)


def findings(folder: Path, text: str) -> list[Diagnostic]:
    return list(compile_text(folder, text).diagnostics)


def placed(text: str, format_name: Format) -> list[tuple[int, int, str]]:
    document = read_bytes(text.encode(), file="f", format=format_name, bag=DiagnosticBag())
    assert document is not None
    return [(comment.line, comment.column, comment.rest) for comment in comments(document)]


@pytest.mark.parametrize(
    "comment",
    [
        "  # adk: ignore[ADK204] for later",
        " #adk:ignore[ADK204] for later",
        "  # for later # adk: ignore [ ADK204 ] for later",
        "  # adk: ignore[ADK204] for later   ",
    ],
)
def test_a_warning_is_silenced_on_its_line(tmp_path: Path, comment: str) -> None:
    assert codes(compile_text(tmp_path, with_spare(""))) == ["ADK204"]
    result = compile_text(tmp_path, with_spare(comment))
    assert codes(result) == []
    assert result.plan is not None


def test_windows_line_ends(tmp_path: Path) -> None:
    assert findings(tmp_path, with_spare("  # adk: ignore[ADK204] for later").replace("\n", "\r\n")) == []


def test_other_lines_and_other_codes_stay(tmp_path: Path) -> None:
    text = with_spare("  # adk: ignore[ADK009] x") + "x-a: NO\n# adk: ignore[ADK204] x\n"
    assert codes(compile_text(tmp_path, text)) == ["ADK009", "ADK204", "ADK902", "ADK902"]


@pytest.mark.parametrize(
    ("comment", "message"),
    [
        ("# adk: ignore[ADK204]", "this comment gives no reason"),
        ("# adk: ignore[] why", "this comment names no code"),
        ("# adk: ignore[ADK204, ADK999] why", "there is no code `ADK999`"),
        ("# adk: ignore[ADK204, ADK110] why", "`ADK110` is an error, and errors can't be silenced"),
        ("# adk: ignore[ADK204, ADK902] why", "`ADK902` can't be silenced"),
        ("# adk: ignore ADK204 why", "this comment for adk-decl can't be understood"),
        ("# adk: disable", "this comment for adk-decl can't be understood"),
    ],
)
def test_a_comment_that_does_not_work_says_so(tmp_path: Path, comment: str, message: str) -> None:
    found = findings(tmp_path, with_spare(f"  {comment}"))
    told = [each for each in found if each.code == "ADK903"]
    assert [each.message for each in told] == [message]
    assert told[0].severity == "warning"
    line = with_spare(f"  {comment}").split("\n")[told[0].span.line - 1]
    assert line[told[0].span.column - 1 : told[0].span.end_column - 1] == comment


def test_the_codes_that_are_right_silence_although_the_comment_is_wrong(tmp_path: Path) -> None:
    assert codes(compile_text(tmp_path, with_spare("  # adk: ignore[ADK204]"))) == ["ADK903"]


def test_errors_are_never_silenced(tmp_path: Path) -> None:
    text = BASE.replace("{model: clerk}", "{modle: clerk}  # adk: ignore[ADK110] no")
    assert {"ADK110", "ADK903"} <= set(codes(compile_text(tmp_path, text)))


def test_an_unused_comment_is_removed_by_its_fix(tmp_path: Path) -> None:
    text = BASE.replace("{model: clerk}", "{model: clerk}   # adk: ignore[ADK204] x") + "  # adk: ignore[ADK404] y\n"
    found = findings(tmp_path, text)
    assert [each.code for each in found] == ["ADK902", "ADK902"]
    edits = [edit for each in found if each.fix and each.fix.applicability == "safe" for edit in each.fix.edits]
    assert apply_edits(text, edits) == BASE


def test_an_unused_code_is_taken_out_of_its_comment(tmp_path: Path) -> None:
    text = with_spare("  # adk: ignore[ADK404,ADK204] x")
    (found,) = findings(tmp_path, text)
    assert found.message == "there is no ADK404 on this line to silence"
    assert found.fix is not None
    assert apply_edits(text, found.fix.edits) == with_spare("  # adk: ignore[ADK204] x")


def test_nothing_is_called_unused_while_there_are_errors(tmp_path: Path) -> None:
    text = BASE.replace("{agent: support}", "{agent: nobody}  # adk: ignore[ADK404] x")
    assert "ADK902" not in codes(compile_text(tmp_path, text))


def test_text_that_looks_like_a_comment_is_text(tmp_path: Path) -> None:
    text = (
        'a: "x # adk: one"\n'
        "b: 'x # adk: two'\n"
        "c: |  # adk: three\n  x # adk: four\n  # adk: five\n"
        "d: x#adk:six\n"
        "e: [1, 2] # adk: seven\n"
        "f: >-\n  # adk: eight\n# adk: nine\n"
        '"g # adk: ten": 1\n'
    )
    assert [rest for _, _, rest in placed(text, "yaml")] == ["three", "seven", "nine"]


def test_comments_of_toml() -> None:
    text = (
        "# adk: one\n"
        "a = 'x # adk: two' # adk: three\n"
        'b = """\n# adk: four\n"""  # adk: five\n'
        "[t] # adk: six\n"
        "c = [1, # adk: seven\n  2]\n"
    )
    assert [rest for _, _, rest in placed(text, "toml")] == ["one", "three", "five", "six", "seven"]


def test_json_has_no_comments() -> None:
    assert placed('{"a": "# adk: x"}', "json") == []


def test_layers_silence_their_own_lines(tmp_path: Path) -> None:
    base = with_spare("  # adk: ignore[ADK204] for later") + "x-b: 1  # adk: ignore[ADK404] judged in its own file\n"
    child = "apiVersion: adk-decl/v1\nkind: Manifest\nextends: base.adk.yaml\nname: child\n"
    result = compile_text(tmp_path, child, {"base.adk.yaml": base})
    assert codes(result) == []
    assert codes(compile_text(tmp_path, base)) == ["ADK902"]
