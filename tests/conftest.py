"""What holds for every test: no network beyond this machine, own state folder, no process left behind."""

from __future__ import annotations

import ipaddress
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

# The same examples in every run: a change is judged by what it does, not by luck. Explore with
# `--hypothesis-profile=explore`.
settings.register_profile("fixed", derandomize=True, deadline=None)
settings.register_profile("explore", deadline=None, max_examples=5000)
settings.load_profile("fixed")

_MARK = f"ADK_DECL_TEST_SESSION={os.getpid()}"
_GRACE_S = 5.0


def _refuse_network(event: str, arguments: tuple[Any, ...]) -> None:
    if event in ("socket.connect", "socket.sendto", "socket.sendmsg"):
        address = arguments[1] if len(arguments) > 1 else None
        if isinstance(address, tuple) and address and not _is_local(address[0]):
            raise RuntimeError("a test tried to reach beyond this machine")
    elif event == "socket.getaddrinfo" and not _is_local(arguments[0]):
        raise RuntimeError("a test tried to resolve a name beyond this machine")


def _is_local(host: object) -> bool:
    if isinstance(host, bytes):
        host = host.decode("ascii", "replace")
    if host in (None, "", "localhost", "0.0.0.0", "::"):
        return True
    try:
        return ipaddress.ip_address(str(host).partition("%")[0]).is_loopback
    except ValueError:
        return False


sys.addaudithook(_refuse_network)


@pytest.fixture(scope="session")
def _state_base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("state")


@pytest.fixture(autouse=True)
def _own_state(_state_base: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith("ADK_DECL_") and not name.startswith(("ADK_DECL_TEST_", "ADK_DECL_CI_")):
            monkeypatch.delenv(name)
    monkeypatch.delenv("NO_COLOR", raising=False)
    own = _state_base / f"{abs(hash(request.node.nodeid)):x}"
    monkeypatch.setenv("ADK_DECL_STATE_DIR", str(own))
    monkeypatch.setenv("ADK_DECL_CACHE", str(own / "cache"))


def pytest_sessionstart() -> None:
    name, _, value = _MARK.partition("=")
    os.environ[name] = value


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail a session that leaves a process behind."""
    if session.config.getoption("numprocesses", None):
        return  # the controller of pytest-xdist: its children are the sessions that check for themselves
    deadline = time.monotonic() + _GRACE_S
    left = dict(_left_processes())
    while left and time.monotonic() < deadline:
        time.sleep(0.05)
        left = dict(_left_processes())
    if left and session.exitstatus == 0:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
    for pid, command in left.items():
        print(f"\nleft behind: process {pid}: {command}", file=sys.stderr)


def _left_processes() -> Iterator[tuple[int, str]]:
    proc = Path("/proc")
    if not proc.is_dir():
        return
    parents: dict[int, int] = {}
    for entry in proc.iterdir():
        if entry.name.isdigit():
            try:
                state, parent = (entry / "stat").read_text().rpartition(")")[2].split()[:2]
            except OSError:
                continue
            if state != "Z":
                parents[int(entry.name)] = int(parent)
    for pid in parents:
        if pid != os.getpid() and (_descends(pid, parents) or _is_marked(proc / str(pid))):
            try:
                yield pid, (proc / str(pid) / "cmdline").read_text().replace("\0", " ").strip()
            except OSError:
                continue


def _descends(pid: int, parents: dict[int, int]) -> bool:
    seen = 0
    while pid in parents and seen < 64:
        pid, seen = parents[pid], seen + 1
        if pid == os.getpid():
            return True
    return False


def _is_marked(process: Path) -> bool:
    try:
        return _MARK.encode() in (process / "environ").read_bytes().split(b"\0")
    except OSError:
        return False
