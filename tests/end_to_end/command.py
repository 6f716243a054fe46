"""Runs the installed command as its users do, and sees to it that no process outlives it."""

from __future__ import annotations

import ctypes
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

CHECKOUT = Path(__file__).resolve().parents[2]
QUICKSTART = CHECKOUT / "manifests" / "quickstart.adk.yaml"
_PR_SET_CHILD_SUBREAPER = 36
_GRACE_SECONDS = 2.0


class Outcome(NamedTuple):
    """What a finished command left. `left` are command lines of processes that outlived it."""

    code: int
    out: str
    err: str
    seconds: float
    left: list[str]

    @property
    def lines(self) -> list[dict[str, Any]]:
        """Stdout as JSON lines."""
        return [json.loads(line) for line in self.out.splitlines()]

    def of_type(self, kind: str) -> list[dict[str, Any]]:
        """The JSON lines of one type."""
        return [line for line in self.lines if line["type"] == kind]


class Command:
    """A command that was started: wait for something, send signals, take its outcome."""

    def __init__(self, *arguments: str | Path, env: dict[str, str] | None = None, cwd: Path | None = None) -> None:
        adopt_orphans()
        self._started = time.monotonic()
        self._before = set(_children())
        self._process = subprocess.Popen(
            [sys.executable, "-m", "adk_decl", *map(str, arguments)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
            env={**os.environ, **(env or {})},
            cwd=cwd,
            text=True,
            start_new_session=True,
        )

    def wait_for(self, path: Path, *, seconds: float = 20) -> None:
        """Until a file exists, which the code under test writes when it has come that far."""
        deadline = time.monotonic() + seconds
        while not path.exists():
            assert time.monotonic() < deadline, f"{path.name} did not appear"
            assert self._process.poll() is None, self._process.communicate()
            time.sleep(0.005)

    def send(self, number: int) -> None:
        """Send a signal to the command's process group, as a terminal does."""
        self._started = time.monotonic()
        os.killpg(self._process.pid, number)

    def outcome(self, *, seconds: float = 60) -> Outcome:
        """Wait for the end. `seconds` of the outcome count from the start, or from the last signal."""
        try:
            out, err = self._process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, signal.SIGKILL)
            raise
        took = time.monotonic() - self._started
        return Outcome(self._process.returncode, out, err, took, self._left())

    def _left(self) -> list[str]:
        """Orphans of the command; those that are just ending get a moment."""
        deadline = time.monotonic() + _GRACE_SECONDS
        while True:
            left = [pid for pid in _children() if pid not in self._before and pid != self._process.pid]
            for pid in left:
                _reap(pid)
            left = [pid for pid in left if Path(f"/proc/{pid}").exists()]
            if not left or time.monotonic() > deadline:
                return [Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")[:200] for pid in left]
            time.sleep(0.01)


def run(*arguments: str | Path, env: dict[str, str] | None = None, cwd: Path | None = None) -> Outcome:
    """Run a command to its end."""
    return Command(*arguments, env=env, cwd=cwd).outcome()


def adopt_orphans() -> None:
    """Make this process the parent of orphaned descendants, so that they can be seen."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _children() -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = (entry / "stat").read_text().rpartition(")")[2].split()[1]
            except OSError:
                continue
            if int(parent) == os.getpid():
                found.append(int(entry.name))
    return found


def _reap(pid: int) -> None:
    try:
        os.waitpid(pid, os.WNOHANG)
    except ChildProcessError:
        return
