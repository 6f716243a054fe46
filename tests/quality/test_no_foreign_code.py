"""No code of the project and none of an installed package runs while a manifest is checked or shown (audit hook)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.components.packages import SABOTAGE, install, row
from tests.quality.bases import CHECKOUT

MANIFEST = """apiVersion: adk-decl/v1
kind: Manifest
name: hostile
models: {m: {use: scripted, config: {replies: [{text: hello}]}}}
tools: {t: {use: "python:shop.tools:look"}}
agents: {a: {model: m, tools: [t], callbacks: {before_model: "python:shop.tools:local"}}}
plugins:
  own: {use: "python:shop.tools:Own", mode: intervene}
  theirs: {use: acme_quota, config: {daily: 5}}
runners: {r: {agent: a, plugins: [own, theirs]}}
"""
PROJECT = (
    SABOTAGE
    + """
from adk_decl.plugins import Plugin, observe

class Own(Plugin):
    def before_model(self, ctx, value):
        return observe()

def look(order: str) -> str:
    return order

def local(ctx, value):
    return observe()
"""
)
CHILD = """
import os, sys
folders = tuple(os.path.realpath(path) + os.sep for path in sys.argv[1].split(os.pathsep))
seen = []

def watch(event, arguments):
    name = arguments[0].co_filename if event == "exec" else ""
    if os.path.isabs(name) and os.path.realpath(name).startswith(folders):
        seen.append(f"exec {name}")
    elif event == "import" and arguments[0].partition(".")[0] in ("acme", "shop"):
        seen.append(f"import {arguments[0]}")
    elif event.startswith(("socket.", "subprocess.", "os.exec", "os.fork", "os.posix_spawn", "os.system", "ctypes.")):
        seen.append(event)

from adk_decl.cli.main import main

sys.addaudithook(watch)
code = main(sys.argv[2:])
print("\\nSEEN", code, seen)
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with code that fails when it runs, and a package beside it that does too."""
    install(tmp_path / "site", row())
    own = tmp_path / "project"
    (own / "shop").mkdir(parents=True)
    (own / "pyproject.toml").touch()
    (own / "shop" / "__init__.py").write_text(SABOTAGE)
    (own / "shop" / "tools.py").write_text(PROJECT)
    (own / "m.adk.yaml").write_text(MANIFEST)
    return own


@pytest.mark.parametrize(
    "command",
    [
        ["validate", "--format", "sarif", "m.adk.yaml"],
        ["validate", "--fix", "m.adk.yaml"],
        ["plan", "m.adk.yaml"],
        ["plan", "m.adk.yaml", "m.adk.yaml"],
        ["config", "--origins", "m.adk.yaml"],
        ["env", "m.adk.yaml"],
        ["graph", "m.adk.yaml"],
        ["lock", "m.adk.yaml"],
        ["components"],
        ["components", "show", "global_instruction"],
        ["schema", "--with-plugins", "m.adk.yaml"],
        ["fmt", "--check", "m.adk.yaml"],
    ],
    ids=" ".join,
)
def test_nothing_foreign_runs(command: list[str], project: Path) -> None:
    seen = watched(command, project)
    assert seen in ("0 []", "2 []"), seen


def test_the_watch_sees_what_a_run_does(project: Path) -> None:
    assert not watched(["run", "m.adk.yaml", "--message", "hello"], project).endswith(" []")


def watched(command: list[str], project: Path) -> str:
    """The exit code of a command and what it ran of the project and of the package, started or connected to."""
    site = project.parent / "site"
    path = os.pathsep.join((str(site), str(CHECKOUT)))
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1", "ADK_DECL_CACHE": "off"}
    folders = os.pathsep.join((str(site), str(project)))
    done = subprocess.run(
        [sys.executable, "-c", CHILD, folders, *command],
        cwd=project,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert "SEEN " in done.stdout, done.stderr[-2000:]
    return done.stdout.rpartition("SEEN ")[2].strip()
