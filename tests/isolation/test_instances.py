"""Plugins as workers make them: what goes wrong at the start, goodbyes, and what an author who debugs sees."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from adk_decl.errors import StartError
from adk_decl.plan.model import PluginDescriptor
from adk_decl.values import ModelRequest, Text, ToolCall, UserMessage
from adk_decl.workers.pool import WorkerPool
from tests.isolation.setting import domain_specs, plugin, setting
from tests.workers.processes import descendants

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits are enforced on Linux")

HI = UserMessage((Text("hi"),))


@pytest.mark.parametrize(
    ("descriptor", "words"),
    [
        (plugin("x", "BrokenInit"), ("plugin 'x'", "ValueError")),
        (plugin("x", "Absent"), ("plugin 'x'", "AttributeError")),
        (plugin("x", "Observer", hooks=("after_tool",)), ("plugin 'x'", "hook_missing")),
    ],
)
async def test_a_plugin_that_cannot_be_made_is_named_at_start(
    descriptor: PluginDescriptor, words: tuple[str, ...]
) -> None:
    pool = WorkerPool(domain_specs([descriptor, plugin("y", "BrokenInit")]), workers=1)
    with pytest.raises(StartError) as caught:
        await pool.start()
    assert all(word in str(caught.value) for word in (*words, "plugin 'y'"))
    assert "secret" not in str(caught.value)


async def test_a_plugin_whose_start_hangs_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("adk_decl.workers.domain._START_SECONDS", 0.4)
    pool = WorkerPool(domain_specs([plugin("x", "HangingInit")]), workers=1)
    with pytest.raises(StartError, match="took longer"):
        await pool.start()
    assert not descendants(os.getpid())


async def test_plugins_are_told_when_their_worker_ends(tmp_path: Path) -> None:
    chain = (plugin("a", log=str(tmp_path / "log")),)
    async with setting(*chain, workers=1) as live:
        await live.run(chain, HI)
    assert (tmp_path / "log").read_text().split() == ["a", "closed", "closed"]


async def test_tracebacks_are_shown_only_for_debugging(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    chain = (plugin("a", do="raise"),)
    with (tmp_path / "debug").open("wb") as file:
        async with setting(*chain, debug_fd=file.fileno()) as live:
            await live.run(chain, HI)
    assert "a secret that must not be shown" in (tmp_path / "debug").read_text()
    async with setting(*chain) as live:
        await live.run(chain, HI)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("do", "argument", "phase", "why"),
    [
        ("bogus", None, "before_run", "invalid_result: `int` is no outcome"),
        ("amend_name", "x", "before_tool", "invalid_result: before_tool can't amend `name`"),
        ("return", "x", "before_tool", "invalid_result: before_tool returns `ToolResult`, not `Content`"),
        ("append", "x", "before_tool", None),
        ("large", 300_000, "before_run", "result_too_large: more than 262144 bytes"),
        ("set", None, "before_tool", "invalid_result_type: a value that is not JSON"),
        ("keep_unknown", None, "before_model", "invalid_result: messages that are no `Message`"),
        ("amend_error", "x", "before_run", "invalid_result: before_run amends `UserMessage`, not `ToolResult`"),
    ],
)
async def test_debugging_shows_why_an_answer_was_refused(
    do: str, argument: Any, phase: str, why: str | None, tmp_path: Path
) -> None:
    chain = (plugin("a", do=do, with_=argument),)
    value = {"before_run": HI, "before_tool": ToolCall("t", {"a": 1}), "before_model": ModelRequest("m")}[phase]
    with (tmp_path / "debug").open("wb") as file:
        async with setting(*chain, debug_fd=file.fileno()) as live:
            await live.run(chain, value, phase=phase)
    assert (why or "AttributeError") in (tmp_path / "debug").read_text()
