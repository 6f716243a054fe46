"""`--overlay` and the setting `ADK_DECL_OVERLAYS`, in every command that compiles."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from adk_decl import hook
from adk_decl.cli.exit_codes import DONE, FAILED
from adk_decl.cli.main import main
from tests.compiler.layered import BASE_TEXT

Captured = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "base.yaml").write_text(BASE_TEXT)
    (tmp_path / "one.yaml").write_text("kind: Overlay\nplugins: {log: {timeout_ms: 11}}\n")
    (tmp_path / "two.yaml").write_text("kind: Overlay\nplugins: {log: {timeout_ms: 22}}\n")
    (tmp_path / "bad.yaml").write_text("kind: Overlay\nplugins: {log: {timeout_msec: 22}}\n")
    monkeypatch.chdir(tmp_path)


def timeout_of(arguments: list[str], capsys: Captured) -> int:
    assert main(["plan", "base.yaml", "--json", *arguments]) == DONE
    plan = json.loads(capsys.readouterr().out)
    milliseconds = plan["runners"]["desk"]["plugins"][0]["timeout_ms"]
    assert isinstance(milliseconds, int)
    return milliseconds


def test_overlays_in_order(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    assert timeout_of([], capsys) == 250
    assert timeout_of(["--overlay", "one.yaml", "--overlay", "two.yaml"], capsys) == 22
    monkeypatch.setenv("ADK_DECL_OVERLAYS", os.pathsep.join(["one.yaml", "two.yaml"]))
    assert timeout_of([], capsys) == 22
    monkeypatch.setenv("ADK_DECL_OVERLAYS", "two.yaml")
    assert timeout_of(["--overlay", "one.yaml"], capsys) == 11


def test_validate_with_overlays(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    assert main(["validate", "base.yaml"]) == DONE
    assert main(["validate", "base.yaml", "--overlay", "bad.yaml"]) == FAILED
    assert "bad.yaml:2:17" in capsys.readouterr().out
    assert hook.main(["base.yaml"]) == DONE
    monkeypatch.setenv("ADK_DECL_OVERLAYS", "bad.yaml")
    assert hook.main(["base.yaml"]) == FAILED


def test_an_overlay_is_no_manifest_of_a_command(capsys: Captured) -> None:
    assert main(["validate", "one.yaml"]) == DONE
    for command in (["plan"], ["config"], ["env"], ["graph"], ["run", "--message", "Hello"]):
        assert main([*command, "one.yaml"]) == FAILED
        assert "ADK508" in "".join(capsys.readouterr())


@pytest.mark.parametrize("command", [["plan"], ["config"], ["env"], ["graph"], ["run", "--message", "Hello"]])
def test_every_command_takes_overlays(command: list[str], capsys: Captured) -> None:
    assert main([*command, "base.yaml", "--overlay", "bad.yaml"]) == FAILED
    assert "ADK110" in "".join(capsys.readouterr())


def test_the_difference_that_an_overlay_makes_to_both(capsys: Captured) -> None:
    assert main(["plan", "base.yaml", "base.yaml", "--overlay", "one.yaml", "--exit-code"]) == DONE


def test_a_clean_result_counts_only_for_its_layers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADK_DECL_CACHE", str(tmp_path / "cache"))
    arguments = ["validate", "base.yaml", "--overlay"]
    for _ in range(2):
        assert main([*arguments, "one.yaml"]) == DONE
        assert main([*arguments, "bad.yaml"]) == FAILED
        assert main(["validate", "base.yaml"]) == DONE
    assert any((tmp_path / "cache").rglob("*.clean"))
    (tmp_path / "one.yaml").write_text((tmp_path / "bad.yaml").read_text())
    assert main([*arguments, "one.yaml"]) == FAILED
    (tmp_path / "child.yaml").write_text("apiVersion: adk-decl/v1\nkind: Manifest\nname: c\nextends: base.yaml\n")
    assert main(["validate", "child.yaml"]) == DONE
    (tmp_path / "base.yaml").write_text(BASE_TEXT.replace("timeout_ms", "timeout_msec"))
    assert main(["validate", "child.yaml"]) == FAILED


def test_no_format_shows_a_planted_secret(capsys: Captured, tmp_path: Path) -> None:
    secret = "sk-geheim1234567890abcdefgh"
    base = BASE_TEXT.replace("{use: scripted", f"{{api_key: {secret}, use: scripted").replace("Hello.", secret)
    (tmp_path / "base.yaml").write_text(base)
    (tmp_path / "over.yaml").write_text(
        f"models: {{clerk: {{api_key: [{secret}], config: {{replies: [{secret}], $delete: {secret}}}}}}}\n"
        f"plugins: {{log: {{config: {{$append: [{secret}], timeout: {secret}}}}}}}\n"
    )
    for format_name in ("text", "concise", "json", "jsonl", "sarif", "github", "junit"):
        for overlays in ([], ["--overlay", "over.yaml"]):
            assert main(["validate", "base.yaml", "--format", format_name, *overlays]) == FAILED
            assert "geheim" not in "".join(capsys.readouterr())
    for command in ("plan", "config", "env", "graph"):
        assert main([command, "base.yaml", "--overlay", "over.yaml"]) == FAILED
        assert "geheim" not in "".join(capsys.readouterr())
