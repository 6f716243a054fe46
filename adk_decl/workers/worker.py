"""One worker: forked from the zygote, prepares its handlers once, then answers one call after the other.

A prepared worker has no descriptors but its pipes, its page and /dev/null, an empty environment, no core dumps,
and hard limits that it can't raise. Faults are contained here; malice is not: code of the same user can still reach
what the user can.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import importlib
import os
import signal
import sys
import threading
import traceback
from time import monotonic_ns
from typing import Final

from adk_decl.plan.limits import KIB, LIMITS
from adk_decl.wire import Struct, encode
from adk_decl.workers.boot import ZygoteSpec
from adk_decl.workers.budget import Budget
from adk_decl.workers.frames import BYE, CALL, DONE, FAIL, FAIL_HEAP, HELLO, RETIRE, Frame, FrameReader, pack, write_all
from adk_decl.workers.page import WORD_BEGAN, WORD_CALL, WORD_MARKS, WORD_STEP, Page
from adk_decl.workers.spec import Handler, HandlerSpec, PrepareFailed, Problem, kind_of

_SIGNALS: Final = (signal.SIGCHLD, signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_PR_SET_PDEATHSIG, _PR_SET_NO_NEW_PRIVS = 1, 38
_M_ARENA_MAX: Final = -8
_LARGE_REPLY_BYTES: Final = 1 << 16
_UNKNOWN: Final = -1
_WARM_CALLS: Final = LIMITS["workers.warm_calls"].default


class Hello(Struct, frozen=True, kw_only=True):
    """The first frame of a worker."""

    problems: tuple[Problem, ...]


class Steps:
    """The step control of one worker (`adk_decl.workers.spec.StepControl`)."""

    __slots__ = ("_armed_mib", "_budget", "_page", "_words", "call_id", "deadline_ns", "retired", "start")

    def __init__(self, page: Page, budget: Budget) -> None:
        self._page = page
        self._words = page.words
        self._budget = budget
        self.call_id = 0
        self.start = 0
        self.deadline_ns = 0
        self.retired = False
        self._armed_mib = _UNKNOWN

    def open(self, frame: Frame) -> None:
        """A call begins: nothing of the one before counts any more."""
        self.call_id = frame.call_id
        self.start = frame.start
        self.deadline_ns = frame.stamp_ns
        self._armed_mib = _UNKNOWN
        words = self._words
        words[WORD_BEGAN] = monotonic_ns()
        words[WORD_STEP] = frame.start
        words[WORD_CALL] = frame.call_id

    def begin(self, index: int, *, heap_mib: int, now_ns: int = 0) -> None:
        """See `StepControl.begin`."""
        words = self._words
        words[WORD_BEGAN] = now_ns or monotonic_ns()
        words[WORD_STEP] = index
        if heap_mib != self._armed_mib:
            self._budget.arm(heap_mib)
            self._armed_mib = heap_mib

    def mark(self, index: int, outcome: int, duration_us: int = 0) -> None:
        """See `StepControl.mark`."""
        self._words[WORD_MARKS + index] = duration_us << 8 | outcome

    def marks(self, start: int, end: int) -> list[int]:
        """See `StepControl.marks`."""
        return self._page.marks(start, end)

    def checkpoint(self, index: int, data: bytes) -> bool:
        """See `StepControl.checkpoint`."""
        return self._page.publish(self.call_id, index, data)

    def retire(self) -> None:
        """See `StepControl.retire`."""
        self.retired = True

    def end(self) -> None:
        """See `StepControl.end`."""
        self._budget.lift()
        self._armed_mib = _UNKNOWN


def serve(zygote_pid: int, request_fd: int, reply_fd: int, page_fd: int, spec: ZygoteSpec) -> None:
    """Be a worker until the host closes the pipe of requests or says goodbye."""
    _settle(zygote_pid)
    page = Page(page_fd)
    os.close(page_fd)
    budget = Budget()
    handlers, problems = _prepare(spec)
    gc.collect()
    gc.freeze()
    write_all(reply_fd, pack(HELLO, 0, monotonic_ns(), encode(Hello(problems=problems))))
    if not problems:
        _answer_calls(request_fd, reply_fd, handlers, Steps(page, budget), budget)


def tune_allocator() -> None:
    """Make threads cheap under a memory budget: small stacks, and no arena of 64 MiB each."""
    threading.stack_size(LIMITS["workers.thread_stack_kib"].default * KIB)
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).mallopt(_M_ARENA_MAX, 1)


def _settle(zygote_pid: int) -> None:
    """Die with the zygote, keep its signal handlers out, and lead a process group that can be killed as one."""
    if sys.platform == "linux":
        prctl = ctypes.CDLL(None).prctl
        prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    if os.getppid() != zygote_pid:
        os._exit(0)
    os.setpgid(0, 0)
    for number in _SIGNALS:
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, set())


def _prepare(spec: ZygoteSpec) -> tuple[list[Handler], tuple[Problem, ...]]:
    handlers: list[Handler] = []
    problems: list[Problem] = []
    for handler in spec.domain.handlers:
        try:
            handlers.append(_prepare_one(handler))
        except PrepareFailed as error:
            problems.extend(error.problems)
        except BaseException as error:  # noqa: BLE001 - foreign code: anything may be raised, SystemExit too
            problems.append(Problem(subject=f"handler {handler.name!r}", module=handler.module, kind=kind_of(error)))
            if spec.debug:
                traceback.print_exc()
    return handlers, tuple(problems)


def _prepare_one(spec: HandlerSpec) -> Handler:
    handler: Handler = importlib.import_module(spec.module).prepare(spec.setup)
    return handler


def _answer_calls(request_fd: int, reply_fd: int, handlers: list[Handler], steps: Steps, budget: Budget) -> None:
    reader = FrameReader(request_fd, limit=LIMITS["workers.frame_bytes"].default)
    calls = 0
    while True:
        frame = reader.read(before_large=budget.lift)
        if frame is None or frame.kind == BYE:
            break
        if frame.kind == CALL:
            write_all(reply_fd, _answer(frame, handlers[frame.flags], steps, budget))
            calls += 1
            if calls <= _WARM_CALLS:
                budget.settle()
    for handler in handlers:
        with contextlib.suppress(Exception):
            handler.close()


def _answer(frame: Frame, handler: Handler, steps: Steps, budget: Budget) -> bytes:
    steps.open(frame)
    kind = DONE
    try:
        reply = handler(frame.body, steps)
    except MemoryError:
        budget.lift()
        steps.retire()
        kind, reply = FAIL, FAIL_HEAP
    flags = RETIRE if steps.retired or budget.grown else 0
    if len(reply) > _LARGE_REPLY_BYTES:
        budget.lift()
    return pack(kind, frame.call_id, monotonic_ns(), reply, flags=flags)
