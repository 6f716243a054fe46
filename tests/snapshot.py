"""Compares a text with the one stored beside the tests; `UPDATE_SNAPSHOTS=1` stores it anew."""

from __future__ import annotations

import os
from pathlib import Path

FOLDER = Path(__file__).parent / "snapshots"


def check_snapshot(name: str, actual: str) -> None:
    """Fail unless `actual` equals `tests/snapshots/<name>`.

    With `UPDATE_SNAPSHOTS=1` in the environment the stored text is replaced instead. Look at the change in
    the diff before you commit it.
    """
    file = FOLDER / name
    if os.environ.get("UPDATE_SNAPSHOTS") == "1":
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(actual, encoding="utf-8", newline="")
        return
    assert file.is_file(), f"no snapshot {name}: run the test once with UPDATE_SNAPSHOTS=1 and look at the result"
    with file.open(encoding="utf-8", newline="") as stored:
        expected = stored.read()
    assert actual == expected, f"snapshot {name} differs; if that is wanted, run the test with UPDATE_SNAPSHOTS=1"
