"""An event loop of one's own ends, whatever its tasks do."""

from __future__ import annotations

import asyncio
import time

import pytest

from adk_decl.runtime.own_loop import run_to_end


def test_the_result_and_the_error_of_the_coroutine_come_back() -> None:
    async def answer() -> int:
        return 42

    async def fail() -> None:
        raise ValueError

    assert run_to_end(answer()) == 42
    with pytest.raises(ValueError):  # noqa: PT011
        run_to_end(fail())


def test_tasks_that_are_left_are_cancelled_and_awaited() -> None:
    ended: list[str] = []

    async def leave() -> None:
        async def work() -> None:
            try:
                await asyncio.Event().wait()
            finally:
                ended.append("cleaned up")

        leave.task = asyncio.create_task(work())  # type: ignore[attr-defined]
        await asyncio.sleep(0)

    run_to_end(leave())
    assert ended == ["cleaned up"]


def test_a_task_that_swallows_its_cancellation_is_left_behind() -> None:
    async def leave() -> str:
        async def stubborn() -> None:
            while True:
                try:
                    await asyncio.sleep(3600)
                except asyncio.CancelledError:
                    continue

        leave.task = asyncio.create_task(stubborn())  # type: ignore[attr-defined]
        await asyncio.sleep(0)
        return "done"

    began = time.monotonic()
    assert run_to_end(leave()) == "done"
    assert time.monotonic() - began < 5
