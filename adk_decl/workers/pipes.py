"""The pair of pipes between a host and one worker."""

from __future__ import annotations

import contextlib
import fcntl
import os
from typing import Final, NamedTuple

_PIPE_BYTES: Final = 1 << 18


class Pipes(NamedTuple):
    """Four descriptors: the host writes `requests` and reads `replies`, the worker has the other ends."""

    requests: int
    replies: int
    their_requests: int
    their_replies: int


def open_pipes() -> Pipes:
    """New pipes; the host's ends don't block. Raises `OSError`."""
    their_requests, requests = os.pipe()
    try:
        replies, their_replies = os.pipe()
    except OSError:
        os.close(their_requests)
        os.close(requests)
        raise
    for fd in (requests, replies):
        os.set_blocking(fd, False)
        _enlarge(fd)
    return Pipes(requests, replies, their_requests, their_replies)


def _enlarge(pipe: int) -> None:
    """Room for an ordinary conversation in one write, where the system lets a pipe grow."""
    if hasattr(fcntl, "F_SETPIPE_SZ"):
        with contextlib.suppress(OSError):
            fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
