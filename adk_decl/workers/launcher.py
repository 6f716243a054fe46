"""The host's end of a zygote: start it, ask it for workers, see it end. Nothing here blocks the event loop."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from adk_decl.wire import WireError, decoder, encode
from adk_decl.workers.boot import BOOTSTRAP, LENGTH, ZygoteSpec, search_path
from adk_decl.workers.zygote import FORKED, Ready

_MAX_READY_BYTES: Final = 1 << 20
_EXIT_POLL_SECONDS: Final = 0.005


class Forked(NamedTuple):
    """A worker that was forked: its id, and a descriptor of the process, or -1 where the system has none."""

    pid: int
    pidfd: int


class Launcher:
    """One running zygote. `on_end` is called once, when it ends unasked."""

    def __init__(
        self, process: subprocess.Popen[bytes], control: socket.socket, loop: asyncio.AbstractEventLoop
    ) -> None:
        self._process = process
        self._control = control
        self._loop = loop
        self._wanted: deque[Callable[[Forked | None], None]] = deque()
        self.on_end: Callable[[], None] = lambda: None
        self.alive = True

    @classmethod
    async def start(cls, spec: ZygoteSpec, *, debug_fd: int | None) -> tuple[Launcher, Ready]:
        """Start a zygote and wait until it has imported everything. Raises `OSError` or `EOFError` when it can't.

        Bound the time with `asyncio.timeout`: on cancellation the zygote is killed.
        """
        loop = asyncio.get_running_loop()
        control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            with theirs:
                process = await _spawn(theirs, debug_fd)
        except BaseException:
            control.close()
            raise
        control.setblocking(False)
        launcher = cls(process, control, loop)
        try:
            ready = await launcher._introduce(spec)
        except BaseException:
            launcher.kill()
            await launcher.wait()
            raise
        loop.add_reader(control.fileno(), launcher._read)
        return launcher, ready

    def fork(self, fds: Sequence[int], done: Callable[[Forked | None], None]) -> None:
        """Ask for a worker; `done` gets it, or None when it can't be forked.

        The descriptors, those of the pipes of requests and replies and of the page, may be closed at once.
        """
        if not self.alive:
            done(None)
            return
        try:
            socket.send_fds(self._control, [b"F"], list(fds))
        except OSError:
            done(None)
            return
        self._wanted.append(done)

    def close(self) -> None:
        """Close the control stream: the zygote kills its workers and ends."""
        if not self.alive:
            return
        self.alive = False
        self._loop.remove_reader(self._control.fileno())
        self._control.close()
        while self._wanted:
            self._wanted.popleft()(None)

    def kill(self) -> None:
        """Close, and kill the zygote, which on Linux takes its workers along."""
        self.close()
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()

    async def wait(self) -> None:
        """Wait until the zygote is gone and collected. Bound the time with `asyncio.timeout`."""
        while self._process.poll() is None:  # noqa: ASYNC110 - the system has no event for it everywhere
            await asyncio.sleep(_EXIT_POLL_SECONDS)

    async def _introduce(self, spec: ZygoteSpec) -> Ready:
        data = encode(spec)
        await self._loop.sock_sendall(
            self._control, search_path(spec.domain.import_paths) + LENGTH.pack(len(data)) + data
        )
        length = LENGTH.unpack(await self._read_exactly(LENGTH.size))[0]
        if length > _MAX_READY_BYTES:
            raise EOFError
        try:
            return _decode_ready(await self._read_exactly(length))
        except WireError:
            raise EOFError from None

    async def _read_exactly(self, count: int) -> bytes:
        data = bytearray()
        while len(data) < count:
            part = await self._loop.sock_recv(self._control, count - len(data))
            if not part:
                raise EOFError
            data += part
        return bytes(data)

    def _read(self) -> None:
        try:
            message, fds, _, _ = socket.recv_fds(self._control, FORKED.size, 1)
        except BlockingIOError:
            return
        except OSError:
            message, fds = b"", []
        if len(message) != FORKED.size or not self._wanted:
            for fd in fds:
                os.close(fd)
            self.close()
            self.on_end()
            return
        pid = FORKED.unpack(message)[0]
        self._wanted.popleft()(Forked(pid, fds[0] if fds else -1) if pid > 0 else None)


async def _spawn(theirs: socket.socket, debug_fd: int | None) -> subprocess.Popen[bytes]:
    """Start the interpreter in a helper thread; if the caller is cancelled meanwhile, the process ends by itself."""
    output = subprocess.DEVNULL if debug_fd is None else debug_fd

    def start(fd: int) -> subprocess.Popen[bytes]:
        try:
            return subprocess.Popen(  # noqa: S603 - our own interpreter and our own text
                [sys.executable, "-I", "-c", BOOTSTRAP, str(fd)],
                env={},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                close_fds=True,
                pass_fds=(fd,),
                start_new_session=True,
            )
        finally:
            os.close(fd)

    spawning = asyncio.get_running_loop().run_in_executor(None, start, os.dup(theirs.fileno()))
    try:
        return await asyncio.shield(spawning)
    except asyncio.CancelledError:
        spawning.add_done_callback(_discard)
        raise


def _discard(spawned: asyncio.Future[subprocess.Popen[bytes]]) -> None:
    if not spawned.cancelled() and spawned.exception() is None:
        process = spawned.result()
        process.kill()
        process.wait()


_decode_ready: Callable[[bytes], Ready] = decoder(Ready)
