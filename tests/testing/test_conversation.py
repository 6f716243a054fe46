"""Scripted conversations through the real compiler, runner and workers."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

import adk_decl
from adk_decl.plugins.testing import LogRecord, converse, run_conversation, scripted_manifest

CALL = {"tool_calls": [{"name": "refund", "args": {"amount": 80}}]}
CLAMP = {"id": "clamp", "use": "python:sample_plugins:Clamp", "mode": "intervene", "failure_policy": "closed"}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with the sample plugins and one tool."""
    (tmp_path / "pyproject.toml").touch()
    shutil.copy(Path(__file__).parent / "sample_plugins.py", tmp_path / "sample_plugins.py")
    (tmp_path / "tools.py").write_text(
        'def refund(amount: int) -> dict[str, int]:\n    """Pay."""\n    return {"paid": amount}\n', encoding="utf-8"
    )
    return tmp_path


def _manifest(*replies: dict[str, Any], **parts: Any) -> dict[str, Any]:
    return scripted_manifest(
        replies=replies, plugins=[CLAMP], tools={"refund": {"use": "python:tools:refund", "timeout_ms": 5000}}, **parts
    )


def test_a_conversation_tells_all_that_can_be_asserted(project: Path) -> None:
    manifest = _manifest(CALL, {"text": "paid <<result.paid>>"})
    found = run_conversation("Refund", manifest, project=project)
    assert (found.status, found.text, found.warnings) == ("completed", "paid 50", ())
    assert found.outcomes("before_tool") == found.outcomes("before_tool", "clamp") == ["amended"]
    assert found.outcomes("before_tool", "other") == []
    assert found.logs == (LogRecord("clamp", "warning", "clamped", {"most": 50}),)
    assert [event.author for event in found.events] == ["user", "agent", "tool", "agent"]
    assert list(project.glob("*.adk.yaml")) == []


async def test_messages_share_a_session(project: Path) -> None:
    found = await converse(["one", "two"], _manifest({"text": "answer"}), project=project, stream=True)
    assert [result.text for result in found.results] == ["answer", "answer"]
    assert found.errors == (None, None)
    assert len({result.session_id for result in found.results}) == 1
    with pytest.raises(adk_decl.UsageError, match="converse"):
        run_conversation("one", _manifest(), project=project)


def test_what_ends_a_run_is_kept(project: Path) -> None:
    manifest = _manifest({"tool_calls": [{"name": "refund", "args": {"amount": -1}}]})
    found = run_conversation("Refund", manifest, project=project)
    assert found.status == "halted"
    assert isinstance(found.errors[0], adk_decl.PluginHalted)


def test_a_manifest_may_be_a_file(project: Path) -> None:
    quickstart = Path(__file__).parents[2] / "manifests" / "quickstart.adk.yaml"
    assert run_conversation("Where is order 1042?", quickstart).status == "completed"


def test_a_manifest_with_errors_is_refused(project: Path) -> None:
    manifest = scripted_manifest(plugins=[{**CLAMP, "timeout": 5}])
    with pytest.raises(adk_decl.ManifestError) as caught:
        run_conversation("hi", manifest, project=project)
    assert {finding.code for finding in caught.value.diagnostics} == {"ADK110"}
