"""`adk-decl env` on real files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from adk_decl.cli.exit_codes import ANSWER_IS_NO, DONE, FAILED
from adk_decl.cli.main import main
from tests.snapshot import check_snapshot

MANIFEST = """\
apiVersion: adk-decl/v1
kind: Manifest
name: m
models:
  fast:
    use: openai_chat
    model: ${env:MODEL:-small}
    base_url: https://${env:HOST}/${env:MODEL}
    timeout_ms: ${env:WAIT:-1000}
    api_key: {secret: {env: KEY}}
  slow: {use: openai_chat, model: m, api_key: {secret: {file: keys/slow}}}
agents:
  a: {model: fast}
  b: {model: slow}
runners:
  one: {agent: a}
  two: {agent: b}
"""
Captured = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "m.yaml").write_text(MANIFEST)
    monkeypatch.chdir(tmp_path)
    for name in ("MODEL", "HOST", "WAIT", "KEY"):
        monkeypatch.delenv(name, raising=False)


def env(arguments: list[str], capsys: Captured, *, code: int = DONE) -> str:
    assert main(["env", "m.yaml", *arguments]) == code
    out, err = capsys.readouterr()
    assert err == ""
    assert "geheim" not in out
    return out


def states(capsys: Captured, *arguments: str, code: int = DONE) -> dict[str, str]:
    document = json.loads(env(["--format", "json", *arguments], capsys, code=code))
    return {row["name"]: row["state"] for row in document["requirements"]}


def test_as_text(capsys: Captured) -> None:
    check_snapshot("env/missing.txt", env(["--check"], capsys, code=ANSWER_IS_NO))


def test_what_is_there(capsys: Captured, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # MODEL has a default in one place and none in the other.
    assert states(capsys) == {
        "HOST": "missing",
        "MODEL": "missing",
        "WAIT": "default",
        "KEY": "missing",
        "keys/slow": "missing",
    }
    monkeypatch.setenv("HOST", "geheim.example.com")
    monkeypatch.setenv("MODEL", "geheim")
    monkeypatch.setenv("KEY", "geheim")
    (tmp_path / "keys").mkdir()
    (tmp_path / "keys" / "slow").write_text("geheim")
    assert set(states(capsys, "--check").values()) == {"set", "default"}
    monkeypatch.setenv("KEY", "")
    assert states(capsys, "--check", code=ANSWER_IS_NO)["KEY"] == "missing"


def test_a_value_that_does_not_fit(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WAIT", "geheim")
    assert states(capsys, "--check", code=ANSWER_IS_NO)["WAIT"] == "unfit"
    assert "does not fit: must be a whole number" in env([], capsys)


def test_one_runner(capsys: Captured) -> None:
    assert set(states(capsys, "--runner", "two")) == {"keys/slow"}
    assert set(states(capsys, "--runner", "one")) == {"HOST", "MODEL", "WAIT", "KEY"}
    assert main(["env", "m.yaml", "--runner", "three"]) == FAILED
    assert "one, two" in capsys.readouterr().err


def test_nothing_is_needed(capsys: Captured, tmp_path: Path) -> None:
    (tmp_path / "m.yaml").write_text("apiVersion: adk-decl/v1\nkind: Manifest\nname: m\n")
    assert env([], capsys) == "nothing is needed from the environment\n"
