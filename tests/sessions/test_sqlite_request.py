from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from adk_decl.errors import SessionBusy, SessionStoreError
from adk_decl.sessions.sqlite_request import Request, carry_out


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "a.db")


@pytest.fixture
def connection(path: str) -> Iterator[sqlite3.Connection]:
    opened = sqlite3.connect(path, isolation_level=None)
    opened.execute("PRAGMA busy_timeout = 0")
    opened.execute("CREATE TABLE t (x UNIQUE)")
    yield opened
    opened.close()


def put(value: object) -> Callable[[sqlite3.Connection], object]:
    def run(connection: sqlite3.Connection) -> object:
        connection.execute("INSERT INTO t VALUES (?)", (value,))
        return value

    return run


def refuse(error: Exception) -> Callable[[sqlite3.Connection], object]:
    def run(connection: sqlite3.Connection) -> object:
        connection.execute("INSERT INTO t VALUES ('undone')")
        raise error

    return run


def write(run: Callable[[sqlite3.Connection], object], committed: Callable[[Any], None] | None = None) -> Request:
    return Request(run, mode="write", committed=committed)


async def _answers(*requests: Request) -> list[object]:
    found = await asyncio.gather(*(request.future for request in requests), return_exceptions=True)
    return [getattr(one, "code", type(one).__name__) if isinstance(one, Exception) else one for one in found]


def _rows(connection: sqlite3.Connection) -> list[object]:
    return [row[0] for row in connection.execute("SELECT x FROM t ORDER BY x")]


async def test_writes_share_a_transaction_and_only_the_refused_one_is_undone(
    connection: sqlite3.Connection, path: str
) -> None:
    requests = [write(put(1)), write(refuse(SessionBusy("s"))), write(refuse(ZeroDivisionError())), write(put(2))]
    carry_out(connection, requests, path)
    assert await _answers(*requests) == [1, "session_busy", "ZeroDivisionError", 2]
    assert _rows(connection) == [1, 2]


async def test_a_fault_of_one_request_leaves_the_others(connection: sqlite3.Connection, path: str) -> None:
    connection.execute("PRAGMA max_page_count = 8")
    requests = [write(put(1)), write(put("x" * 100_000)), write(put(2)), write(put(2))]
    carry_out(connection, requests, path)
    assert await _answers(*requests) == [1, "session_store_full", 2, "session_store_failed"]
    assert _rows(connection) == [1, 2]


async def test_a_fault_of_the_database_fails_all_at_once(connection: sqlite3.Connection, path: str) -> None:
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    begun: list[int] = []
    connection.set_trace_callback(lambda sql: begun.append(1) if sql.startswith("BEGIN") else None)
    requests = [write(put(n)) for n in range(5)]
    carry_out(connection, requests, path)
    assert await _answers(*requests) == ["session_store_locked"] * 5
    assert len(begun) == 1
    other.close()


async def test_what_follows_a_commit_happens_only_after_it(connection: sqlite3.Connection, path: str) -> None:
    told: list[object] = []
    requests = [
        write(put(1), lambda value: told.append((value, connection.in_transaction))),
        write(refuse(SessionStoreError("x")), told.append),
    ]
    carry_out(connection, requests, path)
    await _answers(*requests)
    assert told == [(1, False)]


async def test_only_durable_writes_wait_for_the_disk(connection: sqlite3.Connection, path: str) -> None:
    def level(connection: sqlite3.Connection) -> object:
        return connection.execute("PRAGMA synchronous").fetchone()[0]

    for modes, expected in ((("write", "write"), 1), (("write", "durable"), 2)):
        requests = [Request(level, mode=mode) for mode in modes]  # type: ignore[arg-type]
        carry_out(connection, requests, path)
        assert await _answers(*requests) == [expected, expected]


async def test_an_answer_to_a_loop_that_is_gone_is_dropped(connection: sqlite3.Connection, path: str) -> None:
    made: list[Request] = []

    async def make() -> None:
        made.append(write(put(1)))

    await asyncio.to_thread(lambda: asyncio.run(make()))
    carry_out(connection, made, path)
    assert _rows(connection) == [1]
