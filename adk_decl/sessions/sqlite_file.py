"""The SQLite file of sessions: how it is created, opened, recognised and brought to the present schema."""

from __future__ import annotations

import os
import sqlite3
import stat
import time

from adk_decl.plan.limits import LIMITS
from adk_decl.sessions.sqlite_errors import from_os, from_sqlite, primary_code, store_error

APPLICATION_ID = 0x41444B44
"""`ADKD` in the header of the file, so that another program's database is never written to."""

MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        """
        CREATE TABLE sessions (
            id INTEGER PRIMARY KEY,
            app_name TEXT NOT NULL,
            user_id TEXT NOT NULL,
            session_id TEXT NOT NULL,
            created_unix_ms INTEGER NOT NULL,
            event_count INTEGER NOT NULL DEFAULT 0,
            event_bytes INTEGER NOT NULL DEFAULT 0,
            lease_owner TEXT,
            lease_ends_ms INTEGER NOT NULL DEFAULT 0,
            lease_ttl_ms INTEGER NOT NULL DEFAULT 0,
            UNIQUE (app_name, user_id, session_id)
        )
        """,
        """
        CREATE TABLE events (
            session INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
            number INTEGER NOT NULL,
            body TEXT NOT NULL,
            PRIMARY KEY (session, number)
        )
        """,
    ),
)
"""Statements that lead from each version of the schema to the next. Rows are appended, never changed."""

SCHEMA_VERSION = len(MIGRATIONS)

_WAL_PAUSE_SECONDS = 0.01


def open_database(path: str) -> sqlite3.Connection:
    """Open or create the store at `path`, in WAL mode, with its schema up to date.

    A folder that is created gets mode 0700, a file 0600. Raises `SessionStoreError`: `session_store_cannot_open`,
    `session_store_not_a_database`, `session_store_foreign`, `session_store_newer` or what SQLite says.
    """
    try:
        _create_file(path)
    except OSError as error:
        raise from_os(path, error) from None
    except ValueError:
        raise store_error(path.split("\0")[0], "session_store_cannot_open", "the path is not valid") from None
    connection = None
    try:
        connection = sqlite3.connect(path, isolation_level=None, check_same_thread=True)
        _prepare(connection, path)
        return connection
    except BaseException as error:
        if connection is not None:
            connection.close()
        if isinstance(error, sqlite3.Error):
            raise from_sqlite(path, error) from None
        raise


def _create_file(path: str) -> None:
    missing = []
    folder = os.path.dirname(os.path.abspath(path))
    while not os.path.isdir(folder):
        missing.append(folder)
        parent = os.path.dirname(folder)
        if parent == folder:
            break
        folder = parent
    for folder in reversed(missing):
        try:
            os.mkdir(folder, 0o700)
        except FileExistsError:
            if not os.path.isdir(folder):
                raise NotADirectoryError(20, "not a folder") from None
    # O_NONBLOCK: opening a named pipe must not wait for its other end.
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NONBLOCK, 0o600)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise ValueError("not a regular file")
    finally:
        os.close(descriptor)


def _prepare(connection: sqlite3.Connection, path: str) -> None:
    connection.execute(f"PRAGMA busy_timeout = {LIMITS['session.busy_timeout_ms'].default}")
    _recognise(connection, path)
    _enter_wal(connection, path)
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("BEGIN IMMEDIATE")
    try:
        _migrate(connection, path)
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise


def _enter_wal(connection: sqlite3.Connection, path: str) -> None:
    """Two processes that create the file at once meet here, where SQLite does not wait by itself."""
    ends = time.monotonic() + LIMITS["session.busy_timeout_ms"].default / 1000
    while True:
        try:
            mode = connection.execute("PRAGMA journal_mode = WAL").fetchone()[0]
        except sqlite3.OperationalError as error:
            if primary_code(error) != sqlite3.SQLITE_BUSY or time.monotonic() > ends:
                raise
            time.sleep(_WAL_PAUSE_SECONDS)
            continue
        if mode != "wal":
            raise store_error(path, "session_store_no_wal", "this file system can't hold a database in WAL mode")
        return


def _recognise(connection: sqlite3.Connection, path: str) -> None:
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    if application != APPLICATION_ID and (application != 0 or tables):
        raise store_error(path, "session_store_foreign", "the database belongs to another program")


def _migrate(connection: sqlite3.Connection, path: str) -> None:
    _recognise(connection, path)
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute("CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL)")
    row = connection.execute("SELECT max(version) FROM schema_version").fetchone()
    version = row[0] or 0
    if version > SCHEMA_VERSION:
        raise store_error(
            path, "session_store_newer", f"it was written by a later version of adk-decl (schema {version})"
        )
    for number in range(version, SCHEMA_VERSION):
        for statement in MIGRATIONS[number]:
            connection.execute(statement)
        connection.execute("INSERT INTO schema_version VALUES (?)", (number + 1,))
