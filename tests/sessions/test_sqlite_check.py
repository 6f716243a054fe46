"""Looking at a store; more in `tests/doctor/test_places.py`."""

from __future__ import annotations

from pathlib import Path

from adk_decl.sessions.sqlite_check import StoreFacts, examine_database
from adk_decl.sessions.sqlite_file import SCHEMA_VERSION, open_database


def test_no_file_is_no_fact(tmp_path: Path) -> None:
    assert examine_database(str(tmp_path / "s.db")) is None
    assert list(tmp_path.iterdir()) == []


def test_odd_names_are_names(tmp_path: Path) -> None:
    path = str(tmp_path / "a?b#c%20 é.db")
    open_database(path).close()
    assert examine_database(path) == StoreFacts(SCHEMA_VERSION, SCHEMA_VERSION)
    assert [found.name for found in tmp_path.iterdir()] == ["a?b#c%20 é.db"]
