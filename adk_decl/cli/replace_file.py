"""Writes a file anew in one step: whoever reads it sees the old content or the new one, never a part."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress


class FileChanged(OSError):
    """The file no longer holds what was read."""


def try_replace(path: str, *, before: bytes, after: bytes) -> str | None:
    """As `replace_file`, but returns why it could not be done, in words; None when it was."""
    try:
        replace_file(path, before=before, after=after)
    except PermissionError:
        return "permission denied"
    except FileChanged:
        return "it was changed meanwhile"
    except OSError:
        return "it can't be written"
    return None


def replace_file(path: str, *, before: bytes, after: bytes) -> None:
    """Give a file that holds `before` the content `after`; mode and, for a link, the link itself stay.

    Raises `FileChanged` when it holds something else by now, and `OSError` when it can't be written; then it is
    as it was.
    """
    place = os.path.realpath(path)
    if not os.access(place, os.W_OK):
        raise PermissionError("the file is not writable")
    descriptor, temporary = tempfile.mkstemp(prefix=".adk-decl-", dir=os.path.dirname(place))
    try:
        with open(descriptor, "wb") as stream:
            stream.write(after)
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(temporary, os.stat(place).st_mode & 0o7777)
        with open(place, "rb") as stream:
            if stream.read(len(before) + 1) != before:
                raise FileChanged("the file was changed meanwhile")
        os.replace(temporary, place)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise
