"""`adk-decl validate` on real files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from adk_decl.cli.exit_codes import DEFECT, DONE, FAILED
from adk_decl.cli.main import main
from adk_decl.compiler.compile import compile_file

VALID = """\
apiVersion: adk-decl/v1
kind: Manifest
name: small
models:
  m: {use: scripted, config: {replies: [{text: hello}]}}
agents:
  a: {model: m}
runners:
  r: {agent: a}
"""
INVALID = VALID.replace("{model: m}", "{modell: m}")
WARNED = VALID + "tools: {}\nplugins:\n  unused: {use: metadata_logger}\n"

Captured = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, text in {"valid": VALID, "invalid": INVALID, "warned": WARNED}.items():
        (tmp_path / f"{name}.adk.yaml").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)


def test_a_valid_file_is_0(capsys: Captured) -> None:
    assert main(["validate", "valid.adk.yaml"]) == DONE
    assert capsys.readouterr().out == "1 file checked, nothing found\n"


def test_findings_are_1_and_on_stdout(capsys: Captured) -> None:
    assert main(["validate", "invalid.adk.yaml"]) == FAILED
    out, err = capsys.readouterr()
    assert err == ""
    assert "error[ADK110]" in out
    assert "invalid.adk.yaml:7:7" in out
    assert "\x1b" not in out


def test_concise_is_one_line_a_finding(capsys: Captured) -> None:
    main(["validate", "invalid.adk.yaml", "--format", "concise"])
    lines = capsys.readouterr().out.splitlines()
    assert any(line.startswith("invalid.adk.yaml:7:7: ADK110 ") for line in lines)
    assert all(line.startswith("invalid.adk.yaml:") for line in lines)


def test_json_is_one_document_for_all_files(capsys: Captured) -> None:
    assert main(["validate", ".", "--format", "json"]) == FAILED
    document = json.loads(capsys.readouterr().out)
    assert not document["valid"]
    assert {finding["file"] for finding in document["diagnostics"]} == {"invalid.adk.yaml", "warned.adk.yaml"}


def test_json_of_a_valid_file(capsys: Captured) -> None:
    assert main(["validate", "valid.adk.yaml", "--format", "json"]) == DONE
    assert json.loads(capsys.readouterr().out)["valid"] is True


def test_warnings_count_when_they_are_denied(capsys: Captured) -> None:
    assert main(["validate", "warned.adk.yaml"]) == DONE
    assert main(["validate", "warned.adk.yaml", "--deny-warnings"]) == FAILED
    assert "ADK204" in capsys.readouterr().out


def test_no_path_takes_what_lies_here(capsys: Captured) -> None:
    assert main(["validate"]) == FAILED
    assert "ADK110" in capsys.readouterr().out


def test_jsonl_is_one_object_a_finding(capsys: Captured) -> None:
    assert main(["validate", ".", "--format", "jsonl"]) == FAILED
    files = {json.loads(line)["file"] for line in capsys.readouterr().out.splitlines()}
    assert files == {"invalid.adk.yaml", "warned.adk.yaml"}
    assert main(["validate", "valid.adk.yaml", "--format", "jsonl"]) == DONE
    assert capsys.readouterr().out == ""


def test_sarif_is_one_document_whatever_happens(monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    def document() -> dict[str, Any]:
        found: dict[str, Any] = json.loads(capsys.readouterr().out)
        assert found["version"] == "2.1.0"
        (run,) = found["runs"]
        return dict(run)

    assert main(["validate", ".", "--format", "sarif"]) == FAILED
    assert len(document()["results"]) >= 2
    assert main(["validate", "valid.adk.yaml", "--format", "sarif"]) == DONE
    assert document()["results"] == []
    assert main(["validate", "valid.adk.yaml", "--no-such", "--format=sarif"]) == FAILED
    assert document()["invocations"][0]["executionSuccessful"] is False
    monkeypatch.setattr("adk_decl.cli.checking.show", None)
    monkeypatch.setattr("adk_decl.cli.validate.show", None)
    assert main(["validate", "valid.adk.yaml", "--format", "sarif"]) == DEFECT
    assert document()["invocations"][0]["exitCode"] == DEFECT


def test_github_ends_with_a_summary(capsys: Captured) -> None:
    assert main(["validate", "invalid.adk.yaml", "--format", "github"]) == FAILED
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("::error title=adk-decl ADK110,file=invalid.adk.yaml,line=7,")
    assert lines[-1].endswith("in 1 file")
    main(["validate", "valid.adk.yaml", "--format", "github"])
    assert capsys.readouterr().out == "1 file checked, nothing found\n"


def test_junit_has_a_test_case_for_each_file(capsys: Captured) -> None:
    assert main(["validate", ".", "--format", "junit"]) == FAILED
    root = ElementTree.fromstring(capsys.readouterr().out)
    assert (root.get("tests"), root.get("failures")) == ("3", "1")
    main(["validate", ".", "--format", "junit", "--deny-warnings"])
    assert ElementTree.fromstring(capsys.readouterr().out).get("failures") == "2"


def test_a_finding_in_a_layer_of_several_files_is_one(tmp_path: Path, capsys: Captured) -> None:
    for name in ("one", "two"):
        child = f"apiVersion: adk-decl/v1\nkind: Manifest\nextends: invalid.adk.yaml\nname: {name}\n"
        (tmp_path / f"{name}.adk.yaml").write_text(child, encoding="utf-8")
    files = ["one.adk.yaml", "two.adk.yaml", "invalid.adk.yaml"]
    assert main(["validate", *files, "--format", "json"]) == FAILED
    found = json.loads(capsys.readouterr().out)["diagnostics"]
    assert [each["code"] for each in found].count("ADK110") == 1


def test_a_path_that_does_not_exist_is_a_finding(capsys: Captured) -> None:
    assert main(["validate", "nowhere.adk.yaml", "--format", "json"]) == FAILED
    assert [f["code"] for f in json.loads(capsys.readouterr().out)["diagnostics"]] == ["ADK020"]


def test_nothing_to_check_is_wrong_usage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    assert main(["validate"]) == FAILED
    assert "there is no manifest here" in capsys.readouterr().err


def test_colour_when_it_is_asked_for(monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    monkeypatch.setenv("ADK_DECL_COLOR", "always")
    main(["validate", "invalid.adk.yaml"])
    assert "\x1b[" in capsys.readouterr().out
    main(["validate", "invalid.adk.yaml", "--format", "json"])
    assert "\x1b" not in capsys.readouterr().out


def test_a_setting_that_is_wrong_is_wrong_usage(monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    monkeypatch.setenv("ADK_DECL_COLOR", "purple")
    assert main(["validate", "valid.adk.yaml"]) == FAILED
    err = capsys.readouterr().err
    assert "ADK_DECL_COLOR must be one of" in err
    assert "purple" not in err


def test_all_shows_what_is_beyond_the_first_50(tmp_path: Path, capsys: Captured) -> None:
    wrong = "".join(f"  t{number}: {{uze: x}}\n" for number in range(60))
    (tmp_path / "many.adk.yaml").write_text(VALID + "tools:\n" + wrong, encoding="utf-8")
    main(["validate", "many.adk.yaml", "--format", "concise"])
    shown = capsys.readouterr().out.splitlines()
    main(["validate", "many.adk.yaml", "--format", "concise", "--all"])
    every = capsys.readouterr().out.splitlines()
    assert len(shown) == 51
    assert "more findings in many.adk.yaml not shown" in shown[-1]
    assert len(every) >= 60


def test_a_defect_in_one_file_hides_no_other(monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    def broken(path: str, **options: Any) -> object:
        if path == "valid.adk.yaml":
            raise ZeroDivisionError("not to be shown")
        return compile_file(path, **options)

    monkeypatch.setattr("adk_decl.compiler.compile.compile_file", broken)
    assert main(["validate", "valid.adk.yaml", "invalid.adk.yaml", "--format", "json"]) == DEFECT
    out = capsys.readouterr().out
    assert {finding["code"] for finding in json.loads(out)["diagnostics"]} >= {"ADK110", "ADK900"}
    assert "not to be shown" not in out


def test_a_name_that_is_not_text_is_shown_without_harm(tmp_path: Path, capsys: Captured) -> None:
    odd = tmp_path / "odd\x1b[2J\udce9.adk.yaml"
    odd.write_text(INVALID, encoding="utf-8")
    assert main(["validate", odd.name]) == FAILED
    assert "\x1b" not in capsys.readouterr().out
