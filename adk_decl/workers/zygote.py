"""The zygote: a single-threaded process that imports a domain's code once and then only forks workers.

Control stream from the host: the search path, the spec, then one byte per worker wanted, each with three descriptors
(the pipes of requests and replies, and the page). Answers: one READY frame, then for each request the process id with
a descriptor of the process. At the end of the stream, or when the host is gone, everything dies.

On Linux the zygote adopts what its workers leave behind, in sessions of their own too, and kills it.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import importlib
import os
import select
import signal
import socket
import struct
import sys
import time
import traceback
from collections.abc import Callable
from typing import Final

from adk_decl.wire import Struct, decoder, encode
from adk_decl.workers import worker
from adk_decl.workers.boot import LENGTH, ZygoteSpec
from adk_decl.workers.budget import proves_memory_limit
from adk_decl.workers.spec import DomainSpec, Problem, kind_of

FORKED = struct.Struct("<i")
_WANTED_FDS: Final = 3
_PR_SET_CHILD_SUBREAPER: Final = 36
_END_SECONDS: Final = 0.5
_END_POLL_SECONDS: Final = 0.001


class Ready(Struct, frozen=True, kw_only=True):
    """The first answer of a zygote. `threads` is the number of threads that importing left behind."""

    problems: tuple[Problem, ...]
    memory_enforced: bool
    threads: int


def main(control: socket.socket, read: Callable[[int], bytes]) -> None:
    """Serve until the host is gone. Never returns normally."""
    parent = os.getppid()
    spec = _decode_spec(read(LENGTH.unpack(read(LENGTH.size))[0]))
    worker.tune_allocator()
    problems = _load(spec)
    gc.collect()
    gc.freeze()
    enforced = _memory_limit_works()
    data = encode(Ready(problems=problems, memory_enforced=enforced, threads=_threads()))
    control.sendall(LENGTH.pack(len(data)) + data)
    _Forker(control, spec).serve(parent)


class _Forker:
    """Forks on request and reaps; knows every child that lives."""

    def __init__(self, control: socket.socket, spec: ZygoteSpec) -> None:
        self._control = control
        self._spec = spec
        self._children: set[int] = set()
        self._me = os.getpid()
        self._host_fd = -1

    def serve(self, parent: int) -> None:
        if sys.platform == "linux":
            ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        signal.signal(signal.SIGCHLD, self._reap)
        poll = select.poll()
        poll.register(self._control, select.POLLIN)
        with contextlib.suppress(OSError, AttributeError):
            self._host_fd = os.pidfd_open(parent)
            poll.register(self._host_fd, select.POLLIN)
        while True:
            events = poll.poll()
            if any(fd != self._control.fileno() for fd, _ in events) or os.getppid() != parent:
                break
            if events and not self._answer():
                break
        self._end()

    def _answer(self) -> bool:
        """Fork once. False at the end of the stream."""
        try:
            message, fds, _, _ = socket.recv_fds(self._control, 1, _WANTED_FDS)
        except OSError:
            return False
        if not message:
            return False
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
        try:
            pid = self._fork(fds)
            if pid > 0:
                self._children.add(pid)
            return self._report(pid)
        finally:
            for fd in fds:
                os.close(fd)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})

    def _fork(self, fds: list[int]) -> int:
        if len(fds) != _WANTED_FDS:
            return -1
        try:
            pid = os.fork()
        except OSError:
            return -1
        if pid == 0:
            status = 70
            try:
                self._control.close()
                if self._host_fd >= 0:
                    os.close(self._host_fd)
                worker.serve(self._me, fds[0], fds[1], fds[2], self._spec)
                status = 0
            except BaseException:  # noqa: BLE001 - a worker must never run on in the code of its zygote
                if self._spec.debug:
                    traceback.print_exc()
            finally:
                os._exit(status)
        return pid

    def _report(self, pid: int) -> bool:
        fds = []
        with contextlib.suppress(OSError, AttributeError):
            if pid > 0:
                fds.append(os.pidfd_open(pid))
        try:
            socket.send_fds(self._control, [FORKED.pack(pid)], fds)
        except OSError:
            return False
        finally:
            for fd in fds:
                os.close(fd)
        return True

    def _reap(self, *_: object) -> None:
        """Collect ended workers, and end what a worker started: its process group, and what it leaves to this one."""
        if self._collect():
            _kill(self._orphans())

    def _collect(self) -> bool:
        """Reap every child that has ended. False when there is no child at all."""
        try:
            while pid := _ended_child():
                self._children.discard(pid)
        except ChildProcessError:
            return False
        return True

    def _orphans(self) -> set[int]:
        """Children that are no workers: an ended worker, or a living one by forking twice, left them behind."""
        try:
            with open(f"/proc/self/task/{self._me}/children", encoding="ascii") as file:
                return {int(pid) for pid in file.read().split()} - self._children
        except OSError:
            return set()

    def _end(self) -> None:
        """Kill until there is no child: each that dies may leave others."""
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
        ends = time.monotonic() + _END_SECONDS
        while self._collect() and time.monotonic() < ends:
            _kill(self._children | self._orphans())
            time.sleep(_END_POLL_SECONDS)
        os._exit(0)


def _kill(pids: set[int]) -> None:
    for pid in pids:
        for kill in (os.killpg, os.kill):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                kill(pid, signal.SIGKILL)


def _ended_child() -> int:
    """Reap one ended child with its process group; 0 when there is none. Its id can't be reused before the reaping."""
    if not hasattr(os, "waitid"):
        return os.waitpid(-1, os.WNOHANG)[0]
    ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    if ended is None:
        return 0
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(ended.si_pid, signal.SIGKILL)
    return os.waitpid(ended.si_pid, 0)[0]


def _load(spec: ZygoteSpec) -> tuple[Problem, ...]:
    """Import handler modules, whose failure is a problem, and preloads, whose failure shows again in `prepare`."""
    problems = []
    for handler in spec.domain.handlers:
        try:
            importlib.import_module(handler.module)
        except BaseException as error:  # noqa: BLE001 - foreign code: anything may be raised, SystemExit too
            problems.append(Problem(subject=f"handler {handler.name!r}", module=handler.module, kind=kind_of(error)))
            if spec.debug:
                traceback.print_exc()
    if spec.preload:
        _preload(spec.domain)
    return tuple(problems)


def _preload(domain: DomainSpec) -> None:
    for module in dict.fromkeys(name for handler in domain.handlers for name in handler.preload):
        with contextlib.suppress(BaseException):
            importlib.import_module(module)


def _memory_limit_works() -> bool:
    """Whether a forked child meets MemoryError at its budget: some kernels and systems don't do that."""
    if sys.platform != "linux":
        return False
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            status = 0 if proves_memory_limit() else 1
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def _threads() -> int:
    try:
        return len(os.listdir("/proc/self/task"))
    except OSError:
        return 1


_decode_spec: Callable[[bytes], ZygoteSpec] = decoder(ZygoteSpec)
