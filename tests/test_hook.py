"""The entry of the pre-commit hook."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from adk_decl import hook
from adk_decl.cli.checking import FORMATS
from adk_decl.cli.exit_codes import ANSWER_IS_NO, DEFECT, DONE, FAILED
from tests.cli.test_validate import INVALID, VALID, WARNED

Captured = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, text in {"valid": VALID, "invalid": INVALID, "warned": WARNED}.items():
        (tmp_path / f"{name}.adk.yaml").write_text(text, encoding="utf-8")
    (tmp_path / "--odd.adk.yaml").write_text(VALID, encoding="utf-8")
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("arguments", [[], ["valid.adk.yaml"], ["warned.adk.yaml"], ["--", "--odd.adk.yaml"]])
def test_nothing_wrong_is_0(arguments: list[str]) -> None:
    assert hook.main(arguments) == DONE


def test_a_clean_file_says_nothing(capsys: Captured) -> None:
    hook.main(["valid.adk.yaml"])
    assert capsys.readouterr() == ("", "")


def test_findings_are_1(capsys: Captured) -> None:
    assert hook.main(["valid.adk.yaml", "invalid.adk.yaml"]) == FAILED
    assert "error[ADK110]" in capsys.readouterr().out


def test_denied_warnings_are_1() -> None:
    assert hook.main(["--deny-warnings", "warned.adk.yaml"]) == FAILED


@pytest.mark.parametrize("words", [["--format", "json"], ["--format=json"]])
def test_formats(words: list[str], capsys: Captured) -> None:
    assert hook.main([*words, "invalid.adk.yaml"]) == FAILED
    assert json.loads(capsys.readouterr().out)["error_count"] >= 1


@pytest.mark.parametrize("name", FORMATS)
def test_every_format(name: str, capsys: Captured) -> None:
    assert hook.main(["--format", name, "invalid.adk.yaml"]) == FAILED
    assert "ADK110" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["json", "sarif"])
def test_one_document_whatever_happens(name: str, monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    for arguments in (["valid.adk.yaml"], ["--nonsense"]):
        hook.main(["--format", name, *arguments])
        json.loads(capsys.readouterr().out)
    monkeypatch.setattr(hook, "check", None)
    assert hook.main(["--format", name, "valid.adk.yaml"]) == DEFECT
    json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("arguments", [["--nonsense"], ["--format"], ["--format", "pdf"], ["-x", "valid.adk.yaml"]])
def test_wrong_usage_is_1(arguments: list[str], capsys: Captured) -> None:
    assert hook.main(arguments) == FAILED
    assert capsys.readouterr().err.startswith("adk-decl: ")


def test_fmt_writes_and_says_so(capsys: Captured) -> None:
    with open("messy.adk.yaml", "w", encoding="utf-8") as stream:
        stream.write(VALID.replace(": ", ":   "))
    assert hook.main(["--fmt", "--check", "messy.adk.yaml"]) == ANSWER_IS_NO
    assert hook.main(["--fmt", "valid.adk.yaml", "messy.adk.yaml"]) == DONE
    assert "formatted messy.adk.yaml\n1 formatted, 1 unchanged\n" in capsys.readouterr().out
    with open("messy.adk.yaml", encoding="utf-8") as stream:
        assert stream.read() == VALID
    assert hook.main(["--fmt"]) == hook.main(["--fmt", "messy.adk.yaml"]) == DONE
    assert capsys.readouterr() == ("", "")


def test_fmt_with_wrong_usage_is_1(capsys: Captured) -> None:
    assert hook.main(["--fmt", "--nonsense"]) == FAILED
    assert capsys.readouterr().err == "adk-decl: the hook knows --check and files\n"


def test_a_defect_is_70_and_one_line(monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    def broken(*arguments: object, **options: object) -> object:
        raise ZeroDivisionError

    monkeypatch.setattr(hook, "check", broken)
    assert hook.main(["valid.adk.yaml"]) == DEFECT
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
