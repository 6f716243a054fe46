"""The call loop: order, policies, fresh values, what is kept for a host that has to kill it."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from adk_decl.plugins import (
    Message,
    ModelRequest,
    Text,
    ToolCall,
    UserMessage,
    amend,
    halt,
    keep,
    ret,
    text_content,
    tool_error,
)
from adk_decl.plugins.chain import CONTINUE, FAILED, HALTED, RETURNED
from adk_decl.wire import decode
from tests.plugins.run_hooks import RecordingControl, outcomes, run, step

HI = UserMessage((Text("hi"),))


def append(text: str) -> Any:
    """A hook that appends text."""
    return lambda ctx, value: amend(parts=(Text(value.text + text),))


def fail(ctx: Any, value: Any) -> Any:
    """A hook that raises."""
    raise ValueError("a secret")


def test_each_hook_sees_what_the_one_before_made() -> None:
    reply = run("before_run", HI, [append("1"), lambda ctx, value: None, append("2")])
    assert outcomes(reply) == ["amended", "observed", "amended"]
    assert decode(reply.patch[0]) == [{"type": "text", "text": "hi12"}]
    assert (reply.next, reply.disposition) == (3, CONTINUE)


def test_an_open_failure_keeps_the_value_and_a_closed_one_ends() -> None:
    reply = run("before_run", HI, [append("1"), fail, append("2")])
    assert outcomes(reply) == ["amended", "exception", "amended"]
    reply = run("before_run", HI, [append("1"), step(fail, closed=True), append("2")])
    assert (outcomes(reply), reply.disposition, reply.next) == (["amended", "exception"], FAILED, 2)


def test_return_and_halt_end_the_phase() -> None:
    reply = run("before_run", HI, [lambda ctx, value: ret(text_content("x")), append("2")])
    assert (reply.disposition, [decode(field) for field in reply.value]) == (
        RETURNED,
        [[{"type": "text", "text": "x"}]],
    )
    reply = run("before_run", HI, [lambda ctx, value: halt({"token": "t"}), append("2")])
    assert (reply.disposition, decode(reply.value[0])) == (HALTED, {"token": "[REDACTED]"})


def test_a_notification_goes_on_whatever_happens() -> None:
    hooks: list[Any] = [step(fail, closed=True), lambda ctx, value: halt("x"), lambda ctx, value: 42]
    reply = run("after_run", text_content("x"), hooks)
    assert outcomes(reply) == ["exception", "notification_result_ignored", "notification_result_ignored"]
    assert reply.disposition == CONTINUE


def test_every_hook_gets_a_fresh_value() -> None:
    kept: list[Any] = []

    def mutate(ctx: Any, value: Any) -> None:
        kept.append(value)
        value.args["x"].append(2)

    def look(ctx: Any, value: Any) -> Any:
        assert value is not kept[0]
        return amend(args={"saw": value.args["x"]})

    call = ToolCall("t", {"x": [1]}, "c")
    reply = run("before_tool", call, [mutate, look])
    assert decode(reply.patch[1]) == {"saw": [1]}
    assert call.args == {"x": [1]}


def test_amending_a_value_that_was_changed_in_place_counts() -> None:
    def mutate(ctx: Any, value: Any) -> Any:
        value.args["x"] = 2
        return amend(value)

    reply = run("before_tool", ToolCall("t", {"x": 1}, "c"), [mutate])
    assert decode(reply.patch[1]) == {"x": 2}


def test_a_returned_result_belongs_to_the_call() -> None:
    reply = run("before_tool", ToolCall("t", {"x": 1}, "c"), [lambda ctx, value: ret(tool_error("no"))])
    name, call_id, args = (decode(field) for field in reply.value[:3])
    assert (name, call_id, args) == ("t", "c", {"x": 1})


def test_messages_travel_back_as_ids_and_new_ones_get_an_id() -> None:
    request = ModelRequest(
        model="m", messages=tuple(Message(role="user", parts=(Text(name),), id=name) for name in ("a", "b", "c"))
    )

    def first(ctx: Any, value: Any) -> Any:
        return amend(messages=keep(["b", "c"], append=[Message(role="user", parts=(Text("new"),))]))

    def second(ctx: Any, value: Any) -> Any:
        ids = [message.id for message in value.messages]
        return amend(messages=keep(ids[1:], replace={"c": Message(role="user", parts=(Text("C"),))}))

    reply = run("before_model", request, [first, second])
    assert outcomes(reply) == ["amended", "amended"]
    assert decode(reply.patch[2]) == [
        {"role": "user", "parts": [{"type": "text", "text": "C"}], "id": "c"},
        {"role": "user", "parts": [{"type": "text", "text": "new"}], "id": "before_model.0.0"},
    ]


def test_a_whole_list_is_compared_with_what_was_there() -> None:
    messages = tuple(Message(role="user", parts=(Text(name),), id=name) for name in ("a", "b"))
    request = ModelRequest(model="m", messages=messages)
    reply = run("before_model", request, [lambda ctx, value: amend(messages=[value.messages[1], value.messages[1]])])
    first, second = decode(reply.patch[2])
    assert first == "b"
    assert second["id"] not in ("", "a", "b")


def test_checkpoints_are_kept_only_where_something_follows() -> None:
    control = RecordingControl()
    run("before_run", HI, [append("1"), lambda ctx, value: None, append("2")], control=control)
    assert [index for index, _ in control.kept] == [0]
    assert decode(control.kept[0][1]) == [{"0": [{"type": "text", "text": "hi1"}]}, [], []]
    assert control.begun == [(0, 64), (1, 64), (2, 64)]


def test_what_does_not_fit_a_checkpoint_is_answered_at_once() -> None:
    reply = run("before_run", HI, [append("1"), append("2")], control=RecordingControl(room=10))
    assert (reply.next, outcomes(reply)) == (1, ["amended"])


def test_a_resumed_chain_starts_where_it_is_told() -> None:
    reply = run("before_run", HI, [fail, append("1")], control=RecordingControl(start=1))
    assert (reply.next, outcomes(reply)) == (2, ["amended"])


def test_a_late_hook_ends_the_run_only_if_somebody_may_kill_it() -> None:
    hooks = [step(lambda ctx, value: time.sleep(0.003), timeout_ms=1), append("1")]
    assert outcomes(run("before_run", HI, hooks)) == ["timeout", "amended"]
    reply = run("before_run", HI, hooks, stop_when_late=True)
    assert (outcomes(reply), reply.next) == (["timeout"], 1)


def test_memory_errors_are_failures_and_retire_the_worker() -> None:
    def hungry(ctx: Any, value: Any) -> Any:
        raise MemoryError

    control = RecordingControl()
    assert outcomes(run("before_run", HI, [hungry, append("1")], control=control)) == ["heap_exceeded", "amended"]
    assert control.retired


def test_async_hooks_are_awaited_and_may_be_mixed() -> None:
    async def slow(ctx: Any, value: Any) -> Any:
        await asyncio.sleep(0)
        return amend(parts=(Text(value.text + "!"),))

    reply = run("before_run", HI, [append("1"), slow, append("2")])
    assert decode(reply.patch[0])[0]["text"] == "hi1!2"


def test_logs_are_bounded_whatever_a_plugin_does_to_them() -> None:
    def log(ctx: Any, value: Any) -> None:
        for number in range(100):
            ctx.log.info("n", number=number)
        ctx.log.records[0][2]["number"] = object()
        ctx.log.records[1][2]["number"] = "x" * 5000

    reply = run("before_run", HI, [log, lambda ctx, value: None])
    assert len(reply.logs) == 31
    assert decode(reply.logs[-1][1]) == ["warning", "log_records_dropped", {"count": 70}]
    assert all(len(bytes(record)) <= 1024 for _, record in reply.logs)


def test_what_raises_shows_nothing_of_its_text() -> None:
    assert b"secret" not in repr(run("before_run", HI, [fail])).encode()
