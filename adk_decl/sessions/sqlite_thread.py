"""One thread that owns a SQLite connection: requests in order, a bounded queue, something to do between them."""

from __future__ import annotations

import asyncio
import queue
import sqlite3
import threading
from collections.abc import Callable
from typing import Any, TypeVar

from adk_decl.errors import SessionStoreError
from adk_decl.plan.limits import LIMITS
from adk_decl.sessions.sqlite_errors import from_sqlite, store_error

T = TypeVar("T")
Request = Callable[[sqlite3.Connection], T]


class SqliteThread:
    """Runs requests one after the other on a connection that only its thread touches.

    `connect` opens it in the thread. `between` runs before each request and returns the seconds until it wants to
    run again even without one. The thread is a daemon: a process that ends does not wait for it, and what it had
    acknowledged is on disk.
    """

    def __init__(
        self, path: str, connect: Callable[[], sqlite3.Connection], between: Callable[[sqlite3.Connection], float]
    ) -> None:
        self._path = path
        self._connect = connect
        self._between = between
        self._queue: queue.Queue[_Entry | None] = queue.Queue(LIMITS["session.queue"].maximum)
        self._thread = threading.Thread(target=self._run, name="adk-decl-sessions", daemon=True)
        self._closing = False
        self._ended = False
        self._closers: list[_Entry] = []
        self._lock = threading.Lock()

    async def start(self) -> None:
        """Start the thread and open the connection. Raises what `connect` raises."""
        opened = _Entry(lambda _connection: None, asyncio.get_running_loop())
        self._queue.put_nowait(opened)
        self._thread.start()
        try:
            await opened.future
        except BaseException:
            self._closing = True
            self._wake()
            raise

    async def call(self, request: Request[T]) -> T:
        """Run `request` in the thread. Once accepted it runs even if the caller is cancelled.

        Raises `SessionStoreError` (`session_store_closed`, `session_store_queue_full`, or what SQLite says).
        """
        entry = self._post(request)
        result: T = await entry.future
        return result

    def post(self, request: Request[Any]) -> None:
        """Have `request` run without waiting for it. Raises as `call` when it can't be accepted."""
        self._post(request).future.add_done_callback(_retrieve)

    async def close(self) -> None:
        """Refuse further requests, run those accepted, close the connection, end the thread; safe to call twice.

        Raises `SessionStoreError` with `session_store_close_timeout` when that takes too long.
        """
        if not self._closing:
            self._closing = True
            self._wake()
        entry = _Entry(lambda _connection: None, asyncio.get_running_loop())
        with self._lock:
            if self._ended or self._thread.ident is None:
                return
            self._closers.append(entry)
        try:
            async with asyncio.timeout(LIMITS["session.close_timeout_ms"].default / 1000):
                await entry.future
        except TimeoutError:
            raise store_error(
                self._path, "session_store_close_timeout", "accepted writes did not end in time"
            ) from None

    def _post(self, request: Request[Any]) -> _Entry:
        if self._closing:
            raise store_error(self._path, "session_store_closed", "it is closed")
        entry = _Entry(request, asyncio.get_running_loop())
        try:
            self._queue.put_nowait(entry)
        except queue.Full:
            raise store_error(self._path, "session_store_queue_full", "too many requests wait") from None
        return entry

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
            except SessionStoreError as error:
                first.fail(error)
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
                entry = self._queue.get_nowait() if self._closing else self._queue.get(timeout=pause)
            except queue.Empty:
                if self._closing:
                    return
                continue
            if entry is not None:
                self._answer(connection, entry)

    def _idle(self, connection: sqlite3.Connection) -> float:
        try:
            return self._between(connection)
        except sqlite3.Error:
            _roll_back(connection)
            return 1.0  # the request that comes next meets the same fault and reports it

    def _answer(self, connection: sqlite3.Connection, entry: _Entry) -> None:
        try:
            entry.succeed(entry.request(connection))
        except sqlite3.Error as error:
            _roll_back(connection)
            entry.fail(from_sqlite(self._path, error))
        except Exception as error:  # noqa: BLE001 - a defect must reach the caller, not end the thread
            _roll_back(connection)
            entry.fail(error)


class _Entry:
    """A request, and the future of the loop that waits for it."""

    __slots__ = ("future", "loop", "request")

    def __init__(self, request: Request[Any], loop: asyncio.AbstractEventLoop) -> None:
        self.request = request
        self.loop = loop
        self.future: asyncio.Future[Any] = loop.create_future()

    def succeed(self, value: Any) -> None:
        self._tell(_set_result, value)

    def fail(self, error: Exception) -> None:
        self._tell(_set_error, error)

    def _tell(self, settle: Callable[[asyncio.Future[Any], Any], None], value: Any) -> None:
        try:
            self.loop.call_soon_threadsafe(settle, self.future, value)
        except RuntimeError:
            return  # the loop is closed: nobody waits any more


def _set_result(future: asyncio.Future[Any], value: Any) -> None:
    if not future.done():
        future.set_result(value)


def _set_error(future: asyncio.Future[Any], error: Exception) -> None:
    if not future.done():
        future.set_exception(error)


def _retrieve(future: asyncio.Future[Any]) -> None:
    """Take the exception of a request that nobody waits for, so that it is not reported as lost."""
    if not future.cancelled():
        future.exception()


def _roll_back(connection: sqlite3.Connection) -> None:
    try:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
    except sqlite3.Error:
        return  # the connection is broken; the next request reports it
