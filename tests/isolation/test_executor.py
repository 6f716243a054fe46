"""Chains of plugins in workers under real faults."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from adk_decl.errors import PluginFailed, PluginHalted
from adk_decl.isolation.executor import HookExecutor
from adk_decl.plan.phases import PHASES
from adk_decl.plugins.trace import PhaseResult
from adk_decl.values import Message, ModelRequest, ModelResponse, Text, ToolCall, ToolCallPart, ToolResult, UserMessage
from adk_decl.values.payload import Payload
from adk_decl.workers.pool import WorkerPool
from tests.isolation.setting import META, Setting, outcomes, plugin, setting
from tests.workers.processes import descendants, until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits are enforced on Linux")

HI = UserMessage((Text("hi"),))
SLACK_MS = 50
"""How late a run may end on a machine that has time for it; of several attempts the best counts."""


def text_of(result: PhaseResult) -> str:
    """The text of a message or content."""
    return "".join(part.text for part in getattr(result.value, "parts"))  # noqa: B009


async def test_an_empty_chain_costs_nothing_and_needs_no_pool() -> None:
    executor = HookExecutor((), None, max_input_bytes=1)
    result = await executor.run_chain(PHASES["before_run"], (), META, HI)
    assert (result.disposition, result.value, result.trace) == ("continue", HI, ())


async def test_amendments_reach_the_next_plugin_and_the_host() -> None:
    chain = (
        plugin("a", do="append", with_="1"),
        plugin("b", do="append", with_="2"),
        plugin("c", "callback", kind="callback", hooks=("before_run",)),
    )
    async with setting(*chain) as live:
        result = await live.run(chain, HI)
    assert result.disposition == "amended"
    assert text_of(result) == "hi12+callback"
    assert [(t.plugin_id, t.hook, t.mode, t.outcome, t.index, t.policy) for t in result.trace] == [
        (name, "before_run", "intervene", "amended", index, "open") for index, name in enumerate("abc")
    ]


@pytest.mark.parametrize("stubborn", [False, True])
async def test_a_task_that_a_hook_left_behind_takes_no_part_in_the_next_call(stubborn: bool) -> None:
    chain = (plugin("a", "Leaver", with_=stubborn),)
    async with setting(*chain, workers=1) as live:
        told = []
        for _ in range(3):
            result = await live.run(chain, HI)
            assert outcomes(result) == ["amended"]
            told.append(text_of(result).split())
    assert [tasks for _, tasks in told] == ["1"] * 3
    assert len({pid for pid, _ in told}) == (3 if stubborn else 1)


FAULTS: list[tuple[str, Any, str, dict[str, Any]]] = [
    ("spin", None, "timeout", {"timeout_ms": 60}),
    ("spin_in_c", None, "timeout", {"timeout_ms": 60}),
    ("swallow", None, "timeout", {"timeout_ms": 60}),
    ("sleep", 0.061, "timeout", {"timeout_ms": 60}),
    ("bomb", None, "heap_exceeded", {"max_heap_mib": 8}),
    ("exit", None, "worker_down", {}),
    ("segfault", None, "worker_down", {}),
    ("system_exit", None, "exception", {}),
    ("raise", None, "exception", {}),
    ("large", 10_000_000, "result_too_large", {}),
    ("object", None, "invalid_result_type", {}),
    ("bogus", None, "invalid_result", {}),
    ("print", None, "observed", {}),
]


@pytest.mark.parametrize(("do", "argument", "outcome", "limits"), FAULTS)
@pytest.mark.parametrize("policy", ["open", "closed"])
async def test_a_fault_follows_its_policy(
    do: str, argument: Any, outcome: str, limits: dict[str, Any], policy: str, tmp_path: Path
) -> None:
    log = str(tmp_path / "log")
    chain = (
        plugin("a", do="append", with_="1", log=log),
        plugin("bad", do=do, with_=argument, log=log, failure_policy=policy, **limits),
        plugin("c", do="append", with_="2", log=log),
    )
    async with setting(*chain) as live:
        result = await live.run(chain, HI)
        ran = (tmp_path / "log").read_text().split()
    if policy == "open" or outcome == "observed":
        assert outcomes(result) == ["amended", outcome, "amended"]
        assert (result.disposition, text_of(result), result.error) == ("amended", "hi12", None)
        assert ran == ["a", "bad", "c"]
    else:
        assert outcomes(result) == ["amended", outcome]
        assert (result.disposition, result.value) == ("failed", HI)
        assert result.error == PluginFailed("bad", "before_run", outcome)
        assert ran == ["a", "bad"]
    assert "secret" not in repr(result)


@pytest.mark.parametrize("do", ["spin", "spin_in_c", "swallow", "sleep"])
async def test_a_run_ends_within_the_time_of_its_hook(do: str) -> None:
    chain = (plugin("a"), plugin("bad", do=do, with_=5, timeout_ms=60), plugin("c"))
    times: list[float] = []
    async with setting(*chain) as live:
        for deadline_ms in (None, None, 60, 60):
            began = time.monotonic()
            deadline = began + deadline_ms / 1000 if deadline_ms else None
            assert outcomes(await live.run(chain, HI, deadline=deadline))[1] == "timeout"
            times.append((time.monotonic() - began) * 1000)
    assert min(times[:2]) < 60 + SLACK_MS
    assert min(times[2:]) < 60 + SLACK_MS


async def test_nothing_runs_twice_over_several_kills(tmp_path: Path) -> None:
    log = str(tmp_path / "log")
    kinds = ["append", "spin", "append", "exit", "append", "segfault", "spin_in_c", "append"]
    chain = tuple(
        plugin(f"p{index}", do=kind, with_=str(index), log=log, timeout_ms=60 if "spin" in kind else 2000)
        for index, kind in enumerate(kinds)
    )
    async with setting(*chain) as live:
        result = await live.run(chain, HI)
        ran = (tmp_path / "log").read_text().split()
    assert ran == [f"p{index}" for index in range(len(kinds))]
    assert text_of(result) == "hi0247"
    assert [entry.index for entry in result.trace] == list(range(len(kinds)))


async def test_a_change_in_place_reaches_neither_the_host_nor_the_next_hook() -> None:
    call = ToolCall("t", {"x": 1, "inner": {"y": 1}}, "c")
    chain = (plugin("bad", do="mutate"), plugin("next", do="see_args"))
    async with setting(*chain) as live:
        result = await live.run(chain, call, phase="before_tool")
    assert call.args == {"x": 1, "inner": {"y": 1}}
    assert outcomes(result) == ["observed", "amended"]
    assert isinstance(result.value, ToolCall)
    assert result.value.args == {"seen": ["inner", "x"], "x": 1, "inner": {"y": 1}}


async def test_plugins_of_different_domains_never_share_a_process() -> None:
    chain = (plugin("a", do="pid"), plugin("b", do="pid", domain="domain:other"), plugin("c", do="pid"))
    async with setting(*chain, workers=1) as live:
        pids = text_of(await live.run(chain, HI)).split()[1:]
    assert pids[0] != pids[1] != pids[2]


async def test_return_ends_the_phase() -> None:
    chain = (plugin("a", do="return", with_="done"), plugin("b", do="append", with_="2"))
    async with setting(*chain) as live:
        result = await live.run(chain, HI)
    assert (result.disposition, text_of(result), outcomes(result)) == ("returned", "done", ["returned"])


async def test_halt_is_redacted_and_bounded() -> None:
    chain = (plugin("a", do="halt", with_="limit"), plugin("b", do="halt_long"))
    async with setting(*chain) as live:
        first = await live.run(chain[:1], HI)
        second = await live.run(chain[1:], HI)
    assert isinstance(first.error, PluginHalted)
    assert first.error.reason == {"api-key": "[REDACTED]", "why": "limit"}
    assert isinstance(second.error, PluginHalted)
    assert second.error.reason == {"truncated": True}
    assert (first.disposition, first.value) == ("halted", HI)


async def test_a_tool_result_belongs_to_its_call() -> None:
    call = ToolCall("lookup", {"id": 1, "api_key": "k"}, "c1")
    chain = (plugin("a", do="return_result", with_=5), plugin("b", do="return_error", with_="refused"))
    async with setting(*chain) as live:
        first = await live.run(chain[:1], call, phase="before_tool")
        second = await live.run(chain[1:], call, phase="before_tool")
    assert first.value == ToolResult("lookup", "c1", {"id": 1, "api_key": "k"}, {"a": 5})
    assert isinstance(second.value, ToolResult)
    assert second.value.error is not None
    assert (second.value.name, second.value.error.reason) == ("lookup", "refused")


async def test_arguments_that_look_like_secrets_are_hidden_and_kept() -> None:
    call = ToolCall("t", {"x": 1, "git_ref": "main", "inner": {"api_key": "k", "y": 2}}, "c")
    chain = (plugin("a", do="see_args"), plugin("b", do="amend_args", with_=3))
    async with setting(*chain) as live:
        result = await live.run(chain, call, phase="before_tool")
    assert isinstance(result.value, ToolCall)
    assert result.value.args["seen"] == ["inner", "x"]
    assert result.value.args["git_ref"] == "main"
    assert result.value.args["inner"] == {"api_key": "k", "y": 2}
    assert result.value.args["added"] == 3


def conversation() -> ModelRequest:
    """Three messages, one of them with a tool call that has a secret."""
    return ModelRequest(
        model="m",
        messages=(
            Message(role="user", parts=(Text("one"),), id="m1"),
            Message(
                role="assistant", parts=(ToolCallPart(name="t", args={"token": "s", "x": 1}, call_id="c"),), id="m2"
            ),
            Message(role="user", parts=(Text("x" * 100_000),), id="m3"),
        ),
    )


@pytest.mark.parametrize(
    ("do", "outcome", "ids"),
    [
        ("drop_first", "amended", ["m2", "m3"]),
        ("append_message", "amended", ["m1", "m2", "m3", "before_model.0.0"]),
        ("replace_first", "amended", ["m1", "m2", "m3"]),
        ("whole_messages", "amended", ["m1"]),
        ("keep_unknown", "invalid_result", ["m1", "m2", "m3"]),
    ],
)
async def test_messages_are_amended_by_their_ids(do: str, outcome: str, ids: list[str]) -> None:
    request = conversation()
    chain = (plugin("a", do=do, with_="new", max_result_bytes=2000),)
    async with setting(*chain) as live:
        result = await live.run(chain, request, phase="before_model")
    assert outcomes(result) == [outcome]
    assert isinstance(result.value, ModelRequest)
    assert [message.id for message in result.value.messages] == ids
    for message in result.value.messages:
        for original in request.messages[1:]:
            assert message.id != original.id or message is original


async def test_the_next_plugin_sees_amended_messages_also_after_a_kill() -> None:
    chain = (
        plugin("a", do="append_message", with_="new"),
        plugin("bad", do="spin", timeout_ms=60),
        plugin("b", do="drop_first"),
        plugin("c", do="append_message", with_="newer"),
    )
    async with setting(*chain) as live:
        result = await live.run(chain, conversation(), phase="before_model")
    assert outcomes(result) == ["amended", "timeout", "amended", "amended"]
    assert isinstance(result.value, ModelRequest)
    assert [message.text[:5] for message in result.value.messages] == ["", "xxxxx", "new", "newer"]
    assert len({message.id for message in result.value.messages}) == 4


async def test_a_notification_changes_nothing_and_a_failure_never_ends_it() -> None:
    chain = (
        plugin("a", do="halt", with_="x", failure_policy="closed"),
        plugin("b", do="bogus", mode="observe", failure_policy="closed"),
        plugin("c", do="exit", failure_policy="closed"),
        plugin("d", do="raise", failure_policy="closed"),
        plugin("e"),
    )
    async with setting(*chain) as live:
        result = await live.run(chain, HI.__class__((Text("x"),)), phase="after_run")
    assert result.disposition == "continue"
    assert outcomes(result) == [
        "notification_result_ignored",
        "notification_result_ignored",
        "worker_down",
        "exception",
        "observed",
    ]


async def test_the_legacy_hook_serves_both_error_phases(caplog: pytest.LogCaptureFixture) -> None:
    from adk_decl.values import Failure

    chain = (plugin("a", do="phase", hooks=("on_error",)),)
    failure = Failure("model", "call", "error", "timeout")
    with caplog.at_level(logging.INFO, "adk_decl.plugins"):
        async with setting(*chain) as live:
            result = await live.run(chain, failure, phase="on_run_error")
    assert [(t.hook, t.outcome) for t in result.trace] == [("on_run_error", "observed")]
    assert len(caplog.records) == 1


async def test_log_records_reach_the_host_also_of_a_killed_trip(caplog: pytest.LogCaptureFixture) -> None:
    chain = (plugin("a", do="log"), plugin("bad", do="exit"), plugin("b", do="log"))
    with caplog.at_level(logging.DEBUG, "adk_decl.plugins"):
        async with setting(*chain) as live:
            await live.run(chain, HI)
    seen = [(record.plugin_id, record.event, record.facts) for record in caplog.records]  # type: ignore[attr-defined]
    assert seen == [
        record
        for name in "ab"
        for record in ((name, "seen", {"plugin": name}), (name, "log_records_dropped", {"count": 1}))
    ]


async def test_a_log_record_is_one_line(caplog: pytest.LogCaptureFixture) -> None:
    chain = (plugin("a", do="log_text", with_="x\nERROR forged \x1b[31m"),)
    with caplog.at_level(logging.DEBUG, "adk_decl.plugins"):
        async with setting(*chain) as live:
            await live.run(chain, HI)
    assert [record.getMessage() for record in caplog.records] == [r"a before_run: seen text='x\nERROR forged \x1b[31m'"]


async def test_an_input_above_the_limit_is_a_failure() -> None:
    chain = (plugin("a"), plugin("b", failure_policy="closed"))
    async with setting(*chain, max_input_bytes=200) as live:
        result = await live.run(chain, UserMessage((Text("x" * 300),)))
    assert outcomes(result) == ["input_too_large", "input_too_large"]
    assert result.error == PluginFailed("b", "before_run", "input_too_large")


async def test_a_large_input_is_not_charged_to_the_plugin() -> None:
    chain = (plugin("a", do="append", with_="!", max_heap_mib=8, max_result_bytes=4_000_000),)
    value = UserMessage((Text("x" * 2_000_000),))
    async with setting(*chain) as live:
        result = await live.run(chain, value)
    assert outcomes(result) == ["amended"]
    assert len(text_of(result)) == 2_000_001


async def test_amendments_above_a_checkpoint_survive_a_kill() -> None:
    chain = (
        plugin("a", do="large", with_=3_000_000, max_result_bytes=4_000_000),
        plugin("bad", do="exit"),
        plugin("b", do="append", with_="!", max_result_bytes=4_000_000),
    )
    async with setting(*chain) as live:
        result = await live.run(chain, HI)
    assert outcomes(result) == ["amended", "worker_down", "amended"]
    assert text_of(result) == "x" * 3_000_000 + "!"


async def test_the_deadline_of_the_run_ends_every_hook() -> None:
    chain = (plugin("a", do="spin"), plugin("b", do="observe"), plugin("c", do="observe", failure_policy="closed"))
    async with setting(*chain) as live:
        result = await live.run(chain, HI, deadline=time.monotonic() + 0.06)
        left = await live.run(chain[1:2], HI, deadline=time.monotonic() + 1)
    assert outcomes(result) == ["timeout", "timeout", "timeout"]
    assert result.error == PluginFailed("c", "before_run", "timeout")
    assert outcomes(left) == ["observed"]


async def test_a_hook_is_told_the_time_it_has() -> None:
    chain = (plugin("a", do="deadline", timeout_ms=1500),)
    async with setting(*chain) as live:
        whole = await live.run(chain, HI)
        short = await live.run(chain, HI, deadline=time.monotonic() + 0.5)
    assert text_of(whole) == "1500"
    assert 300 < int(text_of(short)) <= 500


async def test_a_hook_waits_for_a_busy_worker_until_the_run_must_end() -> None:
    slow, quick = plugin("slow", do="sleep", with_=0.4), plugin("quick", timeout_ms=50, failure_policy="closed")
    async with setting(slow, quick, workers=1) as live:
        busy = asyncio.create_task(live.run((slow,), HI))
        await asyncio.sleep(0.01)
        late = await live.run((quick,), HI, deadline=time.monotonic() + 0.05)
        assert late.error == PluginFailed("quick", "before_run", "queue_full")
        assert outcomes(await live.run((quick,), HI)) == ["observed"]
        assert outcomes(await busy) == ["observed"]


async def test_cancelling_a_run_kills_its_hook() -> None:
    chain = (plugin("a", do="spin"), plugin("b"))
    async with setting(*chain, workers=1) as live:
        task = asyncio.create_task(live.run(chain, HI))
        await asyncio.sleep(0.02)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert outcomes(await live.run(chain[1:], HI)) == ["observed"]


async def test_async_hooks_run_and_are_killed() -> None:
    chain = (plugin("w", "AsyncAct", timeout_ms=60), plugin("a", do="append", with_="1"))
    observers = (plugin("o", "AsyncObserver", hooks=("before_model",)), plugin("p"))
    async with setting(*chain, *observers) as live:
        result = await live.run(chain, HI)
        observed = await live.run(observers, conversation(), phase="before_model")
    assert outcomes(result) == ["timeout", "amended"]
    assert outcomes(observed) == ["observed", "observed"]


async def test_what_was_measured_is_in_the_trace() -> None:
    chain = (plugin("a", do="sleep", with_=0.02), plugin("bad", do="exit"))
    async with setting(*chain) as live:
        result = await live.run(chain, HI)
    assert result.trace[0].duration_us >= 20_000


@pytest.mark.parametrize(
    "reply",
    [
        b"",
        b"{}",
        b"[]",
        b"[5,[0]]",
        b"[1,[999]]",
        b"[1,[0],1]",
        b"[1,[0],9]",
        b'[1,[0],0,{"9":1}]',
        b'[1,[1],0,{"0":1}]',
        b'[1,[5],0,{},[],[],[[0,["CANARY"]]]]',
        b'[1,[5],0,{},[],[],[[0,["parts.a b"]]]]',
    ],
)
async def test_a_reply_that_cannot_be_true_is_a_protocol_error(reply: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    chain = (plugin("a"),)

    class Lying(WorkerPool):
        async def call(self, *_: Any, **__: Any) -> bytes:
            return reply

    executor = HookExecutor(chain, Lying([], workers=1), max_input_bytes=1 << 20)
    result = await executor.run_chain(PHASES["before_run"], chain, META, HI)
    assert outcomes(result) == ["protocol_error"]


async def test_a_response_is_amended_and_replaced() -> None:
    response = ModelResponse(content=(Text("a"),), model="m")
    chain = (plugin("a", do="return_response", with_="b"),)
    async with setting(*chain) as live:
        result = await live.run(chain, response, phase="after_model")
    assert isinstance(result.value, ModelResponse)
    assert result.value.text == "b"


async def test_many_runs_at_once_keep_apart() -> None:
    chain = tuple(plugin(f"p{index}", do="append", with_=str(index)) for index in range(3))

    async def one(live: Setting, number: int) -> Payload:
        return (await live.run(chain, UserMessage((Text(f"{number}:"),)))).value

    async with setting(*chain) as live:
        values = await asyncio.gather(*(one(live, number) for number in range(100)))
    assert [value.text for value in values] == [f"{number}:012" for number in range(100)]  # type: ignore[attr-defined]


async def test_no_process_is_left() -> None:
    with contextlib.suppress(RuntimeError):
        async with setting(plugin("a")):
            raise RuntimeError
    await until(lambda: not descendants(os.getpid()))
