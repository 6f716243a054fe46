"""A handler whose steps do what they are told, good and bad. Runs in worker processes of the tests."""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from adk_decl.wire import decode, encode
from adk_decl.workers.spec import StepControl

_KEPT: list[bytearray] = []
_CALLS = 0


def prepare(setup: bytes) -> FaultyHandler:
    """Do what `setup` says about the start: `raise`, `hang`, `exit`, or nothing."""
    how = setup.decode()
    if how == "raise":
        raise ValueError("a secret that must not be shown")
    if how == "hang":
        time.sleep(1000)
    if how == "exit":
        os._exit(3)
    return FaultyHandler(how)


class FaultyHandler:
    """Runs `[[name, argument, heap_mib], ...]`, one step each, and answers with the results."""

    def __init__(self, mark_file: str) -> None:
        self._mark_file = mark_file

    def __call__(self, body: bytes, steps: StepControl) -> bytes:
        global _CALLS
        _CALLS += 1
        results: list[Any] = []
        plan = decode(body)
        for index in range(steps.start, len(plan)):
            name, argument, heap_mib = plan[index]
            steps.begin(index, heap_mib=heap_mib)
            try:
                results.append(STEPS[name](argument))
                steps.mark(index, 1, 7)
            except MemoryError:
                steps.end()
                results.append("memory")
                steps.mark(index, 2)
            if argument == "checkpoint":
                steps.checkpoint(index, encode(results))
        steps.end()
        return encode(results)

    def close(self) -> None:
        if self._mark_file:
            with open(self._mark_file, "a") as file:
                file.write("closed\n")


def _spin(_: Any) -> None:
    while True:
        pass


def _swallow(_: Any) -> None:
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass


def _reply_fd() -> int:
    """The pipe on which this worker answers."""
    for name in os.listdir("/proc/self/fd"):
        fd = int(name)
        with contextlib.suppress(OSError):
            writable = fcntl.fcntl(fd, fcntl.F_GETFL) & os.O_WRONLY
            if fd > 2 and writable and os.readlink(f"/proc/self/fd/{fd}").startswith("pipe:"):
                return fd
    raise LookupError


def _keep(mib: Any) -> int:
    _KEPT.append(bytearray(int(mib) << 20))
    return len(_KEPT)


def _fork_helper(_: Any) -> int:
    return subprocess.Popen([sys.executable, "-I", "-c", "import time; time.sleep(1000)"]).pid


def _fork_daemon(_: Any) -> list[int]:
    """A process in a session of its own, which has a child in another."""
    code = (
        "import subprocess, sys, time\n"
        "child = subprocess.Popen([sys.executable, '-I', '-c', 'import time; time.sleep(1000)'],"
        " start_new_session=True)\n"
        "print(child.pid, flush=True)\n"
        "time.sleep(1000)\n"
    )
    daemon = subprocess.Popen([sys.executable, "-I", "-c", code], start_new_session=True, stdout=subprocess.PIPE)
    assert daemon.stdout is not None
    return [daemon.pid, int(daemon.stdout.readline())]


def _exit_soon(_: Any) -> None:
    """Ends the process a little after the answer."""
    threading.Timer(0.05, os._exit, (0,)).start()


def _print_much(_: Any) -> None:
    for _i in range(10_000):
        print("x" * 100)
        print("y" * 100, file=sys.stderr)


STEPS: dict[str, Callable[[Any], Any]] = {
    "echo": lambda argument: argument,
    "pid": lambda _: os.getpid(),
    "calls": lambda _: _CALLS,
    "environ": lambda _: sorted(os.environ),
    "sleep": lambda seconds: time.sleep(seconds),
    "spin": _spin,
    "spin_in_c": lambda _: re.match(r"(a+)+$", "a" * 64 + "b"),
    "swallow": _swallow,
    "exit": lambda status: os._exit(status),
    "segfault": lambda _: os.kill(os.getpid(), signal.SIGSEGV),
    "raise": lambda _: [][1],
    "allocate": lambda mib: len(bytearray(int(mib) << 20)),
    "keep": _keep,
    "large": lambda count: "x" * count,
    "close_pipe": lambda _: os.close(_reply_fd()),
    "write_pipe": lambda _: os.write(_reply_fd(), b"\xff" * 64),
    "write_large_length": lambda _: os.write(_reply_fd(), b"\xff\xff\xff\x7f" + b"\x03" + b"\0" * 19),
    "fork_helper": _fork_helper,
    "fork_daemon": _fork_daemon,
    "exit_soon": _exit_soon,
    "print": _print_much,
    "memory_error": lambda _: bytearray(1 << 50),
}
