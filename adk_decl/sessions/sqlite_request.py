"""Requests to a SQLite connection, and how several are carried out in one transaction."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Sequence
from typing import Any, Literal

from adk_decl.sessions.sqlite_errors import from_sqlite, primary_code

Mode = Literal["read", "write", "durable"]
"""`write` runs in a transaction; `durable` also waits until the disk has it."""


_FAULTS_OF_ONE = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_TOOBIG, sqlite3.SQLITE_CONSTRAINT)


class Request:
    """A function of the connection, and the future of the loop that waits for what it returns.

    `committed` is called in the connection's thread once the change is certain. An exception of the function that is
    not SQLite's undoes only that request.
    """

    __slots__ = ("committed", "future", "loop", "mode", "run")

    def __init__(
        self,
        run: Callable[[sqlite3.Connection], Any],
        *,
        mode: Mode = "read",
        committed: Callable[[Any], None] | None = None,
    ) -> None:
        self.run = run
        self.mode = mode
        self.committed = committed
        self.loop = asyncio.get_running_loop()
        self.future: asyncio.Future[Any] = self.loop.create_future()

    def succeed(self, value: Any) -> None:
        """Tell the caller the result."""
        if self.committed is not None:
            self.committed(value)
        self._tell(_set_result, value)

    def fail(self, error: Exception) -> None:
        """Tell the caller why there is none."""
        self._tell(_set_error, error)

    def _tell(self, settle: Callable[[asyncio.Future[Any], Any], None], value: Any) -> None:
        try:
            self.loop.call_soon_threadsafe(settle, self.future, value)
        except RuntimeError:
            return  # the loop is closed: nobody waits any more


def carry_out(connection: sqlite3.Connection, requests: Sequence[Request], path: str) -> None:
    """Run requests of one kind: a read alone, writes together in one transaction, so that they share its cost.

    When one of several is at fault for an error of SQLite, each is run in its own transaction; a fault of the
    database (locked, damaged, unwritable) fails them all at once.
    """
    try:
        if requests[0].mode == "read":
            outcomes = [_outcome(requests[0], connection)]
        else:
            outcomes = _in_one_transaction(connection, requests)
    except sqlite3.Error as error:
        roll_back(connection)
        for request in requests:
            if len(requests) > 1 and primary_code(error) in _FAULTS_OF_ONE:
                carry_out(connection, (request,), path)
            else:
                request.fail(from_sqlite(path, error))
        return
    for request, (value, failure) in zip(requests, outcomes, strict=True):
        if failure is None:
            request.succeed(value)
        else:
            request.fail(failure)


def roll_back(connection: sqlite3.Connection) -> None:
    """End a transaction that failed, if one is open."""
    try:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
    except sqlite3.Error:
        return  # the connection is broken; the next request reports it


Outcome = tuple[Any, Exception | None]


def _in_one_transaction(connection: sqlite3.Connection, requests: Sequence[Request]) -> list[Outcome]:
    durable = any(request.mode == "durable" for request in requests)
    connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
    connection.execute("BEGIN IMMEDIATE")
    outcomes = []
    for request in requests:
        connection.execute("SAVEPOINT request")
        outcome = _outcome(request, connection)
        if outcome[1] is not None:
            connection.execute("ROLLBACK TO request")
        connection.execute("RELEASE request")
        outcomes.append(outcome)
    connection.execute("COMMIT")
    return outcomes


def _outcome(request: Request, connection: sqlite3.Connection) -> Outcome:
    """What a request returned or raised. Raises SQLite's errors, after which a transaction may be gone."""
    try:
        return request.run(connection), None
    except sqlite3.Error:
        raise
    except Exception as error:  # noqa: BLE001 - a defect must reach the caller, not end the thread
        return None, error


def _set_result(future: asyncio.Future[Any], value: Any) -> None:
    if not future.done():
        future.set_result(value)


def _set_error(future: asyncio.Future[Any], error: Exception) -> None:
    if not future.done():
        future.set_exception(error)
