"""Calls into worker processes: by domain, within time, memory and size, never run twice.

pool = WorkerPool(domains, workers=2)
await pool.start()
reply = await pool.call("project", "hooks", body, timeouts_ms=(1000,), max_reply_bytes=65_536)
await pool.close()
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from time import monotonic
from typing import Final

from adk_decl.errors import StartError
from adk_decl.plan.limits import LIMITS
from adk_decl.workers.domain import Domain
from adk_decl.workers.errors import PoolClosed, WorkerDown
from adk_decl.workers.page import MAX_STEPS
from adk_decl.workers.spec import DomainSpec
from adk_decl.workers.system import Enforced, SystemFacts, system_facts, unenforced

_START_SECONDS: Final = LIMITS["workers.start_timeout_ms"].default / 1000
_CLOSE_SECONDS: Final = LIMITS["workers.close_timeout_ms"].default / 1000
_ATTEMPTS: Final = 3


class WorkerPool:
    """Worker processes of several trust domains, bound to one event loop.

    `workers` is the number of calls of one domain that run at once, unless its spec asks for more. With `debug_fd`,
    tracebacks and what the code prints go to that descriptor; otherwise they go nowhere.
    """

    def __init__(self, domains: Sequence[DomainSpec], *, workers: int, debug_fd: int | None = None) -> None:
        self.facts: SystemFacts = system_facts()
        self._domains = {
            spec.name: Domain(spec, size=max(workers, spec.workers), debug_fd=debug_fd) for spec in domains
        }
        self._open = False

    @property
    def enforced(self) -> Enforced:
        """What this pool enforces. Memory is known after `start`."""
        memory = all(domain.memory_enforced for domain in self._domains.values())
        return Enforced(memory=memory, kill=self.facts.fork)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Complete sentences about what this system does not enforce."""
        return unenforced(self.facts, self.enforced) if self._domains else ()

    async def start(self) -> None:
        """Start every domain. Raises `StartError` with every problem; then nothing is left running."""
        if self._domains and not self.facts.fork:
            raise StartError(unenforced(self.facts))
        try:
            found = await asyncio.gather(*(domain.start() for domain in self._domains.values()))
        except BaseException:
            await self.close()
            raise
        problems = tuple(problem for problems in found for problem in problems)
        if problems:
            await self.close()
            raise StartError(problems)
        self._open = True

    async def warm(self) -> None:
        """Wait until every domain has all its workers and its spare. Raises `TimeoutError`."""
        async with asyncio.timeout(_START_SECONDS):
            await asyncio.gather(*(domain.warm() for domain in self._domains.values()))

    async def close(self) -> None:
        """End all processes: handlers are closed in good order, calls in flight are killed. Leaves no process."""
        self._open = False
        domains = self._domains.values()
        try:
            await asyncio.gather(*(domain.close(within_seconds=_CLOSE_SECONDS) for domain in domains))
        except BaseException:
            self.kill()
            raise

    def kill(self) -> None:
        """Kill all processes at once, without waiting for them."""
        self._open = False
        for domain in self._domains.values():
            domain.kill()

    async def call(
        self,
        domain: str,
        handler: str,
        body: bytes,
        *,
        timeouts_ms: Sequence[int],
        max_reply_bytes: int,
        start: int = 0,
        deadline: float | None = None,
        wait_ms: int | None = None,
    ) -> bytes:
        """Run one call and return its reply.

        `timeouts_ms` has the time of each step, and `start` is the first to run. `deadline` (of `time.monotonic`)
        ends the whole call. A call that finds no free worker waits until the deadline, at most `wait_ms`, or as
        long as its own steps may take. Cancelling kills the worker. Raises `CallFailed`.
        """
        if not self._open:
            raise PoolClosed(domain)
        place = self._domains[domain]
        index = place.handlers[handler]
        if len(timeouts_ms) > MAX_STEPS:
            raise ValueError(f"a call has at most {MAX_STEPS} steps")
        deadline_ns = 0 if deadline is None else max(1, int(deadline * 1e9))
        for attempt in range(_ATTEMPTS):
            worker = place.take() or await place.wait(_patience(timeouts_ms, deadline, wait_ms))
            try:
                return await worker.call(index, body, timeouts_ms, start, max_reply_bytes, deadline_ns)
            except asyncio.CancelledError:
                worker.kill()
                raise
            except WorkerDown as failure:
                if failure.begun or attempt == _ATTEMPTS - 1:
                    raise
            finally:
                place.release(worker)
        raise AssertionError("unreachable")


def _patience(timeouts_ms: Sequence[int], deadline: float | None, wait_ms: int | None) -> float:
    seconds = (sum(timeouts_ms) if wait_ms is None else wait_ms) / 1000
    return seconds if deadline is None else min(seconds, deadline - monotonic())
