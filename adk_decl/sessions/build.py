"""Builds the session store that a plan names."""

from __future__ import annotations

from adk_decl.errors import StartError
from adk_decl.plan.model import EnvText, SessionStorePlan
from adk_decl.sessions.memory import MemorySessionStore
from adk_decl.sessions.protocol import SessionStore


def build_store(plan: SessionStorePlan, *, default_path: str) -> SessionStore:
    """The store of a resolved plan, not yet open; `default_path` stands in for a path that is not given.

    Raises `StartError` for a store that does not exist.
    """
    if plan.use == "memory":
        return MemorySessionStore()
    if plan.use == "sqlite":
        from adk_decl.sessions.sqlite import SqliteSessionStore

        assert not isinstance(plan.path, EnvText), "references are resolved before a store is built"
        return SqliteSessionStore(plan.path or default_path)
    raise StartError((f"there is no session store {plan.use!r}: use `memory` or `sqlite`",))
