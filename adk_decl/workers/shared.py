"""One pool per process, event loop and plan: runners of the same plan share workers, the last one closes them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from weakref import WeakKeyDictionary

from adk_decl.workers.pool import WorkerPool
from adk_decl.workers.spec import DomainSpec


@asynccontextmanager
async def shared_pool(
    key: str, domains: Sequence[DomainSpec], *, workers: int, debug_fd: int | None = None
) -> AsyncIterator[WorkerPool]:
    """The pool of `key` on the running event loop, as long as the block lasts; the last one closes it.

    `key` is the plan's digest and what else tells domains apart. Pools of other sizes are not shared, nor is one
    that writes to a descriptor, since that is closed with the runner it belongs to. The first one builds and starts
    the pool. Raises `StartError` to everybody who waits for a start that fails.
    """
    loop = asyncio.get_running_loop()
    entries = _POOLS.setdefault(loop, {})
    place = (key, workers, debug_fd)
    entry = entries.get(place)
    if entry is None:
        pool = WorkerPool(domains, workers=workers, debug_fd=debug_fd)
        entry = entries[place] = _Entry(pool, loop.create_task(pool.start()))
    entry.holders += 1
    try:
        await asyncio.shield(entry.starting)
        yield entry.pool
    finally:
        entry.holders -= 1
        if entry.holders == 0:
            if entries.get(place) is entry:
                del entries[place]
            await entry.close()


class _Entry:
    """One pool, its start, and how many hold it."""

    def __init__(self, pool: WorkerPool, starting: asyncio.Task[None]) -> None:
        self.pool = pool
        self.starting = starting
        self.holders = 0

    async def close(self) -> None:
        """Stop a start that is under way, then close."""
        if not self.starting.done():
            self.starting.cancel()
            await asyncio.gather(self.starting, return_exceptions=True)
        await self.pool.close()


_Place = tuple[str, int, int | None]

_POOLS: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[_Place, _Entry]] = WeakKeyDictionary()
