"""The handle of a run: iterate its events, then read its result."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from types import TracebackType
from typing import Any, Self

from adk_decl.errors import RunError, UsageError
from adk_decl.plan.limits import LIMITS
from adk_decl.runtime.result import PhaseRecord, RunResult
from adk_decl.values.phase_values import Event

Item = Event | PhaseRecord
Produce = Callable[["Outlet"], Coroutine[Any, Any, tuple[RunResult, RunError | None]]]


class Outlet:
    """Where a run puts its events and traces: a bounded queue.

    A run whose events nobody takes waits when `run.event_queue` of them are stored, until its timeout. Traces of
    phases never wait; those beyond twice that bound are only in the result.
    """

    __slots__ = ("_events", "_items", "_room")

    def __init__(self) -> None:
        self._events = LIMITS["run.event_queue"].default
        self._room = asyncio.Semaphore(self._events)
        self._items: asyncio.Queue[Item | None] = asyncio.Queue()

    async def deliver(self, event: Event) -> None:
        """Put an event, waiting for room."""
        await self._room.acquire()
        self._items.put_nowait(event)

    def trace(self, record: PhaseRecord) -> None:
        """Put the record of a phase, if there is room."""
        if self._items.qsize() < 2 * self._events:
            self._items.put_nowait(record)

    def end(self) -> None:
        """Nothing will follow."""
        self._items.put_nowait(None)

    async def take(self) -> Item | None:
        """The next item; None at the end."""
        item = await self._items.get()
        if isinstance(item, Event):
            self._room.release()
        return item


class Run:
    """One run, started by the first step of its iteration.

    `async for event in run` yields each event after it was stored, and raises the `RunError` that ended the run,
    whose `result` attribute is `run.result`. A caller that stops early ends the run with `await run.aclose()`, or by
    using the run as an async context manager; closing the runner ends it too. Cancelling the caller cancels the run,
    which still delivers its notifications within `limits.notify_timeout_ms`.
    """

    def __init__(self, session_id: str, produce: Produce, adopt: Callable[[asyncio.Task[Any]], None]) -> None:
        self.session_id = session_id
        self._produce = produce
        self._adopt = adopt
        self._outlet = Outlet()
        self._task: asyncio.Task[tuple[RunResult, RunError | None]] | None = None
        self._ended = False

    @property
    def result(self) -> RunResult:
        """The outcome. Raises `UsageError` before the run has ended, or when it was cancelled and so has none."""
        if self._task is None or not self._task.done():
            raise UsageError("the run has not ended: iterate its events first")
        if self._task.cancelled():
            raise UsageError("the run was cancelled: it has no result")
        return self._task.result()[0]

    def __aiter__(self) -> AsyncIterator[Event]:
        return self._only_events()

    async def items(self) -> AsyncIterator[Item]:
        """Events and, between them, the records of the phases that had a plugin."""
        if self._ended:
            return
        task = self._start()
        while True:
            try:
                item = await self._outlet.take()
            except asyncio.CancelledError:
                await self.aclose()
                raise
            if item is None:
                break
            try:
                yield item
            except GeneratorExit:
                # The caller broke out of its loop: nobody will take what follows.
                self._ended = True
                task.cancel()
                raise
        if self._was_closed():
            return
        self._ended = True
        await asyncio.wait({task})
        if task.cancelled():
            raise RunError("the run was cancelled: its runner was closed", code="cancelled")
        result, error = task.result()
        if error is not None:
            error.result = result
            raise error

    async def wait(self) -> RunResult:
        """Run to the end, dropping the events. Raises the `RunError` that ended the run."""
        async for _ in self.items():
            pass
        return self.result

    async def aclose(self) -> None:
        """End the run, if it still goes on, and wait until it has ended; safe to call twice."""
        self._ended = True
        if self._task is None or self._task.done():
            return
        self._task.cancel()
        try:
            await asyncio.wait({self._task})
        except asyncio.CancelledError:
            # Asked a second time: skip what is left of the notifications.
            self._task.cancel()
            await asyncio.wait({self._task})
            raise

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    def _was_closed(self) -> bool:
        return self._ended

    def _start(self) -> asyncio.Task[tuple[RunResult, RunError | None]]:
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._main())
            self._adopt(self._task)
        return self._task

    async def _main(self) -> tuple[RunResult, RunError | None]:
        try:
            return await self._produce(self._outlet)
        finally:
            self._outlet.end()

    async def _only_events(self) -> AsyncIterator[Event]:
        async for item in self.items():
            if isinstance(item, Event):
                yield item
