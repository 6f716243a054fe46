"""A client of language servers: JSON-RPC over the pipes of a real process."""

from __future__ import annotations

import json
import queue
import subprocess
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

_WAIT_S = 20.0


class Client:
    """Starts a server, sends messages, keeps what comes back. `settings` answer `workspace/configuration`."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        cwd: Path,
        env: Mapping[str, str] | None = None,
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=cwd,
            env=None if env is None else dict(env),
        )
        self.received: list[dict[str, Any]] = []
        self._cwd = cwd
        self._settings = settings or {}
        self._incoming: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._last_id = 0
        self._stderr = b""
        self._threads = [threading.Thread(target=work, daemon=True) for work in (self._read, self._read_stderr)]
        for thread in self._threads:
            thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.process.kill()
        self.process.wait()
        for thread in self._threads:
            thread.join(_WAIT_S)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None:
                with suppress(OSError):
                    stream.close()

    def initialize(self, capabilities: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Say hello; the capabilities of the server."""
        answer = self.request(
            "initialize",
            {
                "processId": None,
                "rootUri": self._cwd.as_uri(),
                "workspaceFolders": [{"uri": self._cwd.as_uri(), "name": "project"}],
                "capabilities": capabilities or {},
            },
        )
        self.notify("initialized", {})
        found: dict[str, Any] = answer["capabilities"]
        return found

    def open(self, path: Path, text: str | None = None, *, language: str = "yaml") -> str:
        """Open a file, with its content or another one; its URI."""
        content = path.read_text(encoding="utf-8") if text is None else text
        item = {"uri": path.as_uri(), "languageId": language, "version": 1, "text": content}
        self.notify("textDocument/didOpen", {"textDocument": item})
        return path.as_uri()

    def change(self, uri: str, text: str, version: int) -> None:
        """Replace the whole content."""
        document = {"uri": uri, "version": version}
        self.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [{"text": text}]})

    def at(self, method: str, uri: str, line: int, character: int, **more: Any) -> Any:
        """Ask `textDocument/<method>` about a place, from 0."""
        position = {"line": line, "character": character}
        return self.request(f"textDocument/{method}", {"textDocument": {"uri": uri}, "position": position, **more})

    def findings(self, uri: str, version: int | None = None) -> list[dict[str, Any]]:
        """The next findings published about a file, or those about one version of it."""
        while True:
            message = self._next()
            given = message.get("params", {})
            if message.get("method") != "textDocument/publishDiagnostics" or given["uri"] != uri:
                continue
            if version is None or given.get("version") == version:
                found: list[dict[str, Any]] = given["diagnostics"]
                return found

    def request(self, method: str, params: Any) -> Any:
        """Send a request and wait for its result. Raises `RuntimeError` with the error that came instead."""
        answer = self.answer(method, params)
        if "error" in answer:
            raise RuntimeError(json.dumps(answer["error"]))
        return answer["result"]

    def answer(self, method: str, params: Any) -> dict[str, Any]:
        """Send a request and wait for its whole answer."""
        self._last_id += 1
        wanted = self._last_id
        self.send({"jsonrpc": "2.0", "id": wanted, "method": method, "params": params})
        return self.answer_to(wanted)

    def answer_to(self, wanted: int | str) -> dict[str, Any]:
        """Wait for the answer to a request that was sent."""
        while True:
            message = self._next()
            if "method" not in message and message.get("id") == wanted:
                return message

    def notify(self, method: str, params: Any) -> None:
        """Send a notification."""
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def send(self, message: Any) -> None:
        """Send anything that JSON can hold."""
        self.send_bytes(json.dumps(message).encode())

    def send_bytes(self, body: bytes) -> None:
        """Send a message of any bytes."""
        self.send_raw(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def send_raw(self, data: bytes) -> None:
        """Send bytes without any header."""
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def end(self) -> int:
        """Say `shutdown` and `exit`; the exit code."""
        self.request("shutdown", None)
        self.notify("exit", None)
        return self.process.wait(_WAIT_S)

    def stderr(self) -> str:
        """What the server wrote to stderr; after it has ended."""
        self._threads[1].join(_WAIT_S)
        return self._stderr.decode("utf-8", "replace")

    def _next(self) -> dict[str, Any]:
        while True:
            message = self._incoming.get(timeout=_WAIT_S)
            assert message is not None, f"the server has ended: {self._stderr.decode('utf-8', 'replace')}"
            self.received.append(message)
            if "method" in message and "id" in message:
                self._reply(message)
                continue
            return message

    def _reply(self, message: Mapping[str, Any]) -> None:
        result: Any = None
        if message["method"] == "workspace/configuration":
            result = [self._settings.get(item.get("section", ""), {}) for item in message["params"]["items"]]
        self.send({"jsonrpc": "2.0", "id": message["id"], "result": result})

    def _read(self) -> None:
        assert self.process.stdout is not None
        length = 0
        while line := self.process.stdout.readline():
            if line.lower().startswith(b"content-length:"):
                length = int(line.partition(b":")[2])
            elif not line.strip():
                body = self.process.stdout.read(length)
                if len(body) < length:
                    break
                self._incoming.put(json.loads(body))
        self._incoming.put(None)

    def _read_stderr(self) -> None:
        assert self.process.stderr is not None
        self._stderr = self.process.stderr.read()


def applied(text: str, edits: Sequence[Mapping[str, Any]]) -> str:
    """A text with the edits of a server made, which count in UTF-16."""
    lines = text.split("\n")

    def offset(place: Mapping[str, int]) -> int:
        before = sum(len(line) + 1 for line in lines[: place["line"]])
        units = lines[place["line"]].encode("utf-16-le")[: 2 * place["character"]]
        return before + len(units.decode("utf-16-le"))

    for edit in sorted(edits, key=lambda edit: offset(edit["range"]["start"]), reverse=True):
        start, end = offset(edit["range"]["start"]), offset(edit["range"]["end"])
        text = text[:start] + edit["newText"] + text[end:]
    return text
