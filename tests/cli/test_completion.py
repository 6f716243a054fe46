"""What a shell offers: by click's own protocol, and by a real bash."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from adk_decl.cli.main import COMMANDS, main
from tests.architecture.sources import CHECKOUT
from tests.architecture.test_import_budget import HEAVY

Captured = pytest.CaptureFixture[str]
PAGE = (CHECKOUT / "docs" / "shell-completion.md").read_text("utf-8")
_PROBE = """
import json, sys
from adk_decl.cli.main import main
try:
    main([])
finally:
    print(json.dumps(sorted(sys.modules)), file=sys.stderr)
"""
MANIFEST = "apiVersion: adk-decl/v1\nkind: Manifest\nname: x\nrunners:\n  desk: {agent: a}\n  front: {agent: a}\n"


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "deep" / "deeper").mkdir(parents=True)
    (tmp_path / ".hidden").mkdir()
    for name in ("a.adk.yaml", "b.adk.toml", "notes.yaml", "deep/deeper/c.adk.yml", "deep/deeper/d.adk.yaml"):
        (tmp_path / name).write_text(MANIFEST if name.endswith((".yaml", ".yml")) else "", encoding="utf-8")
    monkeypatch.chdir(tmp_path)


def offered(words: str, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is offered behind these words; the last one is the one that is being written."""
    monkeypatch.setenv("_ADK_DECL_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", f"adk-decl {words}")
    monkeypatch.setenv("COMP_CWORD", str(len(f"adk-decl {words}".split(" ")) - 1))
    with pytest.raises(SystemExit) as ended:
        main([])
    assert ended.value.code == 0
    out, err = capsys.readouterr()
    assert err == ""
    return [line.partition(",")[2] if line.startswith("plain,") else line for line in out.split("\n")[:-1] if line]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("", list(COMMANDS)),
        ("va", ["validate"]),
        ("--v", ["--version"]),
        ("validate ", ["a.adk.yaml", "b.adk.toml", "deep/"]),
        ("validate d", ["deep/deeper/c.adk.yml", "deep/deeper/d.adk.yaml"]),
        ("validate a.adk.yaml b", ["b.adk.toml"]),
        ("validate ./deep/deeper/d", ["./deep/deeper/d.adk.yaml"]),
        ("validate .h", [".hidden/"]),
        ("validate nowhere/", []),
        ("validate --format s", ["sarif"]),
        ("plan a.adk.yaml b", ["b.adk.toml"]),
        ("run --overlay b", ["b.adk.toml"]),
        ("run a.adk.yaml --runner ", ["desk", "front"]),
        ("run a.adk.yaml --runner f", ["front"]),
        ("plan a.adk.yaml --runner d", ["desk"]),
        ("run --runner ", []),
        ("run notes.yaml --runner ", []),
        ("run nowhere.adk.yaml --runner ", []),
        ("run b.adk.toml --runner ", []),
        ("run --project-root de", ["dir,de"]),
        ("explain adk900", ["ADK900"]),
        ("schema m", ["manifest"]),
        ("fmt --ch", ["--check"]),
        ("run a.adk.yaml --message ", []),
    ],
)
def test_what_is_offered(words: str, expected: list[str], capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    assert offered(words, capsys, monkeypatch) == expected


def test_a_command_that_does_not_exist_does_no_harm(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "validate" in offered("nonsense ", capsys, monkeypatch)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_offers_its_options(command: str, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "--help" in offered(f"{command} --", capsys, monkeypatch)


def test_names_that_would_break_the_protocol_are_left_out(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("z\nplain,evil.adk.yaml").write_text("", encoding="utf-8")
    Path("n.adk.yaml").write_text('runners: {"a\\nb": 1, c: 1}\n', encoding="utf-8")
    assert offered("validate z", capsys, monkeypatch) == []
    assert offered("run n.adk.yaml --runner ", capsys, monkeypatch) == ["c"]


@pytest.mark.parametrize("words", ["", "run a.adk.yaml --runner ", "explain AD", "validate "])
def test_nothing_heavy_is_imported(words: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _PROBE], env=_environment(words), capture_output=True, text=True, timeout=60, check=True
    )
    modules = set(json.loads(done.stderr.splitlines()[-1]))
    assert sorted(modules & HEAVY) == []
    assert [m for m in modules if m.startswith("adk_decl.cli.") and m.rpartition(".")[2] in COMMANDS] == (
        [f"adk_decl.cli.{words.split()[0]}"] if words else []
    )


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_page_has_the_command_of_each_shell(shell: str) -> None:
    assert re.search(rf"_ADK_DECL_COMPLETE={shell}_source adk-decl", PAGE)
    done = subprocess.run(
        [sys.executable, "-m", "adk_decl"],
        env={**os.environ, "_ADK_DECL_COMPLETE": f"{shell}_source"},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert f"_ADK_DECL_COMPLETE={shell}_complete" in done.stdout


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
def test_a_real_bash(tmp_path: Path) -> None:
    program = tmp_path / "bin" / "adk-decl"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m adk_decl "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    [command] = re.findall(r"(?m)^eval .*bash_source.*$", PAGE)
    script = (
        f"{command}\n"
        "complete -p adk-decl\n"
        'COMP_WORDS=(adk-decl run a.adk.yaml --runner "")\nCOMP_CWORD=4\n'
        '_adk_decl_completion adk-decl\nprintf "%s\\n" "${COMPREPLY[@]}"\n'
    )
    done = subprocess.run(
        ["bash", "--norc", "--noprofile", "-c", script],
        env={**os.environ, "PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stderr == ""
    registered, *words = done.stdout.split()[-3:]
    assert (registered, words) == ("adk-decl", ["desk", "front"])


def _environment(words: str) -> dict[str, str]:
    line = f"adk-decl {words}"
    asked = {"_ADK_DECL_COMPLETE": "bash_complete", "COMP_WORDS": line, "COMP_CWORD": str(len(line.split(" ")) - 1)}
    return {**os.environ, **asked}
