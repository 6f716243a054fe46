from __future__ import annotations

import pytest

from adk_decl.errors import StartError
from adk_decl.plan.model import SessionStorePlan
from adk_decl.sessions.build import build_store
from adk_decl.sessions.memory import MemorySessionStore
from adk_decl.sessions.sqlite import SqliteSessionStore


def test_each_store_is_built_by_name() -> None:
    assert isinstance(build_store(SessionStorePlan(use="memory", path=None), default_path="x"), MemorySessionStore)
    for path, expected in ((None, "default.db"), ("given.db", "given.db")):
        store = build_store(SessionStorePlan(use="sqlite", path=path), default_path="default.db")
        assert isinstance(store, SqliteSessionStore)
        assert store.path == expected


def test_an_unknown_store_is_an_error() -> None:
    with pytest.raises(StartError, match="memory"):
        build_store(SessionStorePlan(use="redis", path=None), default_path="x")
