"""The page that a worker shares with its host: which step runs since when, how earlier ones ended, checkpoints.

Writing it needs no system call, and it outlives the worker. Each word is stored whole, so a reader never sees half
of one. A checkpoint goes to the slot that is not published and is published by one store; a kill in the middle
leaves the older one valid, and a checksum guards what a wild write could do.

    word 0       id of the call
    word 1       index of the step that runs or ran last
    word 2       number of the published slot
    word 3       when that step began, CLOCK_MONOTONIC in nanoseconds; written before word 1
    word 8 + i   microseconds that step i took << 8 | its outcome
    8192         two slots: u64 call_id | u32 step | u32 length | u64 checksum | data
"""

from __future__ import annotations

import mmap
import os
import struct
import zlib
from typing import NamedTuple

from adk_decl.plan.limits import LIMITS

WORD_CALL, WORD_STEP, WORD_SLOT, WORD_BEGAN, WORD_MARKS = 0, 1, 2, 3, 8
MAX_STEPS = LIMITS["workers.steps"].default
SLOT_BYTES = LIMITS["workers.checkpoint_bytes"].default

_SLOTS_AT = 8192
_SLOT_HEADER = struct.Struct("<QIIQ")
_PAGE_BYTES = _SLOTS_AT + 2 * (_SLOT_HEADER.size + SLOT_BYTES)


class Progress(NamedTuple):
    """How far a call got: the step that runs or ran last, and when it began."""

    step: int
    started_ns: int


class Page:
    """One shared page, mapped. `words` is its view as 64-bit words."""

    __slots__ = ("_map", "words")

    def __init__(self, fd: int) -> None:
        self._map = mmap.mmap(fd, _PAGE_BYTES)
        self.words = memoryview(self._map).cast("Q")

    def close(self) -> None:
        """Unmap. The page can't be used afterwards."""
        self.words.release()
        self._map.close()

    def progress(self, call_id: int) -> Progress | None:
        """How far the call got, or None when the worker has not begun it."""
        words = self.words
        if words[WORD_CALL] != call_id:
            return None
        return Progress(words[WORD_STEP], words[WORD_BEGAN])

    def marks(self, start: int, end: int) -> list[int]:
        """Marks of the steps from `start` to before `end`: the microseconds each took << 8 | its outcome."""
        return self.words[WORD_MARKS + start : WORD_MARKS + end].tolist()

    def publish(self, call_id: int, step: int, data: bytes) -> bool:
        """Keep `data` as the state after `step`. False when it is larger than a slot."""
        length = len(data)
        if length > SLOT_BYTES:
            return False
        slot = (self.words[WORD_SLOT] & 1) ^ 1
        at = _slot_offset(slot)
        body = at + _SLOT_HEADER.size
        self._map[body : body + length] = data
        _SLOT_HEADER.pack_into(self._map, at, call_id, step, length, zlib.crc32(data))
        self.words[WORD_SLOT] = slot
        return True

    def checkpoint(self, call_id: int, *, before: int) -> tuple[int, bytes] | None:
        """The newest valid checkpoint of the call from a step below `before`: after which step, and its data."""
        slot = self.words[WORD_SLOT] & 1
        return self._read(slot, call_id, before) or self._read(slot ^ 1, call_id, before)

    def _read(self, slot: int, call_id: int, before: int) -> tuple[int, bytes] | None:
        at = _slot_offset(slot)
        owner, step, length, checksum = _SLOT_HEADER.unpack_from(self._map, at)
        if owner != call_id or length > SLOT_BYTES or step >= before:
            return None
        data = self._map[at + _SLOT_HEADER.size : at + _SLOT_HEADER.size + length]
        return (step, data) if zlib.crc32(data) == checksum else None


def create_page_file() -> int:
    """A new descriptor of anonymous memory of the right size, closed on exec; a deleted file where there is none."""
    if hasattr(os, "memfd_create"):
        fd = os.memfd_create("adk-decl-page", os.MFD_CLOEXEC)
    else:
        import tempfile  # only where it is needed: workers start faster without it

        fd, path = tempfile.mkstemp(prefix="adk-decl-page-")
        os.unlink(path)
    os.ftruncate(fd, _PAGE_BYTES)
    return fd


def _slot_offset(slot: int) -> int:
    return _SLOTS_AT + slot * (_SLOT_HEADER.size + SLOT_BYTES)
