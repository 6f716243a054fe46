"""The command `fmt`: files, stdin, exit codes."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from adk_decl.cli.exit_codes import ANSWER_IS_NO, DONE, FAILED
from adk_decl.cli.main import main
from tests.cli.test_formatting import MESSY
from tests.cli.test_validate import VALID

Captured = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "good.adk.yaml").write_text(VALID, encoding="utf-8")
    (tmp_path / "messy.adk.yaml").write_text(MESSY, encoding="utf-8")
    (tmp_path / "data.evalset.json").write_text("{}", encoding="utf-8")
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def stdin(monkeypatch: pytest.MonkeyPatch) -> io.BytesIO:
    stream = io.BytesIO()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(stream))
    return stream


def test_files_are_written(capsys: Captured) -> None:
    assert main(["fmt"]) == DONE
    out, err = capsys.readouterr()
    assert (out, err) == ("", "formatted messy.adk.yaml\n1 formatted, 1 unchanged\n")
    assert Path("messy.adk.yaml").read_text() == VALID


def test_check_says_no(capsys: Captured) -> None:
    assert main(["fmt", "--check", "."]) == ANSWER_IS_NO
    assert capsys.readouterr().err == "would format messy.adk.yaml\n1 to format, 1 unchanged\n"
    assert Path("messy.adk.yaml").read_text() == MESSY
    assert main(["fmt", "--check", "good.adk.yaml"]) == DONE


@pytest.mark.parametrize(("options", "code"), [(["--diff"], DONE), (["--diff", "--check"], ANSWER_IS_NO)])
def test_diff_writes_nothing(options: list[str], code: int, capsys: Captured) -> None:
    assert main(["fmt", *options, "messy.adk.yaml"]) == code
    out = capsys.readouterr().out
    assert out.startswith("--- messy.adk.yaml\n+++ messy.adk.yaml\n@@ ")
    assert Path("messy.adk.yaml").read_text() == MESSY


def test_a_file_that_can_not_be_read_is_1_and_the_rest_is_done(capsys: Captured) -> None:
    Path("bad.adk.yaml").write_text("a: [\n", encoding="utf-8")
    assert main(["fmt", "--check", "."]) == FAILED
    err = capsys.readouterr().err
    assert "error[ADK004]" in err
    assert "would format messy.adk.yaml" in err


def test_json_has_no_layout_here(capsys: Captured) -> None:
    assert main(["fmt", "data.evalset.json"]) == FAILED
    assert "ADK910" in capsys.readouterr().err


def test_nothing_to_do_is_wrong_usage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    monkeypatch.chdir(empty)
    assert main(["fmt"]) == FAILED


@pytest.mark.parametrize("text", [MESSY, VALID])
def test_stdin_to_stdout(text: str, stdin: io.BytesIO, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    stdin.write(b"\xef\xbb\xbf" + text.encode())
    stdin.seek(0)
    assert main(["fmt", "--stdin", "--stdin-filename", "m.adk.yaml"]) == DONE
    assert capfdbinary.readouterr().out == b"\xef\xbb\xbf" + VALID.encode()


def test_a_text_that_can_not_be_read_gives_nothing(stdin: io.BytesIO, capsys: Captured) -> None:
    stdin.write(b"a: [")
    stdin.seek(0)
    assert main(["fmt", "--stdin", "--stdin-filename", "m.adk.yaml"]) == FAILED
    out, err = capsys.readouterr()
    assert out == ""
    assert "--> m.adk.yaml:1:4" in err


@pytest.mark.parametrize(("options", "begins"), [(["--check"], ""), (["--diff"], "--- m.adk.yaml")])
def test_stdin_with_options(options: list[str], begins: str, stdin: io.BytesIO, capsys: Captured) -> None:
    stdin.write(MESSY.encode())
    stdin.seek(0)
    code = main(["fmt", *options, "--stdin", "--stdin-filename", "m.adk.yaml"])
    assert code == (ANSWER_IS_NO if "--check" in options else DONE)
    out = capsys.readouterr().out
    assert out.startswith(begins)
    assert bool(out) is bool(begins)


@pytest.mark.parametrize(
    "arguments", [["--stdin"], ["--stdin-filename", "x.yaml"], ["--stdin", "--stdin-filename", "x.yaml", "y.yaml"]]
)
def test_wrong_usage(arguments: list[str]) -> None:
    assert main(["fmt", *arguments]) == FAILED
