"""The SQLite store under real processes that compete, stop and die."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from adk_decl.errors import SessionBusy, SessionStoreError
from adk_decl.sessions.protocol import SessionKey
from adk_decl.sessions.sqlite import SqliteSessionStore
from tests.sessions.events import KEY, event

_CHECKOUT = Path(__file__).parents[2]


@contextmanager
def _writer(path: str, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "tests.sessions.writer", path, *arguments]
    with subprocess.Popen(
        command, cwd=_CHECKOUT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def _line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


async def _stored(path: str, session: str) -> list[str]:
    store = SqliteSessionStore(path)
    await store.open()
    found = await store.events(SessionKey("support", "u1", session))
    await store.close()
    return [one.id for one in found]


async def test_processes_that_share_a_session_take_turns_and_lose_nothing(tmp_path: Path) -> None:
    path = str(tmp_path / "sessions.db")
    with _writer(path, "s1", "40", "30000") as one, _writer(path, "s1", "40", "30000") as two:
        for process in (one, two):
            assert process.stdout is not None
            assert process.wait(timeout=30) == 0
    assert await _stored(path, "s1") == [f"e{n}" for n in range(80)]


async def test_processes_with_their_own_sessions_write_at_once(tmp_path: Path) -> None:
    path = str(tmp_path / "sessions.db")
    with _writer(path, "s1", "60", "30000") as one, _writer(path, "s2", "60", "30000") as two:
        assert (one.wait(timeout=30), two.wait(timeout=30)) == (0, 0)
    for session in ("s1", "s2"):
        assert await _stored(path, session) == [f"e{n}" for n in range(60)]


@pytest.mark.parametrize("acknowledged", [1, 7, 40])
async def test_a_kill_amid_writes_loses_nothing_that_was_acknowledged(tmp_path: Path, acknowledged: int) -> None:
    path = str(tmp_path / "sessions.db")
    with _writer(path, "s1", "100000", "30000") as process:
        assert _line(process) == "held"
        for number in range(acknowledged):
            assert _line(process) == str(number)
        process.send_signal(signal.SIGKILL)
        assert process.stdout is not None
        seen = acknowledged + len([line for line in process.stdout.read().split("\n")[:-1] if line])
    stored = await _stored(path, "s1")
    assert stored == [f"e{n}" for n in range(len(stored))]
    assert seen <= len(stored) <= seen + 1


async def test_the_lease_of_a_dead_process_ends(tmp_path: Path) -> None:
    path = str(tmp_path / "sessions.db")
    store = SqliteSessionStore(path)
    await store.open()
    with _writer(path, "s1", "1", "150", "hold") as process:
        assert (_line(process), _line(process)) == ("held", "0")
        with pytest.raises(SessionBusy):
            await store.acquire(KEY, ttl_ms=1000)
        process.kill()
        process.wait(timeout=10)
    while True:
        try:
            lease = await store.acquire(KEY, ttl_ms=1000)
            break
        except SessionBusy:
            continue
    await store.append(KEY, event(1))
    await lease.release()
    assert [one.id for one in await store.events(KEY)] == ["e0", "e1"]
    await store.close()


async def test_a_process_that_slept_too_long_is_fenced(tmp_path: Path) -> None:
    path = str(tmp_path / "sessions.db")
    store = SqliteSessionStore(path)
    await store.open()
    with _writer(path, "s1", "1", "100", "hold") as process:
        assert (_line(process), _line(process)) == ("held", "0")
        process.send_signal(signal.SIGSTOP)
        while True:
            try:
                lease = await store.acquire(KEY, ttl_ms=60_000)
                break
            except SessionBusy:
                continue
            except SessionStoreError:  # stopped amid a renewal, it holds the database: let it end that
                process.send_signal(signal.SIGCONT)
                process.send_signal(signal.SIGSTOP)
        process.send_signal(signal.SIGCONT)
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(timeout=30) == 1
    await store.append(KEY, event(1))
    await lease.release()
    assert [one.id for one in await store.events(KEY)] == ["e0", "e1"]
    await store.close()


def test_a_file_that_may_not_grow_is_reported_and_stays_readable(tmp_path: Path) -> None:
    path = str(tmp_path / "sessions.db")
    script = """
import asyncio, resource, signal, sys
from adk_decl.errors import SessionStoreError
from adk_decl.sessions.sqlite import SqliteSessionStore
from tests.sessions.events import KEY, event
async def main():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
    store = SqliteSessionStore(sys.argv[1])
    await store.open()
    number = 0
    try:
        while True:
            await store.append(KEY, event(number, "x" * 5000))
            number += 1
    except SessionStoreError as error:
        print(number, error.code)
    print(len(await store.events(KEY)))
    await store.close()
asyncio.run(main())
"""
    done = subprocess.run(
        [sys.executable, "-c", script, path], cwd=_CHECKOUT, capture_output=True, text=True, timeout=30, check=False
    )
    assert done.stderr == ""
    first, stored = done.stdout.splitlines()
    written, code = first.split()
    assert code in ("session_store_io", "session_store_full")
    assert int(written) > 5
    assert stored == written
    assert len(asyncio.run(_stored(path, "s1"))) == int(written)
