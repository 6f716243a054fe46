"""SQLite's errors as symbolic codes. The text of an exception may quote data, so none of it is kept."""

from __future__ import annotations

import errno
import sqlite3

from adk_decl.errors import SessionStoreError

_BY_CODE = {
    sqlite3.SQLITE_NOTADB: ("session_store_not_a_database", "the file is not a SQLite database"),
    sqlite3.SQLITE_CORRUPT: ("session_store_corrupt", "the database is damaged"),
    sqlite3.SQLITE_FULL: ("session_store_full", "the disk is full"),
    sqlite3.SQLITE_READONLY: ("session_store_read_only", "the database can't be written"),
    sqlite3.SQLITE_PERM: ("session_store_read_only", "the database can't be written"),
    sqlite3.SQLITE_BUSY: ("session_store_locked", "another process holds the database"),
    sqlite3.SQLITE_LOCKED: ("session_store_locked", "another process holds the database"),
    sqlite3.SQLITE_IOERR: ("session_store_io", "reading or writing the file failed"),
    sqlite3.SQLITE_CANTOPEN: ("session_store_cannot_open", "the file can't be opened"),
    sqlite3.SQLITE_TOOBIG: ("session_event_too_large", "the event is too large for the database"),
    sqlite3.SQLITE_NOMEM: ("session_store_io", "there is no memory left"),
}

_BY_ERRNO = {
    errno.EROFS: "session_store_read_only",
    errno.ENOSPC: "session_store_full",
    errno.EDQUOT: "session_store_full",
}


def store_error(path: str, code: str, what: str) -> SessionStoreError:
    """The error of one store: its path and what is wrong."""
    return SessionStoreError(f"session store {path}: {what}", code=code)


def from_sqlite(path: str, error: sqlite3.Error) -> SessionStoreError:
    """What a SQLite error means, by its primary result code."""
    primary = primary_code(error)
    code, what = _BY_CODE.get(primary, ("session_store_failed", f"SQLite failed (result code {primary})"))
    return store_error(path, code, what)


def primary_code(error: sqlite3.Error) -> int:
    """SQLite's primary result code; 0 for an error of Python's own layer, such as one of a closed connection."""
    code: int = getattr(error, "sqlite_errorcode", None) or 0
    return code & 0xFF


def from_os(path: str, error: OSError) -> SessionStoreError:
    """Why the file or its folder can't be used, by the name of the system's error number."""
    name = errno.errorcode.get(error.errno or 0, "unknown")
    code = _BY_ERRNO.get(error.errno or 0, "session_store_cannot_open")
    return store_error(path, code, f"the file can't be opened ({name})")
