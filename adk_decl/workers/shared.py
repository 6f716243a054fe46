"""One pool per process, event loop and plan: runners of the same plan share workers, the last one closes them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from weakref import WeakKeyDictionary

from adk_decl.workers.pool import WorkerPool


class PoolLease:
    """A share in a started pool."""

    def __init__(self, entry: _Entry) -> None:
        self._entry = entry
        self._released = False

    @property
    def pool(self) -> WorkerPool:
        """The pool; don't close it, release the lease."""
        return self._entry.pool

    async def release(self) -> None:
        """Give the share back; the last one closes the pool. Calling it again does nothing."""
        if self._released:
            return
        self._released = True
        self._entry.holders -= 1
        if self._entry.holders == 0:
            self._entry.forget()
            await self._entry.pool.close()


async def lease_pool(key: str, build: Callable[[], WorkerPool]) -> PoolLease:
    """A share in the pool of `key` (the plan's digest and what else tells pools apart) on the running event loop.

    The first one builds and starts it. Raises `StartError` to everybody who waits for a start that fails.
    """
    loop = asyncio.get_running_loop()
    entries = _POOLS.setdefault(loop, {})
    entry = entries.get(key)
    if entry is None:
        entry = entries[key] = _Entry(build(), lambda: entries.pop(key, None))
        entry.starting = loop.create_task(entry.pool.start())
    entry.holders += 1
    assert entry.starting is not None
    try:
        await asyncio.shield(entry.starting)
    except BaseException:
        await _abandon(entry)
        raise
    return PoolLease(entry)


class _Entry:
    def __init__(self, pool: WorkerPool, forget: Callable[[], object]) -> None:
        self.pool = pool
        self.forget = forget
        self.holders = 0
        self.starting: asyncio.Task[None] | None = None


async def _abandon(entry: _Entry) -> None:
    """Somebody gave up waiting, or the start failed: the last one stops it."""
    entry.holders -= 1
    if entry.holders:
        return
    entry.forget()
    assert entry.starting is not None
    if not entry.starting.done():
        entry.starting.cancel()
        await asyncio.gather(entry.starting, return_exceptions=True)
    await entry.pool.close()


_POOLS: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[str, _Entry]] = WeakKeyDictionary()
