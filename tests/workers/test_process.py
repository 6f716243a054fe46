"""A worker on a system that has no descriptors of processes."""

from __future__ import annotations

import asyncio
import os
import time
from typing import Any

import pytest

from adk_decl.workers import launcher
from adk_decl.workers.errors import ProtocolFailure, StepTimeout, WorkerDown
from tests.workers.processes import alive, call, descendants, pool_of, until


def _without_pidfd(pid: int, pidfd: int) -> tuple[int, int]:
    if pidfd >= 0:
        os.close(pidfd)
    return pid, -1


async def test_workers_are_killed_and_replaced_without_pidfd(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launcher, "Forked", _without_pidfd)
    failures: list[tuple[list[Any], type[Exception]]] = [
        (["spin", None, 64], StepTimeout),
        (["exit", 1, 64], WorkerDown),
        (["write_pipe", None, 64], ProtocolFailure),
    ]
    async with pool_of() as pool:
        for step, failure in failures:
            pid = (await call(pool, ["pid", None, 64]))[0]
            began = time.monotonic()
            with pytest.raises(failure):
                await call(pool, step, timeouts_ms=(60,))
            assert time.monotonic() - began < 0.3
            assert (await call(pool, ["echo", 1, 64])) == [1]
            assert pid
        await pool.warm()
    await until(lambda: not descendants(os.getpid()))
    assert not alive(pid)


async def test_a_worker_that_went_between_two_turns_of_the_loop_takes_no_call() -> None:
    async with pool_of(workers=1) as pool:
        place = pool._domains["project"]
        worker = place.take()
        assert worker is not None
        worker.kill()
        await until(lambda: worker.gone)
        with pytest.raises(WorkerDown) as caught:
            await worker.call(0, b"[]", (1000,), 0, 100, 0)
        assert not caught.value.begun
        place.release(worker)
        assert await call(pool, ["echo", 1, 64]) == [1]


async def test_an_answer_counts_also_when_its_worker_ends_after_it() -> None:
    async with pool_of(workers=1) as pool:
        task = asyncio.create_task(call(pool, ["exit_soon", None, 64]))
        await asyncio.sleep(0)
        time.sleep(0.15)  # noqa: ASYNC251 - the answer and the end have to reach this loop in the same turn
        assert await task == [None]


async def test_large_requests_and_replies_pass_in_pieces() -> None:
    async with pool_of(workers=1) as pool:
        text = "x" * 5_000_000
        for _ in range(3):
            assert await call(pool, ["echo", text, 64], max_reply_bytes=10_000_000) == [text]
            assert await call(pool, ["echo", "small", 64]) == ["small"]
