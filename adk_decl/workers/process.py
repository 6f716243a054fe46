"""One worker as its host sees it: one call in flight, a deadline per step, killed when it breaks a rule.

This is the hot path. It uses plain callbacks of the event loop, keeps its buffer and its timer from call to call,
and makes one system call to send and one to receive.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import Callable, Sequence
from time import monotonic_ns
from typing import Final

from adk_decl.wire import WireError, decoder
from adk_decl.workers.errors import (
    HeapExceeded,
    ProtocolFailure,
    ReplyTooLarge,
    StepFailed,
    StepTimeout,
    WorkerDown,
)
from adk_decl.workers.frames import BYE, CALL, DONE, FAIL, HEADER, HEADER_BYTES, HELLO, RETIRE
from adk_decl.workers.launcher import Forked, Launcher
from adk_decl.workers.page import Page, Progress, create_page_file
from adk_decl.workers.pipes import open_pipes
from adk_decl.workers.spec import Problem
from adk_decl.workers.worker import Hello

_BUFFER_BYTES: Final = 1 << 16
_MAX_HELLO_BYTES: Final = 1 << 20
_NS_PER_MS: Final = 1_000_000
_DEATH_SECONDS: Final = 0.1
_NO_DEADLINE: Final = 1 << 63


class WorkerProcess:
    """One forked worker. `ready` resolves to the problems of its start, or to None when it died before.

    `on_gone` is called once, when the process has ended and all descriptors are closed.
    """

    def __init__(self, launcher: Launcher, epoch: int, on_gone: Callable[[WorkerProcess], None]) -> None:
        loop = asyncio.get_running_loop()
        self._loop = loop
        self.on_gone = on_gone
        self.ready: asyncio.Future[tuple[Problem, ...] | None] = loop.create_future()
        self.calls = 0
        self.dying = self.gone = self.retire_wanted = False
        self._call_id = (epoch & 0xFFFFFFFF) << 32
        self._future: asyncio.Future[bytes] | None = None
        self._failure: StepFailed | None = None
        self._timeouts_ms: Sequence[int] = ()
        self._start = self._max_reply = self._sent_ns = self._surely_ns = self._have = self._timer_at = 0
        self._deadline_ns = _NO_DEADLINE
        self._timer: asyncio.TimerHandle | None = None
        self._retire_timer: asyncio.TimerHandle | None = None
        self._unsent: memoryview | None = None
        self._buffer = bytearray(_BUFFER_BYTES)
        self._view = memoryview(self._buffer)
        self._pid = self._pidfd = -1
        self._launch(launcher)

    @property
    def idle(self) -> bool:
        """Whether it can take a call."""
        return self._future is None and not self.dying

    def call(
        self,
        handler: int,
        body: bytes,
        timeouts_ms: Sequence[int],
        start: int,
        max_reply: int,
        deadline_ns: int,
    ) -> asyncio.Future[bytes]:
        """Send one call; the future gets the reply or a `StepFailed`. No other call may be in flight."""
        future: asyncio.Future[bytes] = self._loop.create_future()
        if self.dying:
            future.set_exception(WorkerDown(start, begun=False))
            return future
        now = monotonic_ns()
        self._call_id = call_id = self._call_id + 1
        self._future = future
        self._timeouts_ms = timeouts_ms
        self._start = start
        self._max_reply = max_reply
        self._sent_ns = now
        self._deadline_ns = deadline_ns or _NO_DEADLINE
        self.calls += 1
        frame = HEADER.pack(len(body), CALL, handler, start, call_id, deadline_ns) + body
        try:
            sent = os.write(self._requests, frame)
        except BlockingIOError:
            sent = 0
        except OSError:
            sent = len(frame)
        if sent < len(frame):
            self._unsent = memoryview(frame)[sent:]
            self._loop.add_writer(self._requests, self._write)
        check = now + min(timeouts_ms[start:] if start else timeouts_ms) * _NS_PER_MS
        if check > self._deadline_ns:
            check = self._deadline_ns
        self._surely_ns = check
        if self._timer is None or self._timer_at > check:
            self._arm(check, now)
        return future

    def kill(self) -> None:
        """End the process now. A call in flight fails when the process is gone."""
        self.dying = True
        self._send_kill()

    def retire(self, *, within_ms: int) -> None:
        """Say goodbye: the worker closes its handlers and ends, or is killed after `within_ms`."""
        if self.dying:
            return
        self.dying = True
        try:
            os.write(self._requests, HEADER.pack(0, BYE, 0, 0, 0, 0))
        except OSError:
            self._send_kill()
            return
        self._retire_timer = self._loop.call_later(within_ms / 1000, self._send_kill)

    # -- start ---------------------------------------------------------------------------------------------------

    def _launch(self, launcher: Launcher) -> None:
        pipes = open_pipes()
        self._requests, self._replies = pipes.requests, pipes.replies
        lent = [pipes.their_requests, pipes.their_replies]
        try:
            lent.append(create_page_file())
            self._page = Page(lent[-1])
            self._loop.add_reader(self._replies, self._read)
            launcher.fork(lent, self._forked)
        except OSError:
            os.close(self._requests)
            os.close(self._replies)
            raise
        finally:
            for fd in lent:
                os.close(fd)

    def _forked(self, forked: Forked | None) -> None:
        if forked is None:
            self._ended()
            return
        self._pid, self._pidfd = forked
        if self.gone:
            self._send_kill()
            self._close_pidfd()
        elif self._pidfd >= 0:
            self._loop.add_reader(self._pidfd, self._exited)
        if self.dying and not self.gone:
            self._send_kill()

    # -- reading and writing -------------------------------------------------------------------------------------

    def _read(self) -> None:
        try:
            count = os.readv(self._replies, [self._view[self._have :] if self._have else self._buffer])
        except BlockingIOError:
            return
        except OSError:
            count = 0
        if not count:
            self._end_of_stream()
            return
        if count >= HEADER_BYTES and not self._have and self._take_plain(count):
            return
        self._have += count
        while self._have >= HEADER_BYTES and not self.gone:
            if not self._take():
                return

    def _take_plain(self, count: int) -> bool:
        """The common case in one go: one whole answer to the call in flight, in time for sure."""
        length, kind, flags, _, call_id, stamp_ns = HEADER.unpack_from(self._buffer)
        future = self._future
        if (
            count != HEADER_BYTES + length
            or kind != DONE
            or flags
            or future is None
            or call_id != self._call_id
            or stamp_ns > self._surely_ns
            or length > self._max_reply
            or self.dying
        ):
            return False
        self._future = None
        if not future.done():
            future.set_result(bytes(self._view[HEADER_BYTES:count]))
        return True

    def _take(self) -> bool:
        """Handle the frame at the front of the buffer. False when it is not complete, or broken."""
        length, kind, flags, _, call_id, stamp_ns = HEADER.unpack_from(self._buffer)
        future = self._future
        if kind == HELLO and not self.ready.done():
            limit = _MAX_HELLO_BYTES
        elif kind not in (DONE, FAIL) or future is None or call_id != self._call_id or self.dying:
            return self._unexpected()
        else:
            limit = self._max_reply
        if length > limit:
            return self._break(ReplyTooLarge)
        total = HEADER_BYTES + length
        if self._have < total:
            self._grow(total)
            return False
        body = bytes(self._view[HEADER_BYTES:total])
        rest = self._have - total
        if rest:
            self._buffer[:rest] = self._buffer[total : self._have]
        self._have = rest
        if kind == HELLO:
            self._hello(body)
        else:
            self._finish(kind, flags, stamp_ns, body)
        if total > _BUFFER_BYTES and not self._have:
            self._grow(_BUFFER_BYTES)
        return True

    def _grow(self, size: int) -> None:
        """Room for one large frame, given back after it."""
        if size > len(self._buffer) or (size == _BUFFER_BYTES and not self._have):
            larger = bytearray(size)
            larger[: self._have] = self._view[: self._have]
            self._buffer = larger
            self._view = memoryview(larger)

    def _write(self) -> None:
        unsent = self._unsent
        if unsent is None:
            return
        try:
            unsent = unsent[os.write(self._requests, unsent) :]
        except BlockingIOError:
            return
        except OSError:
            unsent = unsent[:0]
        self._unsent = unsent or None
        if not unsent:
            self._loop.remove_writer(self._requests)

    def _hello(self, body: bytes) -> None:
        try:
            self.ready.set_result(_decode_hello(body).problems)
        except WireError:
            self._break(ProtocolFailure)

    def _finish(self, kind: int, flags: int, stamp_ns: int, body: bytes) -> None:
        future = self._future
        self._future = None
        if flags & RETIRE:
            self.retire_wanted = True
        if future is None or future.done():
            return
        progress = self._progress()
        limit_ns = min(self._deadline_ns, progress.started_ns + self._timeouts_ms[progress.step] * _NS_PER_MS)
        if stamp_ns > limit_ns:
            future.set_exception(self._failed(StepTimeout, progress.step))
            self.kill()
        elif kind == FAIL:
            future.set_exception(self._failed(HeapExceeded, progress.step))
        else:
            future.set_result(body)

    # -- time ----------------------------------------------------------------------------------------------------

    def _arm(self, at_ns: int, now_ns: int) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer_at = at_ns
        self._timer = self._loop.call_later(max(0, at_ns - now_ns) / 1e9, self._tick)

    def _tick(self) -> None:
        """The timer outlives calls, so that most calls arm none: see what time the present step has left."""
        self._timer = None
        if self._future is None or self.dying:
            return
        now = monotonic_ns()
        progress = self._progress()
        timeouts = self._timeouts_ms
        left = timeouts[progress.step] * _NS_PER_MS - (now - progress.started_ns)
        left = min(left, self._deadline_ns - now)
        if left <= 0:
            self._failure = StepTimeout(progress.step)
            self.kill()
            return
        ahead = min(timeouts[progress.step + 1 :], default=timeouts[progress.step]) * _NS_PER_MS
        self._arm(now + min(left, ahead), now)

    def _progress(self) -> Progress:
        """Which step runs since when; what a worker wrote there is not trusted beyond its own steps."""
        progress = self._page.progress(self._call_id)
        if progress is None or not self._start <= progress.step < len(self._timeouts_ms):
            return Progress(self._start, self._sent_ns)
        return progress if progress.started_ns >= self._sent_ns else Progress(progress.step, self._sent_ns)

    # -- ends ----------------------------------------------------------------------------------------------------

    def _unexpected(self) -> bool:
        if self.dying:
            self._have = 0
            return False
        return self._break(ProtocolFailure)

    def _break(self, failure: type[WorkerDown]) -> bool:
        """The worker broke the protocol: kill it, and read no more."""
        if self._future is not None and self._failure is None:
            self._failure = failure(self._start)
        self._loop.remove_reader(self._replies)
        self._have = 0
        self.kill()
        return False

    def _send_kill(self) -> None:
        if self.gone or self._pid < 0:
            return
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if self._pidfd >= 0:
                signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)
            else:
                os.kill(self._pid, signal.SIGKILL)
                self._loop.call_later(_DEATH_SECONDS, self._ended)

    def _end_of_stream(self) -> None:
        """The worker closed its pipe: it ended, or a step closed it. Either way nothing more can come."""
        self._loop.remove_reader(self._replies)
        self.kill()
        if self._pidfd < 0 and self._pid >= 0:
            self._ended()

    def _exited(self) -> None:
        """The process ended by itself or was killed; an answer that it still gave counts."""
        self._close_pidfd()
        if self._future is not None and not self.dying:
            self._read()
        self._ended()

    def _close_pidfd(self) -> None:
        if self._pidfd >= 0:
            self._loop.remove_reader(self._pidfd)
            os.close(self._pidfd)
            self._pidfd = -1

    def _ended(self) -> None:
        """The process is gone: nothing writes the page any more. Settle what waits and give everything back."""
        if self.gone:
            return
        self.gone = self.dying = True
        for timer in (self._timer, self._retire_timer):
            if timer is not None:
                timer.cancel()
        future, self._future = self._future, None
        if future is not None and not future.done():
            future.set_exception(self._last_failure())
        if not self.ready.done():
            self.ready.set_result(None)
        self._loop.remove_reader(self._replies)
        self._loop.remove_writer(self._requests)
        os.close(self._replies)
        os.close(self._requests)
        self._replies = self._requests = -1
        self._page.close()
        self.on_gone(self)

    def _last_failure(self) -> StepFailed:
        """A step that began while the kill was under way was cut off, and must not run again."""
        kind = type(self._failure) if self._failure is not None else WorkerDown
        step = self._progress().step
        if isinstance(self._failure, StepTimeout) and step != self._failure.step:
            kind = WorkerDown
        return self._failed(kind, step)

    def _failed(self, kind: type[StepFailed], step: int) -> StepFailed:
        begun = self._page.progress(self._call_id) is not None
        marks = self._page.marks(self._start, step) if begun else []
        checkpoint = self._page.checkpoint(self._call_id, before=step) if begun else None
        return kind(step, checkpoint, marks, begun=begun)


_decode_hello: Callable[[bytes], Hello] = decoder(Hello)
