"""Sessions in a SQLite file, shared by processes of one machine.

In WAL mode, and an `append` waits for the disk: what it acknowledged survives a kill and a power failure. A lease is a
row with an owner and an end; the store renews it while it lives, and appends only under a lease that is still its
own, so that a process which slept too long can't write into a session that another has taken.

Leases are timed by the monotonic clock. It is the same for all processes of a machine, which WAL mode demands
anyway, and nobody sets it. After a restart of the machine it begins anew: a lease that ends further in the future
than it ever could is over.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import sqlite3
import time
from collections.abc import Callable
from functools import partial

from adk_decl.errors import SessionBusy, SessionStoreError
from adk_decl.plan.limits import LIMITS
from adk_decl.sessions.protocol import SessionKey
from adk_decl.sessions.sqlite_errors import store_error
from adk_decl.sessions.sqlite_file import open_database
from adk_decl.sessions.sqlite_request import Request
from adk_decl.sessions.sqlite_thread import SqliteThread
from adk_decl.sessions.stored_event import check_key, check_room, decode_event, encode_event
from adk_decl.values.phase_values import Event

_RENEWALS_PER_TTL = 3
_IDLE_SECONDS = 3600.0


class SqliteSessionStore:
    """Sessions in the SQLite file at `path`. `clock` gives monotonic seconds, `unix_clock` seconds since 1970."""

    def __init__(
        self,
        path: str,
        *,
        clock: Callable[[], float] = time.monotonic,
        unix_clock: Callable[[], float] = time.time,
    ) -> None:
        self.path = path
        self._clock = clock
        self._unix_clock = unix_clock
        self._thread: SqliteThread | None = None
        self._leases: dict[SessionKey, SqliteLease] = {}
        """Leases of this store. The thread reads it; entries are put in and taken out by the thread alone."""

    async def open(self) -> None:
        """Open or create the file. Raises `SessionStoreError`."""
        if self._thread is None:
            thread = SqliteThread(self.path, lambda: open_database(self.path), self._renew_due)
            await thread.start()
            self._thread = thread

    async def close(self) -> None:
        """Write what was accepted, end all leases of this store and close; safe to call twice."""
        if self._thread is None:
            return
        with contextlib.suppress(SessionStoreError):
            self._thread.post(Request(self._release_all, mode="write"))
        await self._thread.close()

    async def acquire(self, key: SessionKey, *, ttl_ms: int) -> SqliteLease:
        """Take the session, creating it when new. Raises `SessionBusy`, `SessionStoreError`."""
        check_key(key)
        limit = LIMITS["session.lease_ttl_ms"]
        lease = SqliteLease(self, key, min(max(ttl_ms, limit.minimum), limit.maximum))
        try:
            await self._running().call(Request(partial(self._take, lease), mode="write", committed=lease.begin))
        except asyncio.CancelledError:
            # The request runs all the same, and nobody would be there to give the session back.
            with contextlib.suppress(SessionStoreError):
                self._running().post(self._giving_back(lease))
            raise
        return lease

    async def append(self, key: SessionKey, event: Event) -> None:
        """Store one event durably. It is stored even if the caller is cancelled while waiting.

        Raises `SessionStoreError`; `session_lease_lost` when another run holds the session.
        """
        check_key(key)
        body = encode_event(event).decode()
        await self._running().call(Request(partial(self._insert, key, body), mode="durable"))

    async def events(self, key: SessionKey) -> tuple[Event, ...]:
        """All events of a session, oldest first; none when it does not exist. Raises `SessionStoreError`."""
        check_key(key)
        found: tuple[Event, ...] = await self._running().call(Request(partial(self._select, key)))
        return found

    async def release(self, lease: SqliteLease) -> None:
        """End a lease; nothing happens when it has ended."""
        if not lease.released:
            lease.released = True
            with contextlib.suppress(SessionStoreError):  # an end that can't be written comes by itself, after the ttl
                await self._running().call(self._giving_back(lease))

    def _running(self) -> SqliteThread:
        if self._thread is None:
            raise store_error(self.path, "session_store_closed", "it is not open")
        return self._thread

    def _giving_back(self, lease: SqliteLease) -> Request:
        return Request(partial(self._give_back, lease), mode="write", committed=lambda _: self._forget(lease))

    # What follows runs in the thread of the connection.

    def _take(self, lease: SqliteLease, connection: sqlite3.Connection) -> int:
        key, now = lease.key, self._now_ms()
        connection.execute(
            "INSERT OR IGNORE INTO sessions (app_name, user_id, session_id, created_unix_ms) VALUES (?, ?, ?, ?)",
            (*_parts(key), int(self._unix_clock() * 1000)),
        )
        row = connection.execute(
            "SELECT id, lease_owner, lease_ends_ms, lease_ttl_ms FROM sessions"
            " WHERE app_name = ? AND user_id = ? AND session_id = ?",
            _parts(key),
        ).fetchone()
        session, owner, ends_ms, ttl_ms = row
        if owner is not None and 0 < ends_ms - now <= ttl_ms:
            raise SessionBusy(key.session_id)
        connection.execute(
            "UPDATE sessions SET lease_owner = ?, lease_ends_ms = ?, lease_ttl_ms = ? WHERE id = ?",
            (lease.owner, now + lease.ttl_ms, lease.ttl_ms, session),
        )
        return now

    def remember(self, lease: SqliteLease) -> None:
        """A lease has been written."""
        self._leases[lease.key] = lease

    def _forget(self, lease: SqliteLease) -> None:
        if self._leases.get(lease.key) is lease:
            del self._leases[lease.key]

    def _give_back(self, lease: SqliteLease, connection: sqlite3.Connection) -> None:
        connection.execute(
            "UPDATE sessions SET lease_owner = NULL WHERE lease_owner = ?"
            " AND app_name = ? AND user_id = ? AND session_id = ?",
            (lease.owner, *_parts(lease.key)),
        )

    def _release_all(self, connection: sqlite3.Connection) -> None:
        for lease in self._leases.values():
            self._give_back(lease, connection)

    def _renew_due(self, connection: sqlite3.Connection) -> float:
        """Renew the leases that are due; return the seconds until the next one is."""
        now = self._now_ms()
        pause_ms = _IDLE_SECONDS * 1000
        for lease in self._leases.values():
            if not lease.held:
                continue
            if now >= lease.renew_at_ms:
                cursor = connection.execute(
                    "UPDATE sessions SET lease_ends_ms = ? WHERE lease_owner = ?"
                    " AND app_name = ? AND user_id = ? AND session_id = ?",
                    (now + lease.ttl_ms, lease.owner, *_parts(lease.key)),
                )
                lease.held = cursor.rowcount == 1
                lease.renew_at_ms = now + lease.ttl_ms // _RENEWALS_PER_TTL
            pause_ms = min(pause_ms, lease.renew_at_ms - now, lease.ttl_ms / _RENEWALS_PER_TTL)
        return max(pause_ms, 1) / 1000

    def _insert(self, key: SessionKey, body: str, connection: sqlite3.Connection) -> None:
        connection.execute(
            "INSERT OR IGNORE INTO sessions (app_name, user_id, session_id, created_unix_ms) VALUES (?, ?, ?, ?)",
            (*_parts(key), int(self._unix_clock() * 1000)),
        )
        session, count, stored_bytes, owner, ends_ms, ttl_ms = connection.execute(
            "SELECT id, event_count, event_bytes, lease_owner, lease_ends_ms, lease_ttl_ms FROM sessions"
            " WHERE app_name = ? AND user_id = ? AND session_id = ?",
            _parts(key),
        ).fetchone()
        self._check_owner(key, owner, held=owner is not None and 0 < ends_ms - self._now_ms() <= ttl_ms)
        size = len(body.encode())
        check_room(events=count, stored_bytes=stored_bytes, added_bytes=size)
        connection.execute("INSERT INTO events VALUES (?, ?, ?)", (session, count + 1, body))
        connection.execute(
            "UPDATE sessions SET event_count = event_count + 1, event_bytes = event_bytes + ? WHERE id = ?",
            (size, session),
        )

    def _check_owner(self, key: SessionKey, owner: str | None, *, held: bool) -> None:
        lease = self._leases.get(key)
        mine = lease is not None and lease.owner == owner
        if (lease is not None and not mine) or (lease is None and held):
            raise store_error(self.path, "session_lease_lost", "another run has taken the session")

    def _select(self, key: SessionKey, connection: sqlite3.Connection) -> tuple[Event, ...]:
        rows = connection.execute(
            "SELECT number, body FROM events WHERE session ="
            " (SELECT id FROM sessions WHERE app_name = ? AND user_id = ? AND session_id = ?) ORDER BY number",
            _parts(key),
        ).fetchall()
        if any(number != index for index, (number, _) in enumerate(rows, 1)):
            raise store_error(self.path, "session_store_corrupt", "events of a session are missing")
        return tuple(decode_event(body.encode()) for _, body in rows)

    def _now_ms(self) -> int:
        return int(self._clock() * 1000)


class SqliteLease:
    """The right to run on one session of a `SqliteSessionStore`, renewed by the store until it is released."""

    def __init__(self, store: SqliteSessionStore, key: SessionKey, ttl_ms: int) -> None:
        self._store = store
        self.key = key
        self.ttl_ms = ttl_ms
        self.owner = secrets.token_hex(16)
        self.renew_at_ms = 0
        self.held = False
        """False as well after another run has taken the session."""
        self.released = False

    def begin(self, now_ms: int) -> None:
        """The lease has been written."""
        self.renew_at_ms = now_ms + self.ttl_ms // _RENEWALS_PER_TTL
        self.held = True
        self._store.remember(self)

    async def release(self) -> None:
        """Give it back; safe to call twice."""
        await self._store.release(self)


def _parts(key: SessionKey) -> tuple[str, str, str]:
    return key.app_name, key.user_id, key.session_id
