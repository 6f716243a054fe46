"""`validate --fix` and `--stdin` on real files."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from adk_decl import hook
from adk_decl.cli import fixing
from adk_decl.cli.exit_codes import DEFECT, DONE, FAILED
from adk_decl.cli.main import main
from adk_decl.cli.replace_file import FileChanged
from tests.compiler.project import BASE

WRONG = BASE.replace("{model: clerk}", "{modle: clerk}  # comment")
RIGHT = WRONG.replace("modle", "model")
HOPELESS = WRONG.replace("name: example", "colour: blue\nname: example")

Captured = pytest.CaptureFixture[str]


class Stdin:
    def __init__(self, data: bytes) -> None:
        self.buffer = io.BytesIO(data)


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "m.adk.yaml").write_text(WRONG, encoding="utf-8")
    monkeypatch.chdir(tmp_path)


def read(name: str = "m.adk.yaml") -> str:
    return Path(name).read_text(encoding="utf-8")


def test_a_file_is_mended_in_place(capsys: Captured) -> None:
    assert main(["validate", "m.adk.yaml", "--fix"]) == DONE
    assert read() == RIGHT
    assert capsys.readouterr() == ("1 file checked, nothing found\n", "mended 1 finding in m.adk.yaml\n")


def test_what_is_left_is_shown_and_counts(capsys: Captured) -> None:
    Path("m.adk.yaml").write_text(HOPELESS, encoding="utf-8")
    assert main(["validate", "--fix", "--format", "json"]) == FAILED
    out, err = capsys.readouterr()
    assert [found["message"] for found in json.loads(out)["diagnostics"]] == ["unknown key `colour` in the manifest"]
    assert err == "mended 1 finding in m.adk.yaml\n"
    assert "model: clerk" in read()


def test_a_diff_writes_nothing(capsys: Captured) -> None:
    assert main(["validate", "--fix", "--diff"]) == DONE
    out, err = capsys.readouterr()
    assert "+  support: {model: clerk}  # comment" in out
    assert "would mend 1 finding in m.adk.yaml" in err
    assert read() == WRONG


def test_a_file_without_a_fix_is_not_touched() -> None:
    Path("m.adk.yaml").write_text(RIGHT, encoding="utf-8")
    before = Path("m.adk.yaml").stat()
    assert main(["validate", "--fix"]) == DONE
    assert Path("m.adk.yaml").stat() == before


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (FileChanged("x"), "it was changed meanwhile"),
        (PermissionError("x"), "permission denied"),
        (OSError("x"), "it can't be written"),
    ],
)
def test_a_file_that_can_not_be_written_says_so(
    error: OSError, reason: str, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    def broken(path: str, *, before: bytes, after: bytes) -> None:
        raise error

    monkeypatch.setattr("adk_decl.cli.replace_file.replace_file", broken)
    assert main(["validate", "--fix"]) == FAILED
    out, err = capsys.readouterr()
    assert err == f"not written: m.adk.yaml: {reason}\n"
    assert "ADK110" in out


def test_what_can_not_be_read_is_a_finding(capsys: Captured) -> None:
    Path("large.adk.yaml").write_bytes(b"#" * (1024 * 1024 + 1))
    Path("folder.adk.yaml").mkdir()
    arguments = ["validate", "--fix", "nowhere.adk.yaml", "large.adk.yaml", "folder.adk.yaml/x.adk.yaml"]
    assert main([*arguments, "--format", "concise"]) == FAILED
    assert [line.split()[1] for line in capsys.readouterr().out.splitlines()] == ["ADK020", "ADK016", "ADK020"]


def test_a_defect_in_one_file_hides_no_other(monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    def broken(*arguments: object) -> object:
        raise ZeroDivisionError("not to be shown")

    monkeypatch.setattr(fixing, "mend", broken)
    assert main(["validate", "--fix", "m.adk.yaml", "nowhere.adk.yaml", "--format", "json"]) == DEFECT
    out = capsys.readouterr().out
    assert [found["code"] for found in json.loads(out)["diagnostics"]] == ["ADK900", "ADK020"]
    assert "not to be shown" not in out


def test_the_hook_mends_too(capsys: Captured) -> None:
    assert hook.main(["--fix", "m.adk.yaml"]) == DONE
    assert read() == RIGHT
    assert capsys.readouterr() == ("", "mended 1 finding in m.adk.yaml\n")


def test_stdin_answers_for_the_named_file(monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    monkeypatch.setattr("sys.stdin", Stdin(WRONG.encode()))
    assert main(["validate", "--stdin", "--stdin-filename", "other.adk.yaml", "--format", "json"]) == FAILED
    found = json.loads(capsys.readouterr().out)["diagnostics"]
    assert {(each["code"], each["file"]) for each in found} >= {("ADK110", "other.adk.yaml")}
    monkeypatch.setattr("sys.stdin", Stdin(RIGHT.encode()))
    assert main(["validate", "--stdin", "--stdin-filename", "m.adk.yaml"]) == DONE
    assert read() == WRONG


def test_stdin_finds_code_beside_the_named_file(monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    Path("sub").mkdir()
    Path("sub/shop.py").write_text("def stock(item: str) -> int:\n    return 1\n", encoding="utf-8")
    text = RIGHT.replace("{model: clerk}", "{model: clerk, tools: [stock]}")
    text += 'tools:\n  stock: {use: "python:shop:stock"}\n'
    monkeypatch.setattr("sys.stdin", Stdin(text.encode()))
    assert main(["validate", "--stdin", "--stdin-filename", "sub/m.adk.yaml"]) == DONE, capsys.readouterr()


def test_stdin_is_mended_to_stdout(monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    monkeypatch.setattr("sys.stdin", Stdin(HOPELESS.encode()))
    arguments = ["validate", "--stdin", "--stdin-filename", "m.adk.yaml", "--fix"]
    assert main(arguments) == FAILED
    out, err = capsysbinary.readouterr()
    assert out.decode() == HOPELESS.replace("modle", "model")
    assert b"ADK110" in err
    monkeypatch.setattr("sys.stdin", Stdin(HOPELESS.encode()))
    main([*arguments, "--diff"])
    assert b"+  support: {model: clerk}" in capsysbinary.readouterr().out


def test_a_text_too_large_is_not_cut(monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    for extra, code in (([], "ADK016"), (["--fix"], "larger than")):
        monkeypatch.setattr("sys.stdin", Stdin(b"#" * (1024 * 1024 + 1)))
        assert main(["validate", "--stdin", "--stdin-filename", "m.adk.yaml", *extra]) == FAILED
        out, err = capsys.readouterr()
        assert code in (err if extra else out)
        assert not (extra and out)


@pytest.mark.parametrize("name", ["json", "sarif"])
def test_a_diff_is_no_part_of_a_document(name: str, capsys: Captured) -> None:
    assert main(["validate", "--fix", "--diff", "--format", name]) == FAILED
    json.loads(capsys.readouterr().out)
    assert read() == WRONG


@pytest.mark.parametrize(
    "arguments",
    [
        ["--diff"],
        ["--fix", "--diff", "--format", "github", "--stdin"],
        ["--stdin"],
        ["--stdin-filename", "m.adk.yaml"],
        ["--stdin", "--stdin-filename", "m.adk.yaml", "m.adk.yaml"],
    ],
)
def test_wrong_usage(arguments: list[str], capsys: Captured) -> None:
    assert main(["validate", *arguments]) == FAILED
    assert "error: " in capsys.readouterr().err
