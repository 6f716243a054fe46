"""The orders of the example, in a SQLite file that is built on first use."""

from __future__ import annotations

import os
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

FILE_NAME = "orders-1.db"
"""Change the number when `ORDERS` changes: a file that is there is used as it is."""


class Order(NamedTuple):
    """One row of the table `orders`."""

    order_id: str
    status: str
    place: str
    arrives: str
    customer_email: str


ORDERS = (
    Order("1041", "delivered", "Porto", "2026-03-02", "ines.costa@example.com"),
    Order("1042", "out for delivery", "Lisbon", "2026-03-06", "maria.silva@example.com"),
    Order("1043", "waiting for payment", "Warehouse 2", "2026-03-11", "joao.santos@example.com"),
)


def find_order(order_id: str) -> Order | None:
    """The order with this number, or None."""
    uri = f"{database_file().as_uri()}?mode=ro"
    with closing(sqlite3.connect(uri, uri=True)) as database:
        row = database.execute("SELECT * FROM orders WHERE order_id = ?", (order_id,)).fetchone()
    return None if row is None else Order(*row)


def database_file() -> Path:
    """The file, built if it is not there yet. Several processes may do this at once."""
    file = _own_folder() / FILE_NAME
    if not file.exists():
        _build(file)
    return file


def _own_folder() -> Path:
    """A folder that only this user can write: the manifest may stand in a place where nobody can."""
    folder = Path(tempfile.gettempdir()) / f"adk-decl-examples-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    if folder.is_symlink() or folder.stat().st_uid != os.getuid():
        raise PermissionError("the folder of the example database belongs to somebody else")
    return folder


def _build(file: Path) -> None:
    """Write a new file beside it and move it there in one step, so that no reader meets half a table."""
    descriptor, new_file = tempfile.mkstemp(dir=file.parent, suffix=".new")
    os.close(descriptor)
    columns = "order_id TEXT PRIMARY KEY, status TEXT, place TEXT, arrives TEXT, customer_email TEXT"
    with closing(sqlite3.connect(new_file)) as database, database:
        database.execute(f"CREATE TABLE orders ({columns})")
        database.executemany("INSERT INTO orders VALUES (?, ?, ?, ?, ?)", ORDERS)
    os.replace(new_file, file)
