"""What the tests of workers share: a pool over the faulty handler, and what the system says of processes."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from adk_decl.wire import decode, encode
from adk_decl.workers.pool import WorkerPool
from adk_decl.workers.spec import DomainSpec, HandlerSpec

ROOT = str(Path(__file__).resolve().parents[2])


def domain(
    name: str = "project", *, setup: str = "", module: str = "tests.workers.faulty", preload: tuple[str, ...] = ()
) -> DomainSpec:
    """A domain with the faulty handler."""
    handler = HandlerSpec(name="faulty", module=module, setup=setup.encode(), preload=preload)
    return DomainSpec(name=name, import_paths=(ROOT,), handlers=(handler,))


@asynccontextmanager
async def pool_of(*domains: DomainSpec, workers: int = 2, debug_fd: int | None = None) -> AsyncIterator[WorkerPool]:
    """A started, warm pool, closed afterwards."""
    pool = WorkerPool(domains or (domain(),), workers=workers, debug_fd=debug_fd)
    await pool.start()
    try:
        await pool.warm()
        yield pool
    finally:
        await pool.close()


async def call(
    pool: WorkerPool,
    *steps: list[Any],
    timeouts_ms: tuple[int, ...] = (),
    name: str = "project",
    max_reply_bytes: int = 1 << 20,
    **options: Any,
) -> Any:
    """Run steps `[name, argument, heap_mib]` and return their results."""
    reply = await pool.call(
        name,
        "faulty",
        encode(steps),
        timeouts_ms=timeouts_ms or (5000,) * len(steps),
        max_reply_bytes=max_reply_bytes,
        **options,
    )
    return decode(reply)


async def until(condition: Any, seconds: float = 5.0) -> None:
    """Wait until `condition()` holds."""
    async with asyncio.timeout(seconds):
        while not condition():  # noqa: ASYNC110 - other processes change, nothing here can be told
            await asyncio.sleep(0.002)


def descendants(pid: int) -> set[int]:
    """The living processes below a process."""
    parents: dict[int, int] = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                fields = Path(f"/proc/{entry}/stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if fields[0] != "Z":
                parents[int(entry)] = int(fields[1])
    found: set[int] = set()
    frontier = {pid}
    while frontier:
        frontier = {child for child, parent in parents.items() if parent in frontier} - found
        found |= frontier
    return found


def alive(pid: int) -> bool:
    """Whether a process runs (a zombie does not)."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def parent(pid: int) -> int:
    """The process that started a process."""
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def open_fds() -> int:
    """How many descriptors this process has open."""
    return len(os.listdir("/proc/self/fd"))
