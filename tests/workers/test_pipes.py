"""Pipes between host and worker."""

from __future__ import annotations

import os

import pytest

from adk_decl.workers.pipes import open_pipes
from tests.workers.processes import open_fds


def test_the_hosts_ends_do_not_block_and_what_is_written_arrives() -> None:
    pipes = open_pipes()
    assert [os.get_blocking(fd) for fd in pipes] == [False, False, True, True]
    os.write(pipes.requests, b"a")
    os.write(pipes.their_replies, b"b")
    assert (os.read(pipes.their_requests, 9), os.read(pipes.replies, 9)) == (b"a", b"b")
    for fd in pipes:
        os.close(fd)


def test_nothing_is_left_open_when_there_is_no_room(monkeypatch: pytest.MonkeyPatch) -> None:
    before, real = open_fds(), os.pipe
    opened: list[int] = []

    def once() -> tuple[int, int]:
        if opened:
            raise OSError("no room")
        opened.append(1)
        return real()

    monkeypatch.setattr(os, "pipe", once)
    with pytest.raises(OSError, match="no room"):
        open_pipes()
    assert open_fds() == before
