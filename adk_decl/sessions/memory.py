"""Sessions in memory: for tests, examples and runs whose sessions need not outlive the process."""

from __future__ import annotations

from adk_decl.errors import SessionBusy, SessionStoreError
from adk_decl.plan.limits import LIMITS
from adk_decl.sessions.protocol import SessionKey
from adk_decl.sessions.stored_event import check_key, check_room, decode_event, encode_event
from adk_decl.values.phase_values import Event


class MemorySessionStore:
    """Keeps sessions until it is closed. Events are kept encoded, so that nobody can change what is stored.

    A lease lasts until it is released: it can't outlive the process that holds it.
    """

    def __init__(self) -> None:
        self._sessions: dict[SessionKey, _Session] = {}
        self._open = False
        self._stored_bytes = 0

    async def open(self) -> None:
        """Begin."""
        self._open = True

    async def close(self) -> None:
        """Forget everything; safe to call twice."""
        self._open = False
        self._sessions.clear()
        self._stored_bytes = 0

    async def acquire(self, key: SessionKey, *, ttl_ms: int) -> MemoryLease:
        """Take the session, creating it when new. Raises `SessionBusy` while another lease holds it."""
        session = self._session(key)
        if session.lease is not None:
            raise SessionBusy(key.session_id)
        session.lease = MemoryLease(session)
        return session.lease

    async def append(self, key: SessionKey, event: Event) -> None:
        """Store one event. Raises `SessionStoreError` when it is too large or the session is full."""
        body = encode_event(event)
        session = self._session(key)
        check_room(events=len(session.bodies), stored_bytes=session.stored_bytes, added_bytes=len(body))
        if self._stored_bytes + len(body) > LIMITS["session.bytes_in_memory"].maximum:
            raise SessionStoreError("the memory store is full", code="session_store_full")
        session.bodies.append(body)
        session.stored_bytes += len(body)
        self._stored_bytes += len(body)

    async def events(self, key: SessionKey) -> tuple[Event, ...]:
        """All events of a session, oldest first; none when it does not exist."""
        self._check_open()
        check_key(key)
        session = self._sessions.get(key)
        return tuple(decode_event(body) for body in session.bodies) if session is not None else ()

    def _session(self, key: SessionKey) -> _Session:
        self._check_open()
        check_key(key)
        session = self._sessions.get(key)
        if session is None:
            if len(self._sessions) >= LIMITS["session.sessions_in_memory"].maximum:
                raise SessionStoreError("the memory store is full", code="session_store_full")
            session = self._sessions[key] = _Session()
        return session

    def _check_open(self) -> None:
        if not self._open:
            raise SessionStoreError("the session store is not open", code="session_store_closed")


class MemoryLease:
    """The right to run on one session of a `MemorySessionStore`."""

    def __init__(self, session: _Session) -> None:
        self._session = session

    async def release(self) -> None:
        """Give it back; safe to call twice."""
        if self._session.lease is self:
            self._session.lease = None


class _Session:
    """The events of one session, encoded, and who holds it."""

    __slots__ = ("bodies", "lease", "stored_bytes")

    def __init__(self) -> None:
        self.bodies: list[bytes] = []
        self.stored_bytes = 0
        self.lease: MemoryLease | None = None
