"""An HTTP server on this machine that answers as it is told, and misbehaves as real ones do."""

from __future__ import annotations

import asyncio
import json
import socket
import ssl
import struct
from collections.abc import Awaitable, Callable, Mapping, Sequence
from types import TracebackType
from typing import Any, NamedTuple, Self

CLOSED = b"Connection: close\r\n"


class Received(NamedTuple):
    """A request as it came in. Header names are lower case."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)


Answer = Callable[["LoopbackServer", asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


class LoopbackServer:
    """Gives its answers in order, one a request; the last one is repeated."""

    def __init__(self, *answers: Answer, tls: ssl.SSLContext | None = None) -> None:
        self._tls = tls
        self.answers = list(answers)
        self.requests: list[Received] = []
        self.connections = 0
        self.closing = asyncio.Event()
        self.client_gone = asyncio.Event()
        self.requested = asyncio.Event()
        self._tasks: dict[asyncio.Task[Any], asyncio.StreamWriter] = {}

    @property
    def url(self) -> str:
        """Address, without a trailing slash."""
        scheme = "http" if self._tls is None else "https"
        return f"{scheme}://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, limit=2**20, ssl=self._tls)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.closing.set()
        self._server.close()
        for writer in self._tasks.values():
            writer.close()
        if self._tasks:
            _, late = await asyncio.wait(set(self._tasks), timeout=5)
            assert not late

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks[task] = writer
        self.connections += 1
        try:
            while (request := await _read_request(reader)) is not None:
                self.requests.append(request)
                self.requested.set()
                answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
                await answer(self, reader, writer)
                if writer.is_closing():
                    return
        except (ConnectionError, asyncio.IncompleteReadError):
            self.client_gone.set()
        finally:
            writer.close()
            del self._tasks[task]


def whole(body: bytes, *, status: int = 200, content_type: str = "application/json", **headers: str) -> Answer:
    """A complete response."""

    async def answer(server: LoopbackServer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(_head(status, content_type, len(body), headers) + body)
        await writer.drain()

    return answer


def json_reply(value: Any, *, status: int = 200, **headers: str) -> Answer:
    """A complete JSON response."""
    return whole(json.dumps(value).encode(), status=status, **headers)


def raw(data: bytes) -> Answer:
    """These bytes, then the end of the connection."""

    async def answer(server: LoopbackServer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(data)
        await writer.drain()
        writer.close()

    return answer


def events(items: Sequence[str], *, done: bool = True, pieces: int = 0) -> Answer:
    """A stream of events, in pieces of so many bytes; without `done` it breaks off."""
    text = "".join(f"data: {item}\n\n" for item in items) + ("data: [DONE]\n\n" if done else "")
    data = text.encode()
    size = pieces or len(data) or 1

    async def answer(server: LoopbackServer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\n" + CLOSED + b"\r\n")
        for start in range(0, len(data), size):
            writer.write(data[start : start + size])
            await writer.drain()
        writer.close()

    return answer


def hang(head: bytes = b"") -> Answer:
    """These bytes, then silence until the client goes or the server is closed."""

    async def answer(server: LoopbackServer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(head)
        await writer.drain()
        closing = asyncio.ensure_future(server.closing.wait())
        gone = asyncio.ensure_future(_until_gone(reader))
        await asyncio.wait({closing, gone}, return_when=asyncio.FIRST_COMPLETED)
        if gone.done():
            server.client_gone.set()
        for waiting in (closing, gone):
            waiting.cancel()
        writer.close()

    return answer


def reset(head: bytes = b"") -> Answer:
    """These bytes, then a reset of the connection."""

    async def answer(server: LoopbackServer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(head)
        await writer.drain()
        connection: socket.socket = writer.get_extra_info("socket")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        writer.transport.abort()

    return answer


def endless(head: bytes, piece: bytes, *, at_most: int) -> Answer:
    """A body that goes on until the client leaves; `at_most` bytes, so that a client that never does is found."""

    async def answer(server: LoopbackServer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(head)
        for _ in range(at_most // len(piece)):
            writer.write(piece)
            await writer.drain()
        writer.close()

    return answer


async def _until_gone(reader: asyncio.StreamReader) -> None:
    """Ends when the client has closed its side."""
    while await reader.read(4096):
        pass


async def _read_request(reader: asyncio.StreamReader) -> Received | None:
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return None
    first, *lines = head.decode("latin-1").split("\r\n")
    method, path, _ = first.split(" ", 2)
    pairs = [line.partition(":") for line in lines if line]
    headers = {name.lower(): value.strip() for name, _, value in pairs}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Received(method, path, headers, body)


def _head(status: int, content_type: str, length: int, headers: Mapping[str, str]) -> bytes:
    lines = [f"HTTP/1.1 {status} X", f"Content-Type: {content_type}", f"Content-Length: {length}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()
