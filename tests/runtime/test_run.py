"""The handle of a run: bounded delivery, early ends, cancellation, results."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from adk_decl.errors import RunError, UsageError
from adk_decl.plan.limits import LIMITS
from adk_decl.runtime.result import PhaseRecord, RunResult
from adk_decl.runtime.run import Outlet, Run
from adk_decl.values.content import Text, Usage
from adk_decl.values.phase_values import Event

BOUND = LIMITS["run.event_queue"].default


def event(number: int) -> Event:
    return Event(
        id=str(number), invocation_id="i", author="a", content=(Text(str(number)),), actions={}, timestamp_ms=0
    )


def result(status: Any = "completed") -> RunResult:
    return RunResult(
        status=status,
        output=None,
        text=None,
        error=None,
        usage=Usage(),
        model_calls=0,
        tool_calls=0,
        warnings=(),
        traces=(),
        traces_dropped=0,
        run_id="r",
        invocation_id="i",
        session_id="s",
        user_id="u",
        plan_digest="",
        resolved_digest="",
        duration_ms=0,
    )


class Producer:
    """Delivers events, then ends as told."""

    def __init__(self, count: int, *, error: RunError | None = None, hang: bool = False) -> None:
        self.count = count
        self.error = error
        self.hang = hang
        self.delivered = 0
        self.cancelled = 0
        self.tasks: list[asyncio.Task[Any]] = []
        self.started = asyncio.Event()
        self.full = asyncio.Event()

    async def produce(self, outlet: Outlet) -> tuple[RunResult, RunError | None]:
        self.started.set()
        try:
            for number in range(self.count):
                await outlet.deliver(event(number))
                self.delivered += 1
                if self.delivered > BOUND:
                    self.full.set()
            if self.hang:
                await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        return result("failed" if self.error else "completed"), self.error

    def run(self) -> Run:
        return Run("s", self.produce, self.tasks.append)


async def test_events_come_in_order_and_then_the_result() -> None:
    run = Producer(3).run()
    assert [e.text async for e in run] == ["0", "1", "2"]
    assert run.result.status == "completed"


async def test_nothing_starts_before_the_iteration() -> None:
    producer = Producer(1)
    producer.run()
    await asyncio.sleep(0)
    assert producer.tasks == []


async def test_the_result_of_a_run_that_goes_on_is_refused() -> None:
    run = Producer(1, hang=True).run()
    with pytest.raises(UsageError):
        _ = run.result
    async with run:
        async for _event in run:
            with pytest.raises(UsageError):
                _ = run.result
            break


async def test_an_error_is_raised_after_the_events_and_carries_the_result() -> None:
    run = Producer(2, error=RunError("x", code="some_code")).run()
    events = aiter(run)
    assert [(await anext(events)).text, (await anext(events)).text] == ["0", "1"]
    with pytest.raises(RunError) as caught:
        await anext(events)
    assert caught.value.result is run.result
    assert run.result.status == "failed"


async def test_a_run_whose_events_nobody_takes_waits_at_its_bound() -> None:
    producer = Producer(BOUND * 3)
    items = producer.run().items()
    await anext(items)
    await producer.full.wait()
    for _ in range(50):
        await asyncio.sleep(0)
    assert producer.delivered == BOUND + 1
    rest = [item async for item in items]
    assert len(rest) == BOUND * 3 - 1


async def test_traces_beyond_their_bound_do_not_pile_up() -> None:
    outlet = Outlet()
    record = PhaseRecord(phase="on_event", disposition="continue", agent="a", duration_us=1, entries=())
    for _ in range(BOUND * 4):
        outlet.trace(record)
    outlet.end()
    taken = 0
    while await outlet.take() is not None:
        taken += 1
    assert taken == 2 * BOUND


async def test_breaking_out_of_the_loop_ends_the_run() -> None:
    producer = Producer(1, hang=True)
    run = producer.run()
    async for _ in run:
        break
    await asyncio.wait(producer.tasks)
    assert producer.cancelled == 1


async def test_cancelling_the_caller_cancels_the_run_and_waits_for_it() -> None:
    producer = Producer(0, hang=True)
    run = producer.run()

    async def consume() -> None:
        async for _ in run:
            pass

    task = asyncio.create_task(consume())
    await producer.started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert producer.tasks[0].done()


async def test_aclose_is_safe_at_any_time() -> None:
    producer = Producer(1, hang=True)
    run = producer.run()
    await run.aclose()
    run = producer.run()
    async for _ in run:
        await run.aclose()
    await run.aclose()
    assert all(task.done() for task in producer.tasks)


async def test_a_run_that_its_runner_ends_says_so() -> None:
    producer = Producer(1, hang=True)
    run = producer.run()
    events = aiter(run)
    await anext(events)
    producer.tasks[0].cancel()
    with pytest.raises(RunError) as caught:
        await anext(events)
    assert caught.value.code == "cancelled"
    with pytest.raises(UsageError):
        _ = run.result


async def test_wait_runs_to_the_end() -> None:
    assert (await Producer(BOUND * 2).run().wait()).status == "completed"
