"""The same chain inside the host, for plugins that are safe there."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest

from adk_decl.errors import PluginFailed, StartError
from adk_decl.isolation.executor import HookExecutor
from adk_decl.plan.model import PluginDescriptor
from adk_decl.plan.phases import PHASES
from adk_decl.values import Text, ToolCall, UserMessage
from adk_decl.values.payload import Payload
from tests.isolation.setting import META, outcomes, plugin, setting

HI = UserMessage((Text("hi"),))


def inline(plugin_id: str, attribute: str = "Act", **fields: object) -> PluginDescriptor:
    """A descriptor of a plugin that runs in the host."""
    return plugin(plugin_id, attribute, isolation="inline", **fields)


async def run(
    chain: tuple[PluginDescriptor, ...], value: Payload, phase: str = "before_run", deadline: float | None = None
) -> Any:
    """Run a chain of inline plugins without any pool."""
    executor = HookExecutor(chain, None, max_input_bytes=1 << 20)
    await executor.open()
    try:
        return await executor.run_chain(PHASES[phase], chain, META, value, deadline=deadline)
    finally:
        await executor.close()


async def test_it_amends_and_traces_as_workers_do() -> None:
    result = await run((inline("a", do="append", with_="1"), inline("b", do="append", with_="2")), HI)
    assert (result.disposition, result.value.text, outcomes(result)) == ("amended", "hi12", ["amended", "amended"])


async def test_a_change_in_place_reaches_nobody() -> None:
    call = ToolCall("t", {"x": 1, "inner": {"y": 1}}, "c")
    result = await run((inline("bad", do="mutate"), inline("next", do="see_args")), call, "before_tool")
    assert call.args == {"x": 1, "inner": {"y": 1}}
    assert result.value.args == {"seen": ["inner", "x"], "x": 1, "inner": {"y": 1}}


async def test_an_async_hook_is_ended_at_its_time() -> None:
    began = time.monotonic()
    result = await run((inline("w", "AsyncAct", timeout_ms=40), inline("a", do="append", with_="1")), HI)
    assert outcomes(result) == ["timeout", "amended"]
    assert time.monotonic() - began < 0.2


async def test_the_deadline_of_the_run_counts() -> None:
    result = await run((inline("w", "AsyncAct"), inline("a")), HI, deadline=time.monotonic() + 0.04)
    assert outcomes(result) == ["timeout", "observed"] or outcomes(result) == ["timeout", "timeout"]


async def test_a_hook_that_does_not_yield_is_late_afterwards() -> None:
    result = await run((inline("s", do="sleep", with_=0.03, timeout_ms=10), inline("a", do="append", with_="1")), HI)
    assert outcomes(result) == ["timeout", "amended"]


@pytest.mark.parametrize("do", ["raise", "system_exit"])
async def test_what_a_hook_raises_is_its_failure(do: str) -> None:
    result = await run((inline("s", do=do, failure_policy="closed"),), HI)
    assert result.error == PluginFailed("s", "before_run", "exception")


async def test_a_cancellation_goes_through() -> None:
    chain = (inline("w", "AsyncAct", timeout_ms=60_000),)
    task = asyncio.create_task(run(chain, HI))
    await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_neighbours_in_workers_are_trips_of_their_own() -> None:
    chain = (
        plugin("a", do="append", with_="1"),
        inline("b", do="append", with_="2"),
        plugin("c", do="append", with_="3"),
    )
    async with setting(*chain) as live:
        result = await live.run(chain, HI)
    assert [(entry.plugin_id, entry.index) for entry in result.trace] == [("a", 0), ("b", 1), ("c", 2)]
    assert result.value.text == "hi123"  # type: ignore[attr-defined]


async def test_a_plugin_that_cannot_be_made_is_named() -> None:
    executor = HookExecutor((inline("x", "BrokenInit"),), None, max_input_bytes=1)
    with pytest.raises(StartError, match="plugin 'x' can't be used: ValueError"):
        await executor.open()


async def test_plugins_are_told_when_the_host_closes(tmp_path: Path) -> None:
    await run((inline("a", log=str(tmp_path / "log")),), HI)
    assert (tmp_path / "log").read_text().split() == ["a", "closed"]


async def test_an_author_sees_what_an_inline_hook_raised_and_nobody_else() -> None:
    chain = (inline("x", do="raise"),)
    shown: list[BaseException] = []
    executor = HookExecutor(chain, None, max_input_bytes=1 << 20, show_exception=shown.append)
    await executor.open()
    try:
        result = await executor.run_chain(PHASES["before_run"], chain, META, HI)
    finally:
        await executor.close()
    assert [entry.outcome for entry in result.trace] == ["exception"]
    assert [type(error) for error in shown] == [ValueError]
