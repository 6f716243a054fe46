"""Where sessions and their events live."""

from __future__ import annotations

from typing import Protocol

from adk_decl.values.phase_values import Event
from adk_decl.wire import Struct


class SessionKey(Struct, frozen=True):
    """Names a session: application (the manifest's name), user and session id."""

    app_name: str
    user_id: str
    session_id: str


class SessionLease(Protocol):
    """The right to run on a session, held by one run at a time."""

    async def release(self) -> None:
        """Give it back; safe to call twice."""
        ...


class SessionStore(Protocol):
    """Stores events in order. Every method raises `SessionStoreError`, without the text of its cause."""

    async def open(self) -> None:
        """Open or create the store."""
        ...

    async def close(self) -> None:
        """Close it after all that was accepted is written; safe to call twice."""
        ...

    async def acquire(self, key: SessionKey, *, ttl_ms: int) -> SessionLease:
        """Take the session, creating it when new. Raises `SessionBusy` when another run, in any process, holds it.

        A lease of a process that died ends after `ttl_ms` at the latest.
        """
        ...

    async def append(self, key: SessionKey, event: Event) -> None:
        """Store one event durably."""
        ...

    async def events(self, key: SessionKey) -> tuple[Event, ...]:
        """All events of a session, oldest first; none when it does not exist."""
        ...
