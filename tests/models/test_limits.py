"""Concurrency and rate of one model."""

from __future__ import annotations

import asyncio
import time

import pytest

from adk_decl.errors import ModelError
from adk_decl.models.limits import CallLimits


class Minute:
    """Time that passes only when somebody sleeps."""

    def __init__(self) -> None:
        self.time = 0.0
        self.waits: list[float] = []

    def now(self) -> float:
        return self.time

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.time += seconds


async def test_as_many_at_once_as_allowed() -> None:
    limits = CallLimits(max_concurrency=2, requests_per_minute=0)
    inside = most = 0

    async def one() -> None:
        nonlocal inside, most
        async with limits.slot(time.monotonic() + 5):
            inside += 1
            most = max(most, inside)
            await asyncio.sleep(0)
            inside -= 1

    await asyncio.gather(*(one() for _ in range(10)))
    assert most == 2


async def test_no_free_slot_before_the_deadline() -> None:
    limits = CallLimits(max_concurrency=1, requests_per_minute=0)
    async with limits.slot(time.monotonic() + 5):
        with pytest.raises(ModelError, match="timeout"):
            async with limits.slot(time.monotonic() + 0.01):
                pass
    async with limits.slot(time.monotonic() + 5):
        pass


async def test_a_cancelled_wait_takes_no_slot() -> None:
    limits = CallLimits(max_concurrency=1, requests_per_minute=0)
    async with limits.slot(time.monotonic() + 5):
        waiting = asyncio.create_task(limits.slot(time.monotonic() + 5).__aenter__())
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
    async with limits.slot(time.monotonic() + 5):
        pass


async def test_requests_beyond_the_rate_wait_for_the_window() -> None:
    minute = Minute()
    limits = CallLimits(max_concurrency=9, requests_per_minute=2, now=minute.now, sleep=minute.sleep)
    begun: list[float] = []
    for _ in range(5):
        await limits.admit(1000.0)
        begun.append(minute.time)
        minute.time += 1
    assert begun == [0, 1, 60, 61, 120]


async def test_a_wait_beyond_the_deadline_is_refused_at_once() -> None:
    minute = Minute()
    limits = CallLimits(max_concurrency=1, requests_per_minute=1, now=minute.now, sleep=minute.sleep)
    await limits.admit(30.0)
    with pytest.raises(ModelError, match="rate_limited"):
        await limits.admit(30.0)
    assert minute.waits == []


async def test_no_rate_means_no_limit() -> None:
    limits = CallLimits(max_concurrency=1, requests_per_minute=0)
    for _ in range(1000):
        await limits.admit(0.0)
