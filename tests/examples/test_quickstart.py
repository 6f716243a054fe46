"""The quickstart gives the answers that its page prints, also from a place where nothing can be written."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import adk_decl
from adk_decl.compiler.compile import compile_file
from adk_decl.diagnostics import concise

MANIFESTS = Path(__file__).parents[2] / "manifests"
PAGE = (Path(__file__).parents[2] / "docs" / "quickstart.md").read_text(encoding="utf-8")
FIRST = "Where is order 1042?"
SECOND = "And when does it arrive?"


@pytest.fixture(autouse=True)
def state_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sessions of these tests live in a folder of theirs."""
    monkeypatch.setenv("ADK_DECL_STATE_DIR", str(tmp_path / "state"))


@pytest.mark.parametrize("name", ["quickstart.adk.yaml", "limits.adk.toml"])
def test_compiles_without_a_finding(name: str) -> None:
    compiled = compile_file(str(MANIFESTS / name))
    assert concise.render(compiled.diagnostics, compiled.sources) == ""
    assert compiled.plan is not None


async def test_the_second_message_sees_the_first() -> None:
    plan = adk_decl.load(str(MANIFESTS / "quickstart.adk.yaml"))
    async with adk_decl.Runner(plan, "desk") as runner:
        first = await runner.run(FIRST, session_id="demo").wait()
        second = await runner.run(SECOND, session_id="demo").wait()
        alone = await runner.run(SECOND, session_id="other").wait()
    assert first.text == "Order 1042 is out for delivery in Lisbon. We wrote to m***@example.com."
    assert second.text == "Order 1042, which you asked about before, arrives on 2026-03-06."
    assert alone.text == "Which order do you mean?"
    assert all(str(result.text) in PAGE for result in (first, second, alone))
    assert first.warnings == ()
    plugins = {entry.plugin_id for record in first.traces for entry in record.entries}
    assert plugins == {"house-style", "recent-messages", "mask-emails", "audit"}


async def test_runs_from_a_place_that_is_read_only(tmp_path: Path) -> None:
    copy = tmp_path / "installed"
    shutil.copytree(MANIFESTS, copy, ignore=shutil.ignore_patterns("__pycache__", "invalid", "valid"))
    for path in [*copy.rglob("*"), copy]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        plan = adk_decl.load(str(copy / "quickstart.adk.yaml"))
        async with adk_decl.Runner(plan) as runner:
            result = await runner.run(FIRST).wait()
    finally:
        for path in [copy, *copy.rglob("*")]:
            path.chmod(0o755 if path.is_dir() else 0o644)
    assert result.text is not None
    assert result.text.startswith("Order 1042")
    assert (tmp_path / "state" / "quickstart" / "sessions.db").exists()


def test_yaml_and_toml_give_one_digest(tmp_path: Path) -> None:
    shutil.copytree(MANIFESTS / "support", tmp_path / "support", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(MANIFESTS / "quickstart.adk.yaml", tmp_path)
    shutil.copy(Path(__file__).parent / "quickstart_twin.adk.toml", tmp_path)
    (tmp_path / "pyproject.toml").touch()
    yaml = adk_decl.load(str(tmp_path / "quickstart.adk.yaml"))
    toml = adk_decl.load(str(tmp_path / "quickstart_twin.adk.toml"))
    assert yaml.to_json() == toml.to_json()
    assert yaml.digest == toml.digest
