"""The order of phases, what each outcome changes, and what a failure of each kind ends."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from adk_decl.errors import LimitReached, ModelError, OutputInvalid, PluginFailed, PluginHalted, RunTimeout
from adk_decl.models.script import Reply, When
from adk_decl.plugins.outcomes import amend, halt, ret, text_content, text_response, tool_error, tool_response
from adk_decl.values.content import Text, ToolResultPart
from adk_decl.values.phase_values import Event, ModelRequest, UserMessage
from tests.runtime.doubles import KEY, Crash, World, call, calls, says, spy, tool

BASE_TEXT = [
    "p:on_user_message", "p:before_run", "p:on_event", "P:user", "p:before_agent", "p:before_model", "p:after_model",
    "p:after_agent", "p:on_event", "P:final", "p:after_run",
]  # fmt: skip
CALLBACKS = ("before_agent", "after_agent", "before_model", "after_model", "before_tool", "after_tool", "on_tool_error")


def crash(meta: Any, value: Any) -> None:
    raise Crash


def text(value: str) -> tuple[Text, ...]:
    return (Text(value),)


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


async def test_a_model_error_may_be_mended_and_then_meets_after_model() -> None:
    world = World(
        Reply(error="server_error"), plugins={"p": {**spy(), "on_model_error": lambda m, v: ret(text_response("f"))}}
    )
    content, _ = await world.run()
    assert content.text == "f"
    start = world.log.index("p:before_model")
    assert world.log[start : start + 3] == ["p:before_model", "p:on_model_error", "p:after_model"]


async def test_a_model_error_that_stays_is_told_to_agent_and_run() -> None:
    world = World(Reply(error="server_error"), plugins={"p": spy()})
    with pytest.raises(ModelError) as caught:
        await world.run()
    assert caught.value.reason == "server_error"
    assert world.log[-4:] == ["p:before_model", "p:on_model_error", "p:on_agent_error", "p:on_run_error"]
    assert await world.stored() == ["user: hi"]


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


async def test_limits_end_the_run_without_on_agent_error() -> None:
    world = World(
        *(calls(call("work", f"c{i}")) for i in range(5)),
        plugins={"p": spy()},
        tools=(tool("work"),),
        functions={"work": lambda: 1},
        max_model_calls=2,
    )
    with pytest.raises(LimitReached) as caught:
        await world.run()
    assert caught.value.limit == "max_model_calls"
    assert world.log[-1] == "p:on_run_error"
    assert "p:on_agent_error" not in world.log


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


SCHEMA = {"type": "object", "required": ["answer"], "properties": {"answer": {"type": "string"}}}


async def test_structured_output_is_decoded() -> None:
    world = World(says('{"answer": "yes"}'), output_schema=SCHEMA)
    _, output = await world.run()
    assert output == {"answer": "yes"}


@pytest.mark.parametrize("reply", ["not json", '{"answer": 5}'])
async def test_output_that_does_not_fit_ends_the_run_before_the_final_event(reply: str) -> None:
    world = World(says(reply), output_schema=SCHEMA)
    with pytest.raises(OutputInvalid) as caught:
        await world.run()
    assert reply not in str(caught.value)
    assert await world.stored() == ["user: hi"]


async def test_streamed_chunks_are_delivered_and_not_stored() -> None:
    world = World(Reply(chunks=("he", "llo")), stream=True)
    content, _ = await world.run()
    assert [e.text for e in world.delivered if e.partial] == ["he", "llo"]
    assert content.text == "hello"
    assert len(await world.stored()) == 2


async def test_chunks_wait_for_a_plugin_that_may_change_the_response() -> None:
    world = World(
        Reply(chunks=("se", "cret")),
        plugins={"g": {"after_model": lambda m, v: amend(content=text("[masked]"))}},
        stream=True,
    )
    content, _ = await world.run()
    assert [e.text for e in world.delivered if e.partial] == ["[masked]"]
    assert content.text == "[masked]"


async def test_nothing_is_streamed_when_the_final_content_may_still_change() -> None:
    world = World(
        Reply(chunks=("se", "cret")),
        plugins={"g": {"after_agent": lambda m, v: amend(parts=text("[masked]"))}},
        stream=True,
    )
    await world.run()
    assert not [e for e in world.delivered if e.partial]
    assert all("secret" not in e.text for e in world.delivered)


async def test_a_chunk_that_a_plugin_refuses_is_a_failed_model_call() -> None:
    def refuse(meta: Any, value: Event) -> None:
        if value.partial:
            raise Crash

    world = World(
        Reply(chunks=("a",)),
        plugins={"p": {"on_event": refuse, "on_model_error": lambda m, v: ret(text_response(v.reason))}},
        closed=("p",),
        stream=True,
    )
    content, _ = await world.run()
    assert content.text == "stream_event_failed"


async def test_an_unanswered_call_of_an_earlier_run_is_closed_for_the_model() -> None:
    gone = asyncio.Event()

    async def die() -> None:
        gone.set()
        await asyncio.Event().wait()

    seen: list[Any] = []
    world = World(
        Reply(when=When(contains="first"), tool_calls=calls(call("work", "c")).tool_calls),
        says("x", contains="again"),
        plugins={"p": {"before_model": lambda m, v: seen.append(v.messages)}},
        tools=(tool("work"),),
        functions={"work": die},
    )
    task = asyncio.create_task(world.run("first"))
    await gone.wait()
    task.cancel()
    await asyncio.wait({task})
    await world.run("again")
    roles = [message.role for message in seen[-1]]
    assert roles == ["user", "assistant", "tool", "user"]


async def test_the_user_message_is_a_payload_with_text() -> None:
    assert UserMessage(parts=text("a")).text == "a"
