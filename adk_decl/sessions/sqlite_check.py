"""Looks at a store without changing it: whether it can be written, and the version of its schema."""

from __future__ import annotations

import os
import sqlite3
import urllib.parse
from contextlib import closing
from typing import NamedTuple

from adk_decl.plan.limits import LIMITS
from adk_decl.sessions.sqlite_errors import from_sqlite, store_error
from adk_decl.sessions.sqlite_file import APPLICATION_ID, SCHEMA_VERSION

_WAIT_MS = LIMITS["doctor.lock_timeout_ms"].default


class StoreFacts(NamedTuple):
    """The version of the schema in the file, and that of this adk-decl."""

    version: int
    current: int


def examine_database(path: str) -> StoreFacts | None:
    """The facts about a store that can be written; None when there is no file. Nothing is created or changed.

    Raises `SessionStoreError` with the code that opening it would have. Waits at most `doctor.lock_timeout_ms`.
    """
    if not os.path.lexists(path):
        return None
    if not os.path.isfile(path):
        raise store_error(path, "session_store_cannot_open", "it is not a file")
    if not os.access(path, os.R_OK | os.W_OK):
        raise store_error(path, "session_store_read_only", "the database can't be written")
    try:
        address = f"file:{urllib.parse.quote(path)}?mode=rw"
        with closing(sqlite3.connect(address, uri=True, isolation_level=None, timeout=_WAIT_MS / 1000)) as connection:
            return _facts(connection, path)
    except sqlite3.Error as error:
        raise from_sqlite(path, error) from None


def _facts(connection: sqlite3.Connection, path: str) -> StoreFacts:
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if application != APPLICATION_ID and (application != 0 or tables):
        raise store_error(path, "session_store_foreign", "the database belongs to another program")
    version = 0
    if "schema_version" in tables:
        version = connection.execute("SELECT max(version) FROM schema_version").fetchone()[0] or 0
    if version > SCHEMA_VERSION:
        raise store_error(
            path, "session_store_newer", f"it was written by a later version of adk-decl (schema {version})"
        )
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("ROLLBACK")
    return StoreFacts(version, SCHEMA_VERSION)
