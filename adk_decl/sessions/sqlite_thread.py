"""One thread that owns a SQLite connection: requests in order, a bounded queue, something to do between them."""

from __future__ import annotations

import asyncio
import queue
import sqlite3
import threading
from collections.abc import Callable
from typing import Any

from adk_decl.errors import SessionStoreError
from adk_decl.plan.limits import LIMITS
from adk_decl.sessions.sqlite_errors import store_error
from adk_decl.sessions.sqlite_request import Request, carry_out, roll_back


class SqliteThread:
    """Runs requests one after the other on a connection that only its thread touches.

    `connect` opens it in the thread. `between` runs before each request and returns the seconds until it wants to
    run again even without one. Writes that wait together share a transaction. The thread is a daemon: a process that
    ends does not wait for it, and what it had acknowledged is on disk.
    """

    def __init__(
        self, path: str, connect: Callable[[], sqlite3.Connection], between: Callable[[sqlite3.Connection], float]
    ) -> None:
        self._path = path
        self._connect = connect
        self._between = between
        self._queue: queue.Queue[Request | None] = queue.Queue(LIMITS["session.queue"].maximum)
        self._thread = threading.Thread(target=self._run, name="adk-decl-sessions", daemon=True)
        self._closing = False
        self._ended = False
        self._closers: list[Request] = []
        self._lock = threading.Lock()

    async def start(self) -> None:
        """Start the thread and open the connection. Raises what `connect` raises."""
        opened = Request(_nothing)
        self._queue.put_nowait(opened)
        self._thread.start()
        try:
            await opened.future
        except BaseException:
            self._closing = True
            self._wake()
            raise

    async def call(self, request: Request) -> Any:
        """What `request` returns. Once accepted it runs even if the caller is cancelled.

        Raises `SessionStoreError` (`session_store_closed`, `session_store_queue_full`, or what SQLite says).
        """
        self.post(request)
        return await request.future

    def post(self, request: Request) -> None:
        """Have `request` run without waiting for it. Raises as `call` when it can't be accepted."""
        if self._closing:
            raise store_error(self._path, "session_store_closed", "it is closed")
        try:
            self._queue.put_nowait(request)
        except queue.Full:
            raise store_error(self._path, "session_store_queue_full", "too many requests wait") from None
        request.future.add_done_callback(_retrieve)

    async def close(self) -> None:
        """Refuse further requests, run those accepted, close the connection, end the thread; safe to call twice.

        Raises `SessionStoreError` with `session_store_close_timeout` when that takes too long.
        """
        if not self._closing:
            self._closing = True
            self._wake()
        closer = Request(_nothing)
        with self._lock:
            if self._ended or self._thread.ident is None:
                return
            self._closers.append(closer)
        try:
            async with asyncio.timeout(LIMITS["session.close_timeout_ms"].default / 1000):
                await closer.future
        except TimeoutError:
            raise store_error(
                self._path, "session_store_close_timeout", "accepted writes did not end in time"
            ) from None

    def _wake(self) -> None:
        try:
            self._queue.put_nowait(None)
        except queue.Full:
            return  # the thread is awake and looks at `_closing` when the queue is empty

    def _run(self) -> None:
        connection = None
        try:
            first = self._queue.get()
            assert first is not None
            try:
                connection = self._connect()
            except Exception as error:  # noqa: BLE001 - whoever opens the store waits for an answer
                first.fail(error if isinstance(error, SessionStoreError) else _defect(self._path))
                return
            first.succeed(None)
            self._serve(connection)
        finally:
            if connection is not None:
                connection.close()
            with self._lock:
                self._ended = True
            for closer in self._closers:
                closer.succeed(None)

    def _serve(self, connection: sqlite3.Connection) -> None:
        while True:
            pause = self._idle(connection)
            try:
                first = self._queue.get_nowait() if self._closing else self._queue.get(timeout=pause)
            except queue.Empty:
                if self._closing:
                    return
                continue
            batch = [] if first is None else [first]
            follower = self._gather(batch)
            for requests in (batch, follower):
                if requests:
                    carry_out(connection, requests, self._path)

    def _gather(self, batch: list[Request]) -> list[Request]:
        """Add to a write the writes that wait behind it; return the request that ended that, if one did."""
        while batch and batch[0].mode != "read" and len(batch) < LIMITS["session.batch"].maximum:
            try:
                following = self._queue.get_nowait()
            except queue.Empty:
                break
            if following is None:
                break
            if following.mode == "read":
                return [following]
            batch.append(following)
        return []

    def _idle(self, connection: sqlite3.Connection) -> float:
        try:
            return self._between(connection)
        except sqlite3.Error:
            roll_back(connection)
            return 1.0  # the request that comes next meets the same fault and reports it


def _defect(path: str) -> SessionStoreError:
    return store_error(path, "session_store_failed", "it can't be opened")


def _nothing(_connection: sqlite3.Connection) -> None:
    return None


def _retrieve(future: asyncio.Future[Any]) -> None:
    """Take the exception of a request that nobody waits for, so that it is not reported as lost."""
    if not future.cancelled():
        future.exception()
