"""Tool calls with their phases: order, admission, failures, attempts, limits."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from adk_decl.errors import LimitReached, PluginHalted
from adk_decl.models.script import Reply
from adk_decl.plugins.outcomes import amend, halt, ret, tool_error, tool_response
from adk_decl.values.content import ToolResultPart
from tests.runtime.doubles import KEY, Crash, World, call, calls, crash, says, spy, tool


async def test_tools_run_between_two_model_calls() -> None:
    world = World(
        calls(call("look", "c1", a=1)),
        says("done"),
        plugins={"p": spy()},
        tools=(tool("look"),),
        functions={"look": lambda a: a},
    )
    await world.run()
    start = world.log.index("p:after_model")
    assert world.log[start : start + 9] == [
        "p:after_model",
        "p:on_event",
        "P:helper",
        "p:before_tool",
        "T:c1",
        "p:after_tool",
        "p:on_event",
        "P:tool",
        "p:before_model",
    ]


async def test_parallel_calls_enter_in_order_run_together_and_leave_in_order() -> None:
    gate = asyncio.Event()

    async def slow() -> str:
        await gate.wait()
        return "slow"

    async def fast() -> str:
        gate.set()
        return "fast"

    world = World(
        calls(call("slow", "1"), call("fast", "2")),
        says("x"),
        plugins={"p": {"before_tool": lambda m, v: None, "after_tool": lambda m, v: None}},
        tools=(tool("slow"), tool("fast")),
        functions={"slow": slow, "fast": fast},
    )
    await world.run()
    tail = world.log[world.log.index("p:before_tool") :]
    assert tail[:8] == [
        "p:before_tool", "p:before_tool", "T:1", "T:2", "p:after_tool", "P:tool", "p:after_tool", "P:tool",
    ]  # fmt: skip
    assert world.function_tools.most_running == 2


async def test_a_serial_tool_runs_one_call_at_a_time() -> None:
    world = World(
        calls(call("one", "1"), call("one", "2")),
        says("x"),
        plugins={"p": {"before_tool": lambda m, v: None, "after_tool": lambda m, v: None}},
        tools=(tool("one", max_concurrency=1),),
        functions={"one": lambda: "r"},
    )
    await world.run()
    tail = world.log[world.log.index("p:before_tool") :]
    assert tail[:8] == [
        "p:before_tool", "T:1", "p:after_tool", "P:tool", "p:before_tool", "T:2", "p:after_tool", "P:tool",
    ]  # fmt: skip


async def _tool_world(plugin: Any, *, closed: bool = False, fails: bool = False) -> tuple[World, dict[str, Any]]:
    def work() -> str:
        if fails:
            raise Crash
        return "v"

    world = World(
        calls(call("work", "c")),
        says("done"),
        plugins={"p": {**spy(), **plugin}},
        closed=("p",) if closed else (),
        tools=(tool("work"),),
        functions={"work": work},
    )
    await world.run()
    events = await world.store.events(KEY)
    part = next(p for e in events for p in e.content if isinstance(p, ToolResultPart))
    return world, part.body


def tool_lines(world: World) -> list[str]:
    return [line for line in world.log if "tool" in line or line.startswith("T:")]


async def test_before_tool_may_answer_and_after_tool_still_runs() -> None:
    world, body = await _tool_world({"before_tool": lambda m, v: ret(tool_response("r", name="work", call_id="c"))})
    assert tool_lines(world) == ["p:before_tool", "p:after_tool", "P:tool"]
    assert body == {"success": True, "result": "r"}


async def test_a_closed_failure_before_a_tool_fails_that_call_alone() -> None:
    world, body = await _tool_world({"before_tool": crash}, closed=True)
    assert tool_lines(world) == ["p:before_tool", "p:on_tool_error", "p:after_tool", "P:tool"]
    assert body["success"] is False
    assert body["error"]["reason"] == "plugin_failed"


async def test_a_closed_failure_after_a_tool_fails_that_call_alone() -> None:
    world, body = await _tool_world({"after_tool": crash}, closed=True)
    assert tool_lines(world) == ["p:before_tool", "T:c", "p:after_tool", "P:tool"]
    assert body["error"]["reason"] == "plugin_failed"


async def test_a_closed_failure_of_the_error_hook_replaces_the_error() -> None:
    world, body = await _tool_world({"on_tool_error": crash}, closed=True, fails=True)
    assert tool_lines(world) == ["p:before_tool", "T:c", "p:on_tool_error", "p:after_tool", "P:tool"]
    assert body["error"]["reason"] == "plugin_failed"


async def test_a_tool_error_may_be_mended() -> None:
    _, body = await _tool_world({"on_tool_error": lambda m, v: ret(v.replace(result="ok", error=None))}, fails=True)
    assert body == {"success": True, "result": "ok"}


async def test_a_plugin_refuses_one_call_with_return() -> None:
    def refuse(meta: Any, value: Any) -> Any:
        return ret(tool_error("not_allowed").replace(name=value.name, call_id=value.call_id))

    world, body = await _tool_world({"before_tool": refuse})
    assert tool_lines(world) == ["p:before_tool", "p:on_tool_error", "p:after_tool", "P:tool"]
    assert body["error"]["reason"] == "not_allowed"


async def test_a_halt_around_a_tool_ends_the_run() -> None:
    world = World(
        calls(call("work", "c")),
        plugins={"p": {**spy(), "before_tool": lambda m, v: halt("no")}},
        tools=(tool("work"),),
    )
    with pytest.raises(PluginHalted):
        await world.run()
    assert world.log[-3:] == ["p:before_tool", "p:on_agent_error", "p:on_run_error"]


async def test_an_unknown_tool_meets_the_plugins_and_fails() -> None:
    world = World(calls(call("nope", "c")), says("x"), plugins={"p": spy()})
    await world.run()
    assert tool_lines(world) == ["p:before_tool", "p:on_tool_error", "p:after_tool", "P:tool"]


async def test_arguments_that_do_not_fit_never_meet_a_plugin() -> None:
    world = World(
        calls(call("work", "c", bad=1)),
        says("x"),
        plugins={"p": spy()},
        tools=(tool("work"),),
        functions={"work": lambda: 1},
    )
    await world.run()
    assert tool_lines(world) == ["P:tool"]


async def test_amended_arguments_are_checked_again() -> None:
    world, body = await _tool_world({"before_tool": lambda m, v: amend(args={"bad": 1})})
    assert "T:c" not in world.log
    assert body["error"]["reason"] == "invalid_plugin_amendment"


async def test_attempts_count_steps_in_a_row_and_start_anew_after_a_success() -> None:
    attempts: list[int | None] = []
    outcomes = iter([False, False, True, False])

    def work() -> str:
        if not next(outcomes):
            raise Crash
        return "ok"

    world = World(
        *(calls(call("work", f"c{i}")) for i in range(4)),
        says("x"),
        plugins={"p": {"on_tool_error": lambda m, v: attempts.append(m.attempt)}},
        tools=(tool("work"),),
        functions={"work": work},
    )
    await world.run()
    assert attempts == [1, 2, 1]


async def test_failures_of_one_step_count_as_one_attempt() -> None:
    attempts: list[int | None] = []

    def work() -> str:
        raise Crash

    world = World(
        calls(call("work", "1"), call("work", "2")),
        calls(call("work", "3")),
        says("x"),
        plugins={"p": {"on_tool_error": lambda m, v: attempts.append(m.attempt)}},
        tools=(tool("work"),),
        functions={"work": work},
    )
    await world.run()
    assert attempts == [1, 1, 2]


async def test_calls_without_an_id_or_with_one_twice_get_their_own() -> None:
    world = World(
        Reply(tool_calls=calls(call("work", "x"), call("work", "x")).tool_calls),
        says("x"),
        tools=(tool("work"),),
        functions={"work": lambda: 1},
    )
    await world.run()
    ids = [p.call_id for e in await world.store.events(KEY) for p in e.content if isinstance(p, ToolResultPart)]
    assert len(set(ids)) == 2


async def test_the_tool_call_limit_counts_every_call() -> None:
    world = World(
        calls(call("work", "1"), call("work", "2")),
        tools=(tool("work"),),
        functions={"work": lambda: 1},
        max_tool_calls=1,
    )
    with pytest.raises(LimitReached) as caught:
        await world.run()
    assert caught.value.limit == "max_tool_calls"
    assert "T:1" not in world.log
