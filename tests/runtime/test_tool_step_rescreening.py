"""Guards see a tool call as it will be made: what a later plugin amended is screened again."""

from __future__ import annotations

from typing import Any

import pytest

from adk_decl.plugins.outcomes import amend, ret, tool_error
from adk_decl.values.content import ToolResultPart
from tests.runtime.doubles import KEY, Hooks, World, call, calls, crash, says, tool


def raises_x(meta: Any, value: Any) -> Any:
    """Amends the arguments, which differ each time."""
    return amend(args={"x": value.args["x"] + 1})


def refuses_2(meta: Any, value: Any) -> Any:
    """A guard that refuses one argument."""
    return ret(tool_error("denied").replace(name=value.name, call_id=value.call_id)) if value.args["x"] == 2 else None


def observes(meta: Any, value: Any) -> None:
    """A guard that lets everything pass."""


async def run(before: dict[str, Any], *, guards: tuple[str, ...] = ("guard",), **more: Any) -> tuple[World, Any]:
    """One call of a tool with x = 1 and plugins that serve before_tool; the world and the body of the result."""
    plugins: dict[str, Hooks] = {name: {"before_tool": hook} for name, hook in before.items()}
    world = World(
        calls(call("work", "c", x=1)),
        says("done"),
        plugins=plugins,
        guards=guards,
        tools=(tool("work"),),
        functions={"work": lambda x: x},
        **more,
    )
    await world.run()
    events = await world.store.events(KEY)
    return world, next(p for e in events for p in e.content if isinstance(p, ToolResultPart)).body


def hooks(world: World) -> list[str]:
    return [line.removesuffix(":before_tool") for line in world.log if "tool" in line and not line.startswith("P:")]


async def test_a_guard_refuses_what_a_later_plugin_made_of_a_call() -> None:
    world, body = await run({"guard": refuses_2, "helper": raises_x})
    assert hooks(world) == ["guard", "helper", "guard"]
    assert body["error"]["reason"] == "denied"
    assert "T:c" not in world.log
    assert [[e.outcome for e in r.entries] for r in world.records if r.phase == "before_tool"] == [
        ["observed", "amended"],
        ["returned"],
    ]


async def test_an_amendment_that_the_guard_allows_counts() -> None:
    world, body = await run({"guard": observes, "helper": raises_x})
    assert hooks(world) == ["guard", "helper", "guard"]
    assert body == {"success": True, "result": 2}


async def test_a_guard_that_stands_behind_is_not_asked_again() -> None:
    world, _ = await run({"helper": raises_x, "guard": observes})
    assert hooks(world) == ["helper", "guard"]


async def test_without_an_amendment_or_a_guard_nothing_runs_twice() -> None:
    assert hooks((await run({"guard": observes, "helper": observes}))[0]) == ["guard", "helper"]
    assert hooks((await run({"guard": observes, "helper": raises_x}, guards=()))[0]) == ["guard", "helper"]


async def test_a_local_callback_is_screened_too() -> None:
    world, body = await run({"guard": refuses_2}, callbacks={"before_tool": raises_x})
    assert hooks(world) == ["guard", "L.before_tool", "guard"]
    assert body["error"]["reason"] == "denied"


async def test_a_guard_that_amends_is_seen_by_the_guards_before_it() -> None:
    seen = iter([None, amend(args={"x": 7})])
    world, body = await run(
        {"first": observes, "second": lambda m, v: next(seen, None), "helper": raises_x}, guards=("first", "second")
    )
    assert hooks(world) == ["first", "second", "helper", "first", "second", "first"]
    assert body == {"success": True, "result": 7}


async def test_guards_that_never_agree_fail_the_call() -> None:
    world, body = await run({"first": raises_x, "second": raises_x}, guards=("first", "second"))
    assert body["error"]["reason"] == "plugin_failed"
    assert body["error"]["details"]["failure"] == "invalid_result"
    assert "T:c" not in world.log
    assert len(hooks(world)) < 12


@pytest.mark.parametrize("closed", [True, False])
async def test_the_policy_of_a_guard_holds_when_it_runs_again(closed: bool) -> None:
    turns = iter([observes, crash])
    world, body = await run(
        {"guard": lambda m, v: next(turns)(m, v), "helper": raises_x}, closed=("guard",) if closed else ()
    )
    assert ("T:c" in world.log) is not closed
    assert body["success"] is not closed


async def test_amended_arguments_are_checked_after_the_screening() -> None:
    _, body = await run({"guard": observes, "helper": lambda m, v: amend(args={"bad": 1})})
    assert body["error"]["reason"] == "invalid_plugin_amendment"
