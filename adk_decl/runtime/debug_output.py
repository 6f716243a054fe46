"""Where authors see the tracebacks of their hooks and tools: stderr and a local log file, and nowhere else.

Only with the setting `debug`. Workers write to a pipe; what arrives is copied to both places, the file up to
`debug.log_bytes`. Nothing of it reaches an event, a result or telemetry.
"""

from __future__ import annotations

import asyncio
import errno
import os
import sys
import traceback
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from adk_decl.errors import StartError
from adk_decl.plan.limits import LIMITS

_READ_BYTES = 1 << 16


class DebugOutput:
    """Copies what is written to `fd` to stderr and to the file `path`."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._room = LIMITS["debug.log_bytes"].default
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        self._log = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        self._pipe, self.fd = os.pipe()
        os.set_blocking(self._pipe, False)
        asyncio.get_running_loop().add_reader(self._pipe, self._copy)

    def show_exception(self, error: BaseException) -> None:
        """Show an exception of code that runs in this process."""
        self._write("".join(traceback.format_exception(error)).encode("utf-8", "backslashreplace"))

    def close(self) -> None:
        """Copy what is left and give the descriptors back."""
        asyncio.get_running_loop().remove_reader(self._pipe)
        os.close(self.fd)
        while self._copy():
            pass
        os.close(self._pipe)
        os.close(self._log)

    def _copy(self) -> bool:
        try:
            data = os.read(self._pipe, _READ_BYTES)
        except OSError:
            return False
        self._write(data)
        return bool(data)

    def _write(self, data: bytes) -> None:
        with suppress(OSError, ValueError):
            sys.stderr.write(data.decode("utf-8", "backslashreplace"))
            sys.stderr.flush()
        kept = data[: self._room]
        self._room -= len(kept)
        with suppress(OSError):
            os.write(self._log, kept)


@asynccontextmanager
async def debug_output(folder: str, *, enabled: bool) -> AsyncIterator[DebugOutput | None]:
    """The output for one runner, its log in `folder`; None when the setting is off.

    Raises `StartError` when the log can't be written.
    """
    if not enabled:
        yield None
        return
    path = os.path.join(folder, f"debug-{os.getpid()}.log")
    try:
        output = DebugOutput(path)
    except OSError as error:
        reason = errno.errorcode.get(error.errno or 0, "unknown")
        raise StartError((f"the debug log {path} can't be written ({reason}): set ADK_DECL_STATE_DIR",)) from None
    try:
        yield output
    finally:
        output.close()
