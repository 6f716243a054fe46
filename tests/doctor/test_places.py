"""The session store and the folders: looked at, and never changed."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import pytest

from adk_decl.doctor.check import Check
from adk_decl.sessions.sqlite_file import SCHEMA_VERSION, open_database
from tests.doctor.subjects import HEAD, SCRIPTED, checks

STORED = HEAD + SCRIPTED + "agents:\n  support: {model: m}\nrunners:\n  desk: {agent: support, session_store: "


def store(folder: Path, declared: str = "{use: sqlite, path: var/s.db}") -> Check:
    found = checks(folder, f"{STORED}{declared}}}\n")
    return next(check for check in found.values() if check.group == "sessions")


def test_a_store_that_will_be_created(tmp_path: Path) -> None:
    check = store(tmp_path)
    assert (check.status, check.facts["exists"]) == ("ok", False)
    assert not (tmp_path / "var").exists()


def test_a_store_that_is_there_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "var").mkdir()
    open_database(str(tmp_path / "var" / "s.db")).close()
    before = {p.name: p.read_bytes() for p in (tmp_path / "var").iterdir()}
    check = store(tmp_path)
    assert check.status == "ok"
    assert check.facts["version"] == SCHEMA_VERSION
    assert {p.name: p.read_bytes() for p in (tmp_path / "var").iterdir()} == before


def test_a_store_in_use_is_a_warning(tmp_path: Path) -> None:
    (tmp_path / "var").mkdir()
    busy = open_database(str(tmp_path / "var" / "s.db"))
    busy.execute("BEGIN IMMEDIATE")
    check = store(tmp_path)
    busy.execute("ROLLBACK")
    busy.close()
    assert (check.status, check.facts["reason"]) == ("warn", "session_store_locked")


def foreign(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE t (x)")
    connection.close()


def newer(path: Path) -> None:
    connection = open_database(str(path))
    connection.execute("INSERT INTO schema_version VALUES (999)")
    connection.close()


@pytest.mark.parametrize(
    ("made", "reason"),
    [
        (foreign, "session_store_foreign"),
        (newer, "session_store_newer"),
        (lambda path: path.write_bytes(b"x" * 5000), "session_store_not_a_database"),
        (lambda path: path.mkdir(), "session_store_cannot_open"),
    ],
)
def test_what_can_t_be_used(made: object, reason: str, tmp_path: Path) -> None:
    (tmp_path / "var").mkdir()
    made(tmp_path / "var" / "s.db")  # type: ignore[operator]
    check = store(tmp_path)
    assert (check.status, check.facts["reason"]) == ("fail", reason)


def test_a_folder_that_can_t_be_made(tmp_path: Path) -> None:
    (tmp_path / "var").touch()
    assert store(tmp_path).status == "fail"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_can_t_be_written(tmp_path: Path) -> None:
    (tmp_path / "var").mkdir(mode=0o500)
    assert store(tmp_path).status == "fail"


def test_a_store_in_memory(tmp_path: Path) -> None:
    assert store(tmp_path, "{use: memory}").status == "ok"


def test_folders_of_the_user(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    environment = {"ADK_DECL_STATE_DIR": str(tmp_path / "file"), "ADK_DECL_CACHE": "off"}
    found = checks(tmp_path, f"{STORED}{{use: memory}}}}\n", environment=environment)
    assert found["paths/state_dir"].status == "fail"
    assert found["paths/cache"].status == "skipped"
    environment["ADK_DECL_CACHE"] = str(tmp_path / "file" / "below")
    assert checks(tmp_path, f"{STORED}{{use: memory}}}}\n", environment=environment)["paths/cache"].status == "warn"
