"""Endpoints as doctor meets them: a real server on this machine."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from adk_decl.doctor.check import Check
from tests.doctor.subjects import AGENT, HEAD, chat, checks

SECRET = "sk-canary-77aa"


class Server:
    """Answers `GET /v1/models` with one status and body, and keeps what was asked."""

    def __init__(self) -> None:
        self.status, self.body = 200, b"{}"
        self.asked: list[tuple[str, str, str | None]] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                outer.asked.append(("GET", self.path, self.headers.get("authorization")))
                self.send_response(outer.status)
                self.send_header("content-length", str(len(outer.body)))
                self.end_headers()
                self.wfile.write(outer.body)

            def do_POST(self) -> None:
                outer.asked.append(("POST", self.path, None))
                self.send_error(500)

            def log_message(self, *_: object) -> None:
                """Nothing to stderr."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    yield made
    made.close()


def model_check(folder: Path, url: str, *, offline: bool = False) -> Check:
    manifest = chat(url, more=", api_key: {secret: {env: KEY}}")
    return checks(folder, manifest, environment={"KEY": SECRET}, offline=offline)["model/m"]


@pytest.mark.parametrize(
    ("status", "body", "expected", "word"),
    [
        (200, {"data": [{"id": "small"}, {"id": {}}, 3]}, "ok", "it has the model"),
        (200, {"data": [{"id": "other"}]}, "warn", "does not list"),
        (200, {"data": "no list"}, "ok", "reached"),
        (401, {"error": SECRET}, "fail", "refuses the key"),
        (404, {}, "ok", "no list of models"),
        (429, {}, "warn", "no more calls"),
        (418, {}, "warn", "HTTP 418"),
        (503, {"error": SECRET}, "fail", "HTTP 503"),
        (302, {}, "fail", "redirect"),
    ],
)
def test_what_an_endpoint_answers(
    status: int, body: object, expected: str, word: str, server: Server, tmp_path: Path
) -> None:
    server.status, server.body = status, json.dumps(body).encode()
    check = model_check(tmp_path, server.url)
    assert check.status == expected
    assert word in check.summary
    assert SECRET not in repr(check)
    assert server.asked == [("GET", "/v1/models", f"Bearer {SECRET}")]


def test_an_answer_that_is_no_json_is_an_answer(server: Server, tmp_path: Path) -> None:
    server.body = b"<html>"
    check = model_check(tmp_path, server.url)
    assert check.status == "ok"
    assert check.facts["listed"] is None
    assert isinstance(check.facts["latency_ms"], int)


def test_nobody_there(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        check = model_check(tmp_path, f"http://127.0.0.1:{port}")
    assert check.status == "fail"
    assert check.facts["reason"] == "connection_failed"


def test_offline_contacts_nobody(server: Server, tmp_path: Path) -> None:
    assert model_check(tmp_path, server.url, offline=True).status == "skipped"
    assert server.asked == []


def test_an_address_that_is_refused(tmp_path: Path) -> None:
    check = checks(tmp_path, chat("${env:URL}"), environment={"URL": "http://example.com"})["model/m"]
    assert check.status == "fail"


@pytest.mark.parametrize(
    ("model", "mend"),
    [("weights/none.gguf", "GGUF"), ("package:no_such_package/x.gguf", "pip install no-such-package")],
)
def test_an_embedded_model_whose_file_is_missing(model: str, mend: str, tmp_path: Path) -> None:
    manifest = f"{HEAD}models:\n  m: {{use: llama_cpp, model: '{model}'}}\n{AGENT}"
    check = checks(tmp_path, manifest)["model/m"]
    assert check.status == "fail"
    assert mend in check.summary or "pip install 'adk-decl[local]'" in check.summary
