"""Frames over a real pipe, whole, in pieces, several at once, too long."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adk_decl.workers.frames import CALL, HEADER, FrameError, FrameReader, pack, write_all


@pytest.fixture
def reader() -> Iterator[tuple[FrameReader, int]]:
    theirs, ours = os.pipe()
    yield FrameReader(theirs, limit=1 << 20), ours
    os.close(theirs)
    os.close(ours)


@given(
    bodies=st.lists(st.binary(max_size=400), max_size=6),
    piece=st.integers(1, 200),
    buffer_bytes=st.integers(24, 200),
)
def test_frames_arrive_as_they_were_sent(bodies: list[bytes], piece: int, buffer_bytes: int) -> None:
    theirs, ours = os.pipe()
    data = b"".join(pack(CALL, number, 5, body, start=2) for number, body in enumerate(bodies))

    def send() -> None:
        for at in range(0, len(data), piece):
            write_all(ours, data[at : at + piece])
        os.close(ours)

    sender = threading.Thread(target=send)
    sender.start()
    reader = FrameReader(theirs, limit=400, buffer_bytes=buffer_bytes)
    for number, body in enumerate(bodies):
        assert reader.read() == (CALL, 0, 2, number, 5, body)
    assert reader.read() is None
    sender.join()
    os.close(theirs)


def test_a_length_above_the_limit_is_refused_unread(reader: tuple[FrameReader, int]) -> None:
    write_all(reader[1], HEADER.pack(2**32 - 1, CALL, 0, 0, 1, 0))
    with pytest.raises(FrameError):
        reader[0].read()


def test_room_for_a_large_frame_is_announced(reader: tuple[FrameReader, int]) -> None:
    sender = threading.Thread(target=write_all, args=(reader[1], pack(CALL, 1, 0, b"x" * 300_000)))
    sender.start()
    announced: list[bool] = []
    frame = reader[0].read(before_large=lambda: announced.append(True))
    sender.join()
    assert frame is not None
    assert (len(frame.body), announced) == (300_000, [True])


def test_half_a_frame_is_the_end() -> None:
    theirs, ours = os.pipe()
    write_all(ours, pack(CALL, 1, 0, b"x" * 50)[:40])
    os.close(ours)
    assert FrameReader(theirs, limit=1 << 20).read() is None
    os.close(theirs)
