"""Writes a lock file in one step: whoever reads it sees the old one or the new one, never a part."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress

_MODE = 0o644


def write_lock(path: str, text: str) -> bool:
    """Write the file and say whether it changed; one that holds this text already is left alone.

    A link stays a link. Raises `OSError` when it can't be written; then it is as it was.
    """
    place = os.path.realpath(path)
    data = text.encode("utf-8")
    if _holds(place, data):
        return False
    descriptor, temporary = tempfile.mkstemp(prefix=".adk-decl-", dir=os.path.dirname(place))
    try:
        with open(descriptor, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(temporary, _mode_of(place))
        os.replace(temporary, place)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise
    return True


def _holds(path: str, data: bytes) -> bool:
    try:
        if not os.path.isfile(path):
            return False
        with open(path, "rb") as stream:
            return stream.read(len(data) + 1) == data
    except OSError:
        return False


def _mode_of(path: str) -> int:
    try:
        return os.stat(path).st_mode & 0o777
    except OSError:
        return _MODE
