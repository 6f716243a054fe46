"""How many calls of one model run at once and how many begin in a minute."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from adk_decl.errors import ModelError

_WINDOW_S = 60.0


class CallLimits:
    """`max_concurrency` calls at once; `requests_per_minute` requests in any 60 seconds, where 0 means no limit.

    Deadlines are monotonic seconds. Waiting is in order of arrival.
    """

    def __init__(
        self,
        *,
        max_concurrency: int,
        requests_per_minute: int,
        now: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._slots = asyncio.Semaphore(max_concurrency)
        self._rate = requests_per_minute
        self._begun: deque[float] = deque()
        self._turn = asyncio.Lock()
        self._now = now
        self._sleep = sleep

    @asynccontextmanager
    async def slot(self, deadline: float) -> AsyncIterator[None]:
        """Hold one of the concurrent calls. Raises `ModelError("timeout")` when none is free before the deadline."""
        await self._before(deadline, self._slots.acquire(), reason="timeout")
        try:
            yield
        finally:
            self._slots.release()

    async def admit(self, deadline: float) -> None:
        """Wait until another request may begin, and count it.

        Raises `ModelError("rate_limited")` at once when that is not before the deadline.
        """
        if not self._rate:
            return
        await self._before(deadline, self._turn.acquire(), reason="rate_limited")
        try:
            await self._take(deadline)
        finally:
            self._turn.release()

    async def _take(self, deadline: float) -> None:
        now = self._now()
        while self._begun and self._begun[0] <= now - _WINDOW_S:
            self._begun.popleft()
        if len(self._begun) >= self._rate:
            free_at = self._begun[0] + _WINDOW_S
            if free_at >= deadline:
                raise ModelError("rate_limited", detail="requests_per_minute allows no request before the deadline")
            await self._sleep(free_at - now)
            self._begun.popleft()
            now = max(free_at, self._now())
        self._begun.append(now)

    async def _before(self, deadline: float, wait: Awaitable[object], *, reason: str) -> None:
        try:
            async with asyncio.timeout(deadline - self._now()):
                await wait
            return
        except TimeoutError:
            pass
        raise ModelError(reason)
