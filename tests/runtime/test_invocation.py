"""The order of phases, what each outcome changes, and what a failure of each kind ends."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest

from adk_decl.errors import ModelError, PluginFailed, PluginHalted, RunTimeout
from adk_decl.models.script import Reply
from adk_decl.plugins.outcomes import amend, halt, ret, text_content, text_response
from adk_decl.values.phase_values import Event, ModelRequest, UserMessage
from tests.runtime.doubles import World, call, calls, crash, says, spy, text, tool

BASE_TEXT = [
    "p:on_user_message", "p:before_run", "p:on_event", "P:user", "p:before_agent", "p:before_model", "p:after_model",
    "p:after_agent", "p:on_event", "P:final", "p:after_run",
]  # fmt: skip
CALLBACKS = ("before_agent", "after_agent", "before_model", "after_model", "before_tool", "after_tool", "on_tool_error")


async def test_a_text_run_meets_its_phases_in_order() -> None:
    world = World(says("hello"), plugins={"p": spy()})
    content, output = await world.run()
    assert world.log == BASE_TEXT
    assert (content.text, output) == ("hello", "hello")
    assert await world.stored() == ["user: hi", "helper: hello"]


async def test_runner_agent_and_local_run_in_this_order_and_reversed_under_priority() -> None:
    only = ("before_model", "after_model")
    hooks = {name: (lambda meta, value: None) for name in only}
    for order, after in (("declared", ["g", "a", "L.after_model"]), ("priority", ["L.after_model", "a", "g"])):
        world = World(says("x"), plugins={"g": hooks}, agent_plugins={"a": hooks}, callbacks=hooks, order=order)
        await world.run()
        called = [line for line in world.log if not line.startswith("P:")]
        assert called == [
            *(f"{name}:before_model" for name in ("g", "a", "L.before_model")),
            *(f"{name}:after_model" for name in after),
        ]


async def test_priority_sorts_ascending_before_and_exactly_reversed_after() -> None:
    hooks = {"before_model": lambda m, v: None, "after_model": lambda m, v: None, "on_event": lambda m, v: None}
    plugins = {"p": hooks, "q": hooks, "r": hooks}
    world = World(says("x"), plugins=plugins, order="priority", priorities={"p": 10, "q": -10, "r": 10})
    await world.run()
    assert [line for line in world.log if "before_model" in line] == [f"{n}:before_model" for n in "qpr"]
    assert [line for line in world.log if "after_model" in line] == [f"{n}:after_model" for n in "rpq"]
    assert [line for line in world.log if "on_event" in line][:3] == [f"{n}:on_event" for n in "qpr"]


@pytest.mark.parametrize("phase", ["on_user_message", "before_run"])
async def test_a_return_before_the_run_is_the_answer_and_the_user_message_is_not_stored(phase: str) -> None:
    hooks = {**spy(), phase: lambda m, v: ret(text_content("x"))}
    world = World(plugins={"p": hooks})
    content, _ = await world.run()
    assert content.text == "x"
    assert await world.stored() == ["helper: x"]
    assert world.log[-3:] == ["p:on_event", "P:final", "p:after_run"]


@pytest.mark.parametrize("phase", ["on_user_message", "before_run"])
async def test_an_amended_message_is_stored_and_sent(phase: str) -> None:
    seen: list[str] = []
    hooks = {phase: lambda m, v: amend(parts=text("B")), "before_model": lambda m, v: seen.append(v.messages[-1].text)}
    world = World(says("x"), plugins={"p": hooks})
    await world.run("A")
    assert (await world.stored())[0] == "user: B"
    assert seen == ["B"]


async def test_an_amended_message_of_before_agent_reaches_the_model_and_not_the_session() -> None:
    seen: list[str] = []
    hooks = {
        "before_agent": lambda m, v: amend(parts=text("B")),
        "before_model": lambda m, v: seen.append(v.messages[-1].text),
    }
    world = World(says("x"), plugins={"p": hooks})
    await world.run("A")
    assert (await world.stored())[0] == "user: A"
    assert seen == ["B"]


async def test_before_agent_may_answer_and_after_agent_still_runs() -> None:
    world = World(plugins={"p": {**spy(), "before_agent": lambda m, v: ret(text_content("x"))}})
    await world.run()
    assert "p:before_model" not in world.log
    assert "p:after_agent" in world.log


async def test_before_model_may_answer_and_after_model_still_runs() -> None:
    world = World(plugins={"p": {**spy(), "before_model": lambda m, v: ret(text_response("c"))}})
    content, _ = await world.run()
    assert content.text == "c"
    assert "p:after_model" in world.log


async def test_amended_request_reaches_the_model() -> None:
    class Model:
        seen: list[ModelRequest] = []  # noqa: RUF012

        async def generate(self, request: ModelRequest, call: Any) -> Any:
            self.seen.append(request)
            yield text_response("x")

    world = World(plugins={"p": {"before_model": lambda m, v: amend(instruction="Be brief.")}})
    world.model = Model()
    await world.run()
    assert Model.seen[0].instruction == "Be brief."


@pytest.mark.parametrize(
    ("phase", "tail", "stored"),
    [
        ("on_user_message", ["p:on_user_message", "p:on_run_error"], 0),
        ("before_run", ["p:before_run", "p:on_run_error"], 0),
        ("on_event", ["p:on_event", "p:on_run_error"], 0),
        ("before_agent", ["p:before_agent", "p:on_run_error"], 1),
        ("before_model", ["p:before_model", "p:on_agent_error", "p:on_run_error"], 1),
        ("after_model", ["p:after_model", "p:on_agent_error", "p:on_run_error"], 1),
        ("after_agent", ["p:after_agent", "p:on_run_error"], 1),
    ],
)
@pytest.mark.parametrize("how", ["closed failure", "halt"])
async def test_what_a_closed_failure_or_a_halt_ends(phase: str, tail: list[str], stored: int, how: str) -> None:
    hook = crash if how == "closed failure" else (lambda m, v: halt("no"))
    world = World(says("x"), plugins={"p": {**spy(), phase: hook}}, closed=("p",))
    with pytest.raises(PluginFailed if how == "closed failure" else PluginHalted) as caught:
        await world.run()
    told = caught.value.to_dict()
    assert (told["plugin_id"], told["hook"]) == ("p", phase)
    assert world.log[-len(tail) :] == tail
    assert len(await world.stored()) == stored


async def test_an_open_failure_is_loud_and_the_run_goes_on() -> None:
    world = World(says("x"), plugins={"p": {"before_model": crash}})
    await world.run()
    assert world.invocation is not None
    assert world.invocation.lifecycle.warnings == [
        "plugin 'p' failed in before_model: exception; the run went on without it"
    ]


async def test_on_event_rewrites_what_is_stored_and_what_the_model_sees() -> None:
    seen: list[str] = []

    def rewrite(meta: Any, value: Event) -> Any:
        return amend(content=text("clean")) if value.author == "user" else None

    world = World(
        says("x"), plugins={"p": {"on_event": rewrite, "before_model": lambda m, v: seen.append(v.messages[-1].text)}}
    )
    await world.run("dirty")
    assert (await world.stored())[0] == "user: clean"
    assert seen == ["clean"]


async def test_the_second_message_sees_the_first() -> None:
    seen: list[int] = []
    world = World(says("one"), plugins={"p": {"before_model": lambda m, v: seen.append(len(v.messages))}})
    await world.run()
    await world.run("again")
    assert seen == [1, 3]


async def test_a_run_timeout_is_told_to_agent_and_run() -> None:
    reasons: list[str] = []
    hooks = {
        "on_agent_error": lambda m, v: reasons.append(v.reason),
        "on_run_error": lambda m, v: reasons.append(v.reason),
    }
    world = World(Reply(text="late", delay_ms=60_000), plugins={"p": hooks}, run_timeout_ms=30)
    with pytest.raises((RunTimeout, ModelError)):
        await world.run()
    assert len(reasons) == 2


async def test_the_timeout_of_a_run_does_not_reach_its_last_notification() -> None:
    told: list[str] = []

    async def slow(meta: Any, value: Any) -> None:
        await asyncio.sleep(0.1)
        told.append(value.text)

    hooks = {"after_run": slow, "on_run_error": lambda m, v: told.append(v.reason)}
    world = World(says("x"), plugins={"p": hooks}, run_timeout_ms=60)
    content, _ = await world.run()
    assert (content.text, told) == ("x", ["x"])


async def test_a_run_that_fails_at_its_end_still_has_time_to_tell() -> None:
    world = World(Reply(error="server_error", delay_ms=40), plugins={"p": spy(("on_run_error",))}, run_timeout_ms=50)
    began = time.monotonic()
    with pytest.raises((ModelError, RunTimeout)):
        await world.run()
    assert world.executor.deadlines[-1] is not None
    assert world.executor.deadlines[-1] - began > 0.4


async def test_cancellation_is_told_and_passed_on() -> None:
    started = asyncio.Event()
    reasons: list[str] = []

    async def hang() -> None:
        started.set()
        await asyncio.Event().wait()

    world = World(
        calls(call("work", "c")),
        plugins={
            "p": {
                "on_run_error": lambda m, v: reasons.append(v.reason),
                "on_agent_error": lambda m, v: reasons.append(v.reason),
            }
        },
        tools=(tool("work"),),
        functions={"work": hang},
    )
    task = asyncio.create_task(world.run())
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert reasons == ["cancelled", "cancelled"]
    assert world.function_tools.running == 0


@pytest.mark.parametrize("phase", ["after_run", "on_run_error", "on_agent_error"])
async def test_notifications_change_nothing(phase: str) -> None:
    reply = says("x") if phase == "after_run" else Reply(error="server_error")
    world = World(reply, plugins={"p": {phase: crash}}, closed=("p",))
    if phase == "after_run":
        await world.run()
    else:
        with pytest.raises(ModelError):
            await world.run()


async def test_the_user_message_is_a_payload_with_text() -> None:
    assert UserMessage(parts=text("a")).text == "a"
