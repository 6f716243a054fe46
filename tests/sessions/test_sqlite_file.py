from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import pytest

from adk_decl.errors import SessionStoreError
from adk_decl.sessions.sqlite_file import MIGRATIONS, SCHEMA_VERSION, open_database

CANARY = "canary-55aa"


def _code(path: str) -> str:
    with pytest.raises(SessionStoreError) as failure:
        open_database(path)
    assert CANARY not in str(failure.value)
    assert failure.value.__cause__ is None
    return failure.value.code


def test_a_new_file_has_the_present_schema(tmp_path: Path) -> None:
    connection = open_database(str(tmp_path / "a.db"))
    assert connection.execute("SELECT max(version) FROM schema_version").fetchone() == (SCHEMA_VERSION,)
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()


def test_an_older_file_is_migrated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = str(tmp_path / "a.db")
    open_database(path).close()
    later = (*MIGRATIONS, ("ALTER TABLE events ADD COLUMN kind TEXT",))
    monkeypatch.setattr("adk_decl.sessions.sqlite_file.MIGRATIONS", later)
    monkeypatch.setattr("adk_decl.sessions.sqlite_file.SCHEMA_VERSION", len(later))
    connection = open_database(path)
    assert "kind" in [row[1] for row in connection.execute("PRAGMA table_info(events)")]
    assert connection.execute("SELECT max(version) FROM schema_version").fetchone() == (len(later),)
    connection.close()


def test_a_migration_that_fails_leaves_the_file_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = str(tmp_path / "a.db")
    open_database(path).close()
    with monkeypatch.context() as patch:
        patch.setattr("adk_decl.sessions.sqlite_file.MIGRATIONS", (*MIGRATIONS, ("CREATE TABLE t (x)", "nonsense")))
        patch.setattr("adk_decl.sessions.sqlite_file.SCHEMA_VERSION", SCHEMA_VERSION + 1)
        assert _code(path) == "session_store_failed"
    connection = open_database(path)
    assert connection.execute("SELECT count(*) FROM sqlite_master WHERE name = 't'").fetchone() == (0,)
    connection.close()


def test_a_file_of_a_later_version_is_refused(tmp_path: Path) -> None:
    path = str(tmp_path / "a.db")
    connection = open_database(path)
    connection.execute("INSERT INTO schema_version VALUES (?)", (SCHEMA_VERSION + 1,))
    connection.close()
    assert _code(path) == "session_store_newer"


def test_another_programs_database_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "orders.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE orders (id)")
    connection.commit()
    connection.close()
    before = path.read_bytes()
    assert _code(str(path)) == "session_store_foreign"
    assert path.read_bytes() == before


@pytest.mark.parametrize("content", [CANARY.encode() * 200, b"\0" * 5000, b"SQLite format 3\0" + b"\xff" * 5000])
def test_a_file_that_is_no_database(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.db"
    path.write_bytes(content)
    assert _code(str(path)) in ("session_store_not_a_database", "session_store_corrupt")
    assert path.read_bytes() == content


def test_a_damaged_database(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    connection = open_database(str(path))
    connection.execute("PRAGMA journal_mode = DELETE")
    connection.close()
    content = bytearray(path.read_bytes())
    content[4096 * 1 :] = b"\xff" * (len(content) - 4096)
    content[100:4096] = b"\xee" * (4096 - 100)
    path.write_bytes(content)
    assert _code(str(path)) in ("session_store_corrupt", "session_store_not_a_database")


def test_a_path_that_can_not_be_opened(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    for path in ("file/a.db", "folder", "pipe", "nul\0byte", "x" * 300):
        assert _code(str(tmp_path / path)) == "session_store_cannot_open"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_can_not_be_written(tmp_path: Path) -> None:
    folder = tmp_path / "closed"
    folder.mkdir(mode=0o500)
    assert _code(str(folder / "a.db")) == "session_store_cannot_open"
