"""Secrets: read when a runner is built, held in a value that never prints."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Mapping
from typing import NoReturn

from adk_decl.plan.limits import LIMITS
from adk_decl.plan.model import SecretRef


class Secret:
    """A secret and where it came from. Only `reveal()` gives the value.

    Printing, formatting and `repr` show its source; it can't be changed, pickled or encoded as JSON.
    """

    __slots__ = ("_value", "source")

    def __init__(self, value: str, source: str) -> None:
        object.__setattr__(self, "_value", value)
        object.__setattr__(self, "source", source)

    source: str
    _value: str

    def reveal(self) -> str:
        """The value, for the one place that sends it."""
        return self._value

    def __repr__(self) -> str:
        return f"Secret({self.source})"

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError("a Secret can't be changed")

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Secret can't be pickled or copied")


class SecretProblem(ValueError):
    """A secret that can't be read. `reason` is a symbolic code; the text is a complete sentence without the value."""

    def __init__(self, reason: str, sentence: str) -> None:
        self.reason = reason
        super().__init__(sentence)


def read_secret(ref: SecretRef, environment: Mapping[str, str], project_root: str) -> Secret:
    """Read a secret from the environment or from a file (relative to the project root, or absolute).

    One newline at the end of a file is dropped. Raises `SecretProblem`: `unset`, `empty`, `not_text`, `too_large`,
    `not_a_file`, `unreadable`.
    """
    shown = f"{ref.source}:{ref.name}"
    if ref.source == "env":
        value = environment.get(ref.name)
        if value is None:
            raise SecretProblem("unset", f"the environment variable {ref.name} is not set: it holds a secret")
        where = f"the environment variable {ref.name}"
    else:
        value = _read_file(os.path.join(project_root, ref.name), ref.name)
        where = f"the secret file {ref.name}"
    if not value:
        raise SecretProblem("empty", f"{where} is empty: it must hold a secret")
    try:
        size = len(value.encode("utf-8"))
    except UnicodeEncodeError:
        raise SecretProblem("not_text", f"{where} is not valid UTF-8") from None
    bound = LIMITS["secret.bytes"].maximum
    if size > bound:
        raise SecretProblem("too_large", f"{where} is larger than {bound} bytes")
    return Secret(value, shown)


def _read_file(path: str, shown: str) -> str:
    bound = LIMITS["secret.bytes"].maximum
    try:
        # O_NONBLOCK: opening a named pipe must not wait for its other end.
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        with open(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise SecretProblem("not_a_file", f"the secret file {shown} is not a regular file")
            data = file.read(bound + 3)
    except OSError as error:
        if error.errno == errno.EISDIR:
            raise SecretProblem("not_a_file", f"the secret file {shown} is not a regular file") from None
        name = errno.errorcode.get(error.errno or 0, "unknown")
        raise SecretProblem("unreadable", f"the secret file {shown} can't be read ({name})") from None
    except ValueError as error:
        if isinstance(error, SecretProblem):
            raise
        raise SecretProblem("unreadable", f"the secret file {shown!r} can't be read (its path is not valid)") from None
    data = data[:-2] if data.endswith(b"\r\n") else data[:-1] if data.endswith(b"\n") else data
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise SecretProblem("not_text", f"the secret file {shown} is not valid UTF-8") from None
