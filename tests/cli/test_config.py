"""`adk-decl config` on real files."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from adk_decl.cli.exit_codes import DONE, FAILED
from adk_decl.cli.main import main
from tests.compiler.layered import BASE_TEXT
from tests.snapshot import check_snapshot

Captured = pytest.CaptureFixture[str]

PROD = """\
kind: Overlay
plugins:
  log: {timeout_ms: 500}
models:
  clerk:
    api_key: {secret: {env: KEY}}
    max_concurrency: ${env:PARALLEL:-4}
agents:
  support: {instruction: "It costs $$5, \\e[1m${env:GREETING}."}
"""


@pytest.fixture(autouse=True)
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "base.yaml").write_text(BASE_TEXT.replace("{use: scripted", "{api_key: hunter2, use: scripted"))
    (tmp_path / "prod.yaml").write_text(PROD)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KEY", "value-of-the-key")
    monkeypatch.setenv("PARALLEL", "value-of-parallel")


def shown(arguments: list[str], capsys: Captured) -> str:
    assert main(["config", "base.yaml", "--overlay", "prod.yaml", *arguments]) == DONE
    out, err = capsys.readouterr()
    assert err == ""
    assert "value-of" not in out
    assert "\x1b" not in out
    return out


def test_the_tree(capsys: Captured) -> None:
    check_snapshot("config/tree.txt", re.sub(r"sha256:[0-9a-f]{64}", "sha256:…", shown([], capsys)))


def test_origins(capsys: Captured) -> None:
    text = shown(["--origins"], capsys)
    check_snapshot("config/origins.txt", text)
    assert "hunter2" not in text
    assert re.search(r"log\.timeout_ms +500 +prod.yaml:3:21  \(was 250 at base.yaml:9:43\)", text)
    assert re.search(
        r'clerk\.api_key +\{"secret": \{"env": "KEY"\}\} .*\(was something hidden at base.yaml:5:20\)', text
    )


def test_json(capsys: Captured) -> None:
    document = json.loads(shown(["--format", "json"], capsys))
    assert document["layers"] == ["base.yaml", "prod.yaml"]
    clerk = document["config"]["models"]["clerk"]
    assert clerk["api_key"] == {"secret": {"env": "KEY"}}
    assert clerk["max_concurrency"] == "${env:PARALLEL:-4}"
    assert document["config"]["agents"]["support"]["instruction"] == "It costs $$5, \x1b[1m${env:GREETING}."


def test_origins_as_json(capsys: Captured) -> None:
    document = json.loads(shown(["--format", "json", "--origins"], capsys))
    rows: dict[str, Any] = {row["path"]: row for row in document["values"]}
    assert rows["runners.desk.plugins.log.timeout_ms"] == {
        "pointer": "/runners/desk/plugins/0/timeout_ms",
        "path": "runners.desk.plugins.log.timeout_ms",
        "value": 500,
        "layer": "prod.yaml",
        "file": "prod.yaml",
        "line": 3,
        "column": 21,
        "replaced": [
            {"value": 250, "hidden": False, "layer": "base.yaml", "file": "base.yaml", "line": 9, "column": 43}
        ],
    }
    hidden = rows["models.clerk.api_key"]["replaced"]
    assert hidden == [{"hidden": True, "layer": "base.yaml", "file": "base.yaml", "line": 5, "column": 20}]
    assert rows["models.clerk.timeout_ms"]["layer"] == "default"


@pytest.mark.parametrize("format_name", ["yaml", "json"])
def test_a_manifest_with_errors(format_name: str, capsys: Captured) -> None:
    assert main(["config", "base.yaml", "--format", format_name]) == FAILED
    out, err = capsys.readouterr()
    assert "hunter2" not in out + err
    if format_name == "json":
        assert json.loads(out)["error_count"] == 1
    else:
        assert out == ""
