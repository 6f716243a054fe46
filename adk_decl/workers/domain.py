"""The workers of one trust domain: a zygote, warm workers and a spare, and the calls that wait for one."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from typing import Final

from adk_decl.errors import StartError
from adk_decl.plan.limits import LIMITS
from adk_decl.workers.boot import ZygoteSpec
from adk_decl.workers.errors import PoolClosed, QueueFull, WorkerDown
from adk_decl.workers.launcher import Launcher
from adk_decl.workers.process import WorkerProcess
from adk_decl.workers.spec import DomainSpec, Problem
from adk_decl.workers.zygote import Ready

_SPARE: Final = LIMITS["workers.spare"].default
_QUEUE: Final = LIMITS["workers.queue"].default
_START_SECONDS: Final = LIMITS["workers.start_timeout_ms"].default / 1000
_RECYCLE_CALLS: Final = LIMITS["workers.calls_before_recycle"].default
_CLOSE_MS: Final = LIMITS["plugin.close_timeout_ms"].default
_BURY_SECONDS: Final = 1.0
_RESTART: Final = LIMITS["workers.restart_delay_ms"]
_FAILED_STARTS: Final = LIMITS["workers.failed_starts"].default


class Domain:
    """Keeps `size` workers and a spare alive and hands them out. Refilling happens off the path of calls."""

    def __init__(self, spec: DomainSpec, *, size: int, debug_fd: int | None) -> None:
        self.spec = spec
        self.size = size
        self.handlers = {handler.name: index for index, handler in enumerate(spec.handlers)}
        self.free: list[WorkerProcess] = []
        self.busy = 0
        self.memory_enforced = False
        self._debug_fd = debug_fd
        self._preload = True
        self._launcher: Launcher | None = None
        self._alive: set[WorkerProcess] = set()
        self._leaving: set[WorkerProcess] = set()
        self._waiting: deque[asyncio.Future[WorkerProcess]] = deque()
        self._epoch = 0
        self._failures = 0
        self._timer: asyncio.TimerHandle | None = None
        self._restart: asyncio.Task[None] | None = None
        self._gone: asyncio.Event = asyncio.Event()
        self._warm: asyncio.Event = asyncio.Event()
        self._closed = False

    # -- calls ---------------------------------------------------------------------------------------------------

    def take(self) -> WorkerProcess | None:
        """A free worker, now; None when the call has to wait."""
        if self.busy < self.size:
            while self.free:
                worker = self.free.pop()
                if worker.idle:
                    self.busy += 1
                    return worker
        return None

    async def wait(self, seconds: float) -> WorkerProcess:
        """A worker as soon as one is free. Raises `QueueFull` after `seconds` or when too many wait already."""
        if self._closed:
            raise PoolClosed(self.spec.name)
        if len(self._waiting) >= _QUEUE or seconds <= 0:
            raise QueueFull(self.spec.name)
        waiting: asyncio.Future[WorkerProcess] = asyncio.get_running_loop().create_future()
        self._waiting.append(waiting)
        try:
            async with asyncio.timeout(seconds):
                return await waiting
        except BaseException as error:
            if waiting.done() and not waiting.cancelled() and waiting.exception() is None:
                self.release(waiting.result())
            with contextlib.suppress(ValueError):
                self._waiting.remove(waiting)
            if isinstance(error, TimeoutError):
                raise QueueFull(self.spec.name) from None
            raise

    def release(self, worker: WorkerProcess) -> None:
        """A call ended: the worker goes back, or leaves when it should serve no more."""
        self.busy -= 1
        if not worker.idle:
            if not worker.gone and worker in self._alive:
                self._leave(worker)
        elif worker.retire_wanted or worker.calls >= _RECYCLE_CALLS:
            self._leave(worker)
            worker.retire(within_ms=_CLOSE_MS)
        else:
            self.free.append(worker)
        if self._waiting:
            self._serve_waiting()

    # -- life ----------------------------------------------------------------------------------------------------

    async def start(self) -> tuple[str, ...]:
        """Start the zygote and one worker, ask for the others. Returns what went wrong, in sentences."""
        try:
            async with asyncio.timeout(_START_SECONDS):
                ready = await self._launch()
                problems = ready.problems or await self._first_worker()
        except TimeoutError:
            return (f"domain {self.spec.name!r}: importing its code took longer than {_START_SECONDS:g} s",)
        except (OSError, EOFError, StartError):
            return (f"domain {self.spec.name!r}: its process ended while it was starting",)
        debug = self._debug_fd is not None
        return tuple(_sentence(self.spec.name, problem, debug=debug) for problem in problems)

    async def warm(self) -> None:
        """Wait until all workers and the spare are ready. Bound the time with `asyncio.timeout`."""
        await self._warm.wait()

    async def close(self, *, within_seconds: float) -> None:
        """End everything: in good order first, after that time by force. Leaves no process."""
        self._closed = True
        self._fail_waiting()
        if self._timer is not None:
            self._timer.cancel()
        if self._restart is not None:
            self._restart.cancel()
            await asyncio.gather(self._restart, return_exceptions=True)
        try:
            async with asyncio.timeout(within_seconds):
                self._dismiss()
                await self._all_gone()
                if self._launcher is not None:
                    self._launcher.close()
                    await self._launcher.wait()
        except TimeoutError:
            pass
        finally:
            self.kill()
            await asyncio.shield(self._buried())

    async def _all_gone(self) -> None:
        while self._alive or self._leaving:
            self._gone.clear()
            await self._gone.wait()

    async def _buried(self) -> None:
        """After a kill the system needs no more than moments; what it can't end nobody can wait for."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_BURY_SECONDS):
                await self._all_gone()
                if self._launcher is not None:
                    await self._launcher.wait()

    def kill(self) -> None:
        """Kill every process of the domain, without waiting."""
        self._closed = True
        for worker in [*self._alive, *self._leaving]:
            worker.kill()
        if self._launcher is not None:
            self._launcher.kill()

    # -- zygote --------------------------------------------------------------------------------------------------

    async def _launch(self) -> Ready:
        spec = ZygoteSpec(domain=self.spec, preload=self._preload, debug=self._debug_fd is not None)
        launcher, ready = await Launcher.start(spec, debug_fd=self._debug_fd)
        if ready.threads > 1 and self._preload:
            launcher.kill()
            await launcher.wait()
            self._preload = False
            return await self._launch()
        launcher.on_end = self._zygote_ended
        self._launcher = launcher
        self.memory_enforced = ready.memory_enforced
        return ready

    async def _first_worker(self) -> tuple[Problem, ...]:
        """One worker tells whether the code can be prepared at all; only then the others are asked for."""
        worker = self._spawn()
        problems = await asyncio.shield(worker.ready)
        if problems is None:
            raise StartError((self.spec.name,))
        if not problems:
            self._refill()
        return problems

    def _zygote_ended(self) -> None:
        """Its workers die with it. Start again, later each time it fails."""
        if self._closed:
            return
        for worker in list(self._alive):
            worker.kill()
        self._later()

    def _later(self) -> None:
        if self._closed or self._timer is not None:
            return
        delay_ms = min(_RESTART.default << min(self._failures, 16), _RESTART.maximum)
        self._failures += 1
        if self._failures > _FAILED_STARTS:
            self._fail_waiting()
        self._timer = asyncio.get_running_loop().call_later(delay_ms / 1000, self._try_again)

    def _try_again(self) -> None:
        self._timer = None
        if self._launcher is not None and self._launcher.alive:
            self._refill()
        elif self._restart is None or self._restart.done():
            self._restart = asyncio.get_running_loop().create_task(self._relaunch())

    async def _relaunch(self) -> None:
        old, self._launcher = self._launcher, None
        try:
            async with asyncio.timeout(_START_SECONDS):
                if old is not None:
                    old.kill()
                    await old.wait()
                await self._launch()
        except (OSError, EOFError, TimeoutError):
            self._later()
        else:
            self._refill()

    # -- workers -------------------------------------------------------------------------------------------------

    def _spawn(self) -> WorkerProcess:
        assert self._launcher is not None
        self._epoch += 1
        worker = WorkerProcess(self._launcher, self._epoch, self._worker_gone)
        if not worker.gone:
            self._alive.add(worker)
            worker.ready.add_done_callback(lambda ready: self._worker_ready(worker, ready))
        return worker

    def _refill(self) -> None:
        while (
            not self._closed
            and self._launcher is not None
            and self._launcher.alive
            and self._timer is None
            and len(self._alive) < self.size + _SPARE
        ):
            try:
                worker = self._spawn()
            except OSError:
                self._later()
                return
            if worker.gone:
                self._later()
                return
            loop = asyncio.get_running_loop()
            limit = loop.call_later(_START_SECONDS, worker.kill)
            worker.ready.add_done_callback(lambda _, limit=limit: limit.cancel())  # type: ignore[misc]

    def _worker_ready(self, worker: WorkerProcess, ready: asyncio.Future[tuple[Problem, ...] | None]) -> None:
        if ready.cancelled() or ready.result() is None or worker.dying:
            return
        if ready.result():
            worker.kill()
            return
        self._failures = 0
        self.free.append(worker)
        self._serve_waiting()
        if len(self._alive) >= self.size + _SPARE and all(other.ready.done() for other in self._alive):
            self._warm.set()

    def _leave(self, worker: WorkerProcess) -> None:
        """The worker counts no more; the spare takes over and another is forked off the path."""
        self._alive.discard(worker)
        self._leaving.add(worker)
        self._warm.clear()
        self._refill()

    def _worker_gone(self, worker: WorkerProcess) -> None:
        served = worker.calls > 0 or worker in self._leaving
        expected = worker in self._alive
        self._alive.discard(worker)
        self._leaving.discard(worker)
        if worker in self.free:
            self.free.remove(worker)
        self._gone.set()
        if self._closed or not expected:
            return
        self._warm.clear()
        if served:
            self._refill()
        else:
            self._later()

    def _serve_waiting(self) -> None:
        while self._waiting:
            if self._waiting[0].done():
                self._waiting.popleft()
                continue
            worker = self.take()
            if worker is None:
                return
            self._waiting.popleft().set_result(worker)

    def _fail_waiting(self) -> None:
        while self._waiting:
            waiting = self._waiting.popleft()
            if not waiting.done():
                waiting.set_exception(PoolClosed(self.spec.name) if self._closed else WorkerDown(0, begun=False))

    def _dismiss(self) -> None:
        """Say goodbye to idle workers, and kill those that still work."""
        for worker in list(self._alive):
            if worker.idle and worker.ready.done():
                worker.retire(within_ms=_CLOSE_MS)
            else:
                worker.kill()


def _sentence(domain: str, problem: Problem, *, debug: bool) -> str:
    sentence = f"{problem.subject} of domain {domain!r} can't be used: {problem.kind} in module {problem.module}"
    return sentence if debug else f"{sentence} (ADK_DECL_DEBUG=1 shows more)"
