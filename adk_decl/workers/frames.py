"""Frames between a host and its worker, over a pair of pipes: a header of 24 bytes, then a body.

    u32 length | u8 kind | u8 flags | u16 start | u64 call_id | u64 stamp_ns        little endian

`length` is that of the body and is judged before anything is allocated. `flags` of a CALL is the index of the
handler, of a DONE a set of bits. `start` is the first step to run. `stamp_ns` is CLOCK_MONOTONIC: of a CALL the
end of the whole call (0 for none), of an answer the moment it was made.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Callable
from typing import NamedTuple

HEADER = struct.Struct("<IBBHQQ")
HEADER_BYTES = HEADER.size

HELLO, CALL, DONE, FAIL, BYE = 1, 2, 3, 4, 5

RETIRE = 1
"""Flag of DONE and FAIL: the worker should not be used again."""

FAIL_HEAP = b"heap"
"""Body of a FAIL whose step took more memory than its budget outside of the handler's own care."""


class FrameError(Exception):
    """The other side sent something that is not a frame of this protocol."""


class Frame(NamedTuple):
    """One frame as it was read; `body` is a copy, independent of the buffer."""

    kind: int
    flags: int
    start: int
    call_id: int
    stamp_ns: int
    body: bytes


def pack(kind: int, call_id: int, stamp_ns: int, body: bytes, *, flags: int = 0, start: int = 0) -> bytes:
    """The bytes of one frame."""
    return HEADER.pack(len(body), kind, flags, start, call_id, stamp_ns) + body


def write_all(fd: int, data: bytes) -> None:
    """Write everything to a blocking descriptor. Raises `OSError` when nobody reads any more."""
    sent = os.write(fd, data)
    while sent < len(data):
        sent += os.write(fd, memoryview(data)[sent:])


class FrameReader:
    """Reads frames from a blocking descriptor, one system call for a small frame. Keeps no large buffer."""

    __slots__ = ("_buffer", "_fd", "_have", "_limit", "_view")

    def __init__(self, fd: int, *, limit: int, buffer_bytes: int = 1 << 16) -> None:
        self._fd = fd
        self._limit = limit
        self._buffer = bytearray(buffer_bytes)
        self._view = memoryview(self._buffer)
        self._have = 0

    def read(self, *, before_large: Callable[[], None] = lambda: None) -> Frame | None:
        """The next frame, or None at the end of the stream. Raises `FrameError` for a length above the limit.

        `before_large` is called before room is made for a frame that does not fit the buffer.
        """
        have = self._have
        if have < HEADER_BYTES:
            have += os.readv(self._fd, [self._view[have:] if have else self._buffer])
            self._have = have
            if have < HEADER_BYTES and not self._fill(HEADER_BYTES):
                return None
        length, kind, flags, start, call_id, stamp_ns = HEADER.unpack_from(self._buffer)
        if have == HEADER_BYTES + length:
            self._have = 0
            return Frame(kind, flags, start, call_id, stamp_ns, bytes(self._view[HEADER_BYTES:have]))
        if length > self._limit:
            raise FrameError("length above the limit")
        if length > len(self._buffer):
            before_large()
        body = self._body(length)
        return None if body is None else Frame(kind, flags, start, call_id, stamp_ns, body)

    def _fill(self, wanted: int) -> bool:
        while self._have < wanted:
            count = os.readv(self._fd, [self._view[self._have :]])
            if not count:
                return False
            self._have += count
        return True

    def _body(self, length: int) -> bytes | None:
        total = HEADER_BYTES + length
        if total <= len(self._buffer):
            if not self._fill(total):
                return None
            body = bytes(self._view[HEADER_BYTES:total])
            rest = self._have - total
            if rest:
                self._view[:rest] = bytes(self._view[total : self._have])
            self._have = rest
            return body
        large = bytearray(length)
        view = memoryview(large)
        have = self._have - HEADER_BYTES
        view[:have] = self._view[HEADER_BYTES : self._have]
        self._have = 0
        while have < length:
            count = os.readv(self._fd, [view[have:]])
            if not count:
                return None
            have += count
        return bytes(large)
