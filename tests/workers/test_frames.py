"""Frames over a real socket, whole, in pieces, several at once, too long."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adk_decl.workers.frames import CALL, HEADER, FrameError, FrameReader, pack


@pytest.fixture
def ends() -> Iterator[tuple[socket.socket, socket.socket]]:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        yield ours, theirs


@given(
    bodies=st.lists(st.binary(max_size=400), max_size=6),
    piece=st.integers(1, 200),
    buffer_bytes=st.integers(24, 200),
)
def test_frames_arrive_as_they_were_sent(bodies: list[bytes], piece: int, buffer_bytes: int) -> None:
    ours, theirs = socket.socketpair()
    data = b"".join(pack(CALL, number, 5, body, start=2) for number, body in enumerate(bodies))

    def send() -> None:
        for at in range(0, len(data), piece):
            ours.sendall(data[at : at + piece])
        ours.close()

    sender = threading.Thread(target=send)
    sender.start()
    with theirs:
        reader = FrameReader(theirs, limit=400, buffer_bytes=buffer_bytes)
        for number, body in enumerate(bodies):
            assert reader.read() == (CALL, 0, 2, number, 5, body)
        assert reader.read() is None
    sender.join()


def test_a_length_above_the_limit_is_refused_unread(ends: tuple[socket.socket, socket.socket]) -> None:
    ends[0].sendall(HEADER.pack(2**32 - 1, CALL, 0, 0, 1, 0))
    with pytest.raises(FrameError):
        FrameReader(ends[1], limit=1 << 20).read()


def test_half_a_frame_is_the_end(ends: tuple[socket.socket, socket.socket]) -> None:
    ends[0].sendall(pack(CALL, 1, 0, b"x" * 50)[:40])
    ends[0].close()
    assert FrameReader(ends[1], limit=1 << 20).read() is None
