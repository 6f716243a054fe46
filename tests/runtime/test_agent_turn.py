"""The agent loop: model errors, limits, streaming, structured output, interrupted conversations."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from adk_decl.errors import LimitReached, ModelError, OutputInvalid
from adk_decl.models.script import Reply, When
from adk_decl.plugins.outcomes import amend, ret, text_response
from adk_decl.values.phase_values import Event
from tests.runtime.doubles import Crash, World, call, calls, says, spy, text, tool


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
