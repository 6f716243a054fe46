"""Calls into worker processes under real faults."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from adk_decl.errors import StartError
from adk_decl.plan.limits import LIMITS
from adk_decl.workers.errors import (
    CallFailed,
    PoolClosed,
    ProtocolFailure,
    QueueFull,
    ReplyTooLarge,
    StepFailed,
    StepTimeout,
    WorkerDown,
)
from adk_decl.workers.pool import WorkerPool
from tests.workers.processes import ROOT, alive, call, descendants, domain, open_fds, parent, pool_of, until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")

SLACK_MS = 50
"""How late a kill may be on a machine that has time for it."""
ATTEMPTS = 4
"""Neighbours may take the machine for longer than that; the best attempt counts."""


async def best_ms(failure: type[StepFailed], attempt: Callable[[], Awaitable[Any]], *, step: int = 0) -> float:
    """The shortest time in which the call failed as it has to."""
    times = []
    for _ in range(ATTEMPTS):
        began = time.monotonic()
        with pytest.raises(failure) as caught:
            await attempt()
        times.append((time.monotonic() - began) * 1000)
        assert caught.value.step == step
    return min(times)


async def test_answers_and_keeps_its_workers() -> None:
    async with pool_of(workers=1) as pool:
        pids = {(await call(pool, ["pid", None, 64]))[0] for _ in range(20)}
        assert len(pids) <= 2
        assert await call(pool, ["echo", {"a": [1, "ä"]}, 64]) == [{"a": [1, "ä"]}]


async def test_a_worker_has_no_environment_and_its_prints_go_nowhere(capfd: pytest.CaptureFixture[str]) -> None:
    async with pool_of() as pool:
        names = (await call(pool, ["environ", None, 64]))[0]
        assert set(names) <= {"LC_CTYPE", "__CF_USER_TEXT_ENCODING"}
        await call(pool, ["print", None, 64])
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("step", ["spin", "spin_in_c", "swallow"])
async def test_a_step_that_never_ends_is_killed_within_its_time(step: str) -> None:
    async with pool_of() as pool:
        assert await best_ms(StepTimeout, lambda: call(pool, [step, None, 64], timeouts_ms=(60,))) < 60 + SLACK_MS
        assert await call(pool, ["echo", 1, 64]) == [1]


async def test_a_late_reply_is_a_timeout() -> None:
    async with pool_of() as pool:
        with pytest.raises(StepTimeout):
            await call(pool, ["sleep", 0.051, 64], timeouts_ms=(50,))


async def test_the_deadline_of_the_call_counts_too() -> None:
    async with pool_of() as pool:
        took_ms = await best_ms(StepTimeout, lambda: call(pool, ["spin", None, 64], deadline=time.monotonic() + 0.06))
        assert took_ms < 60 + SLACK_MS


async def test_a_killed_call_says_which_step_it_was_and_what_the_earlier_ones_left() -> None:
    async with pool_of() as pool:
        steps = (["echo", "checkpoint", 64], ["echo", 2, 64], ["spin", None, 64], ["echo", 4, 64])
        with pytest.raises(StepTimeout) as caught:
            await call(pool, *steps, timeouts_ms=(5000, 5000, 50, 5000))
        failure = caught.value
        assert failure.step == 2
        assert failure.checkpoint == (0, b'["checkpoint"]')
        assert list(failure.marks) == [7 << 8 | 1, 7 << 8 | 1]
        assert await call(pool, *steps, start=3) == [4]


async def test_a_later_shorter_time_is_not_slept_through() -> None:
    async with pool_of() as pool:
        steps = (["sleep", 0.03, 64], ["spin", None, 64])
        took_ms = await best_ms(StepTimeout, lambda: call(pool, *steps, timeouts_ms=(5000, 40)), step=1)
        assert took_ms < 70 + SLACK_MS


@pytest.mark.parametrize(
    ("step", "argument", "failure"),
    [
        ("exit", 3, WorkerDown),
        ("segfault", None, WorkerDown),
        ("raise", None, WorkerDown),
        ("close_pipe", None, WorkerDown),
        ("write_pipe", None, ProtocolFailure),
        ("write_large_length", None, ProtocolFailure),
        ("large", 2_000_000, ReplyTooLarge),
    ],
)
async def test_a_broken_worker_fails_only_its_call(step: str, argument: Any, failure: type[StepFailed]) -> None:
    async with pool_of() as pool:
        with pytest.raises(failure) as caught:
            await call(pool, [step, argument, 64])
        assert type(caught.value) is failure
        assert "secret" not in str(caught.value)
        assert await call(pool, ["echo", 1, 64]) == [1]


async def test_memory_above_the_budget_is_an_error_of_the_step() -> None:
    async with pool_of() as pool:
        assert pool.enforced.memory
        before = (await call(pool, ["pid", None, 16]))[0]
        assert await call(pool, ["allocate", 500, 16]) == ["memory"]
        assert await call(pool, ["allocate", 8, 16]) == [8 << 20]
        assert await call(pool, ["allocate", 100, 16], ["allocate", 100, 200]) == ["memory", 100 << 20]
        assert (await call(pool, ["pid", None, 16]))[0] == before


async def test_the_budget_is_above_what_is_in_use() -> None:
    async with pool_of(workers=1) as pool:
        body = "x" * (6 << 20)
        assert (await call(pool, ["echo", body, 4], max_reply_bytes=10 << 20))[0] == body


async def test_a_worker_that_keeps_memory_is_replaced() -> None:
    async with pool_of(workers=1) as pool:
        first = (await call(pool, ["pid", None, 64]))[0]
        for _ in range(LIMITS["workers.warm_calls"].default):
            await call(pool, ["echo", 1, 64])
        await call(pool, ["keep", 20, 64])
        assert (await call(pool, ["pid", None, 64]))[0] == first
        await until(lambda: not alive(first))
        assert (await call(pool, ["pid", None, 64]))[0] != first


async def test_what_the_first_calls_load_belongs_to_the_worker() -> None:
    async with pool_of(workers=1) as pool:
        first = (await call(pool, ["pid", None, 64]))[0]
        await call(pool, ["keep", 20, 64])
        for _ in range(30):
            assert (await call(pool, ["pid", None, 64]))[0] == first


async def test_a_worker_is_replaced_after_many_calls(tmp_path: Path) -> None:
    marks = tmp_path / "closed"
    async with pool_of(domain(setup=str(marks)), workers=1) as pool:
        pids = [
            (await call(pool, ["pid", None, 64]))[0] for _ in range(LIMITS["workers.calls_before_recycle"].default + 1)
        ]
        assert len(set(pids)) > 1
        await until(marks.exists)
    assert marks.read_text().count("closed") >= 2


async def test_cancelling_kills_the_worker() -> None:
    async with pool_of(workers=1) as pool:
        pid = (await call(pool, ["pid", None, 64]))[0]
        task = asyncio.create_task(call(pool, ["spin", None, 64]))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await until(lambda: not alive(pid))
        assert await call(pool, ["echo", 1, 64]) == [1]


async def test_a_worker_that_died_idle_costs_no_call() -> None:
    async with pool_of(workers=1) as pool:
        for _ in range(5):
            pid = (await call(pool, ["pid", None, 64]))[0]
            os.kill(pid, signal.SIGKILL)
            assert (await call(pool, ["pid", None, 64]))[0] != pid


async def test_calls_wait_for_a_worker_and_are_refused_when_too_many_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("adk_decl.workers.domain._QUEUE", 2)
    async with pool_of(workers=1) as pool:
        calls = [asyncio.create_task(call(pool, ["sleep", 0.05, 64])) for _ in range(3)]
        await asyncio.sleep(0)
        with pytest.raises(QueueFull):
            await call(pool, ["echo", 1, 64])
        await asyncio.gather(*calls)
        assert await call(pool, ["echo", 1, 64]) == [1]


async def test_the_wait_for_a_worker_is_bounded() -> None:
    async with pool_of(workers=1) as pool:
        busy = asyncio.create_task(call(pool, ["sleep", 0.3, 64]))
        await asyncio.sleep(0)
        began = time.monotonic()
        with pytest.raises(QueueFull):
            await call(pool, ["echo", 1, 64], wait_ms=40)
        with pytest.raises(QueueFull):
            await call(pool, ["echo", 1, 64], deadline=time.monotonic() + 0.04)
        assert time.monotonic() - began < 0.2
        waiting = asyncio.create_task(call(pool, ["echo", 1, 64]))
        await asyncio.sleep(0)
        waiting.cancel()
        await busy
        assert await call(pool, ["echo", 2, 64]) == [2]


async def test_domains_do_not_share_processes() -> None:
    async with pool_of(domain("a"), domain("b")) as pool:
        pids = {(await call(pool, ["pid", None, 64], name=name))[0] for name in ("a", "b") for _ in range(4)}
        a = {(await call(pool, ["pid", None, 64], name="a"))[0] for _ in range(4)}
        assert pids - a


async def test_a_helper_that_a_step_starts_ends_with_its_worker() -> None:
    async with pool_of() as pool:
        helper = (await call(pool, ["fork_helper", None, 64]))[0]
        assert alive(helper)
    await until(lambda: not alive(helper))


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lets a process adopt")
async def test_processes_in_sessions_of_their_own_end_with_their_worker() -> None:
    async with pool_of(workers=1) as pool:
        daemons = (await call(pool, ["fork_daemon", None, 64]))[0]
        assert all(map(alive, daemons))
        with pytest.raises(StepTimeout):
            await call(pool, ["spin", None, 64], timeouts_ms=(50,))
        await until(lambda: not any(map(alive, daemons)))
        left = (await call(pool, ["fork_daemon", None, 64]))[0]
    assert not any(map(alive, left))


async def test_a_killed_zygote_is_replaced() -> None:
    async with pool_of(workers=1) as pool:
        worker = (await call(pool, ["pid", None, 64]))[0]
        zygote = parent(worker)
        busy = asyncio.create_task(call(pool, ["sleep", 5, 64]))
        await asyncio.sleep(0.01)
        os.kill(zygote, signal.SIGKILL)
        with pytest.raises(WorkerDown):
            await busy
        assert await call(pool, ["echo", 1, 64]) == [1]
        assert not alive(worker)


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        (domain(setup="raise"), ("handler 'faulty'", "ValueError", "tests.workers.faulty")),
        (domain(module="tests.workers.absent"), ("ModuleNotFoundError", "tests.workers.absent")),
        (domain(setup="exit"), ("ended while it was starting",)),
    ],
)
async def test_a_start_that_fails_says_why_and_leaves_nothing(spec: Any, words: tuple[str, ...]) -> None:
    pool = WorkerPool([spec, domain("other")], workers=2)
    with pytest.raises(StartError) as caught:
        await pool.start()
    assert all(word in str(caught.value) for word in words)
    assert "secret" not in str(caught.value)
    assert not descendants(os.getpid())
    with pytest.raises(PoolClosed):
        await call(pool, ["echo", 1, 64])


@pytest.mark.parametrize("spec", [domain(setup="hang"), domain(module="tests.workers.hanging")])
async def test_a_start_that_hangs_is_ended(spec: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("adk_decl.workers.domain._START_SECONDS", 0.4)
    pool = WorkerPool([spec], workers=1)
    with pytest.raises(StartError, match="took longer"):
        await pool.start()
    assert not descendants(os.getpid())


async def test_a_cancelled_start_leaves_nothing() -> None:
    pool = WorkerPool([domain()], workers=2)
    for turns in (1, 3, 30):
        task = asyncio.create_task(pool.start())
        for _ in range(turns):
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        pool = WorkerPool([domain()], workers=2)
    await until(lambda: not descendants(os.getpid()))


async def test_a_module_that_starts_a_thread_is_not_forked() -> None:
    async with pool_of(domain(preload=("tests.workers.threaded",))) as pool:
        assert await call(pool, ["echo", 1, 64]) == [1]


async def test_close_ends_everything_also_what_works(tmp_path: Path) -> None:
    marks = tmp_path / "closed"
    pool = WorkerPool([domain(setup=str(marks))], workers=2)
    await pool.start()
    await pool.warm()
    busy = asyncio.create_task(call(pool, ["spin", None, 64]))
    await asyncio.sleep(0)
    began = time.monotonic()
    await pool.close()
    assert time.monotonic() - began < 1
    with pytest.raises(CallFailed):
        await busy
    assert marks.read_text().count("closed") == 2
    assert not descendants(os.getpid())
    with pytest.raises(PoolClosed):
        await call(pool, ["echo", 1, 64])


async def test_a_pool_started_outside_of_the_main_thread() -> None:
    async def use() -> Any:
        async with pool_of(workers=1) as pool:
            return await call(pool, ["echo", 1, 64])

    assert await asyncio.to_thread(lambda: asyncio.run(use())) == [1]


async def test_prints_and_tracebacks_go_to_the_debug_descriptor(tmp_path: Path) -> None:
    with (tmp_path / "debug").open("wb") as file:
        async with pool_of(debug_fd=file.fileno(), workers=1) as pool:
            with pytest.raises(WorkerDown):
                await call(pool, ["raise", None, 64])
    assert "IndexError" in (tmp_path / "debug").read_text()


HOST = """
import asyncio, os, signal, sys
sys.path.insert(0, {root!r})
from tests.workers.processes import call, descendants, pool_of

async def main():
    async with pool_of() as pool:
        busy = asyncio.create_task(call(pool, ["spin_in_c", None, 64], timeouts_ms=(60000,)))
        await asyncio.sleep(0.02)
        print(*descendants(os.getpid()), flush=True)
        {end}

asyncio.run(main())
"""


@pytest.mark.parametrize("end", ["os.kill(os.getpid(), signal.SIGKILL)", "os._exit(0)", "raise KeyboardInterrupt"])
def test_no_process_outlives_its_host(end: str) -> None:
    host = subprocess.run(
        [sys.executable, "-c", HOST.format(root=ROOT, end=end)], capture_output=True, text=True, timeout=30, check=False
    )
    pids = [int(pid) for pid in host.stdout.split()]
    assert len(pids) >= 4
    deadline = time.monotonic() + 2
    while any(map(alive, pids)) and time.monotonic() < deadline:
        time.sleep(0.005)
    assert not any(map(alive, pids))


@pytest.mark.slow
async def test_two_hundred_kills_leak_nothing() -> None:
    kinds: list[list[Any]] = [
        ["spin", None, 64],
        ["exit", 1, 64],
        ["segfault", None, 64],
        ["write_pipe", None, 64],
        ["close_pipe", None, 64],
        ["allocate", 500, 16],
    ]
    async with pool_of() as pool:

        async def fail(number: int) -> None:
            with contextlib.suppress(CallFailed):
                await call(pool, kinds[number % len(kinds)], timeouts_ms=(20,))

        for number in range(12):
            await fail(number)
        await pool.warm()
        gc.collect()
        fds, processes = open_fds(), len(descendants(os.getpid()))
        slowest = 0.0
        for number in range(200):
            await fail(number)
            began = time.monotonic()
            assert await call(pool, ["echo", 1, 64]) == [1]
            slowest = max(slowest, time.monotonic() - began)
        await pool.warm()
        await until(lambda: len(descendants(os.getpid())) == processes)
        assert open_fds() == fds
        assert slowest < 0.25
    assert not descendants(os.getpid())
