"""The language server as a process, with a client that speaks the protocol."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.compiler.project import PLUGIN, write_files
from tests.editor.cursor import cut
from tests.lsp.client import Client, applied

pytest.importorskip("pygls")

COMMAND = [sys.executable, "-m", "adk_decl", "lsp", "--stdio"]
TEXT = """\
apiVersion: adk-decl/v1
kind: Manifest
name: example
models:
  clerk: {use: scripted, config: {replies: [{text: "Hello 😀"}]}}
agents:
  support: {model: clerk}
plugins:
  mask: {use: "python:own:Mask", timeout_ms: 250}
runners:
  desk: {agent: support, plugins: [mask]}
"""
CODE = f"{PLUGIN}class Mask(Plugin):\n    def after_model(self, ctx, value): ...\n"
WRONG = TEXT.replace("timeout_ms", "timeout_msec")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    write_files(tmp_path, {"own.py": CODE, "m.adk.yaml": TEXT})
    return tmp_path


@pytest.fixture
def client(project: Path) -> Iterator[Client]:
    with Client(COMMAND, cwd=project) as started:
        yield started


def _codes(findings: list[dict[str, Any]]) -> list[str]:
    return [found["code"] for found in findings]


def _at(text: str) -> tuple[str, int, int]:
    """A text without its mark, and the place of the mark as editors count."""
    plain, line, column = cut(text)
    row = plain.split("\n")[line - 1]
    return plain, line - 1, len(row[: column - 1].encode("utf-16-le")) // 2


def test_a_session_from_hello_to_goodbye(client: Client, project: Path) -> None:
    capabilities = client.initialize({"workspace": {"workspaceEdit": {"documentChanges": True}}})
    assert capabilities["hoverProvider"]
    assert capabilities["definitionProvider"]
    uri = client.open(project / "m.adk.yaml")
    assert client.findings(uri, 1) == []

    client.change(uri, WRONG, 2)
    (found,) = client.findings(uri, 2)
    assert (found["code"], found["severity"], found["source"]) == ("ADK110", 1, "adk-decl")
    assert found["range"] == {"start": {"line": 8, "character": 33}, "end": {"line": 8, "character": 45}}

    context = {"diagnostics": [found]}
    document = {"textDocument": {"uri": uri}, "range": found["range"]}
    fix, every = client.request("textDocument/codeAction", {**document, "context": context})
    assert fix["kind"] == "quickfix"
    assert fix["isPreferred"]
    assert _codes(fix["diagnostics"]) == ["ADK110"]
    assert every["kind"] == "source.fixAll.adkDecl"
    (change,) = fix["edit"]["documentChanges"]
    assert change["textDocument"] == {"uri": uri, "version": 2}
    client.change(uri, applied(WRONG, change["edits"]), 3)
    assert client.findings(uri, 3) == []
    assert applied(WRONG, change["edits"]) == TEXT

    only = {**context, "only": ["source.fixAll"]}
    assert client.request("textDocument/codeAction", {**document, "context": only}) == []

    shown = client.at("hover", uri, 8, 35)
    assert "whole number from 1 to 120000" in shown["contents"]["value"]
    assert shown["range"]["start"] == {"line": 8, "character": 33}
    target = client.at("definition", uri, 6, 20)
    assert target == {"uri": uri, "range": {"start": {"line": 4, "character": 2}, "end": {"line": 4, "character": 7}}}
    target = client.at("definition", uri, 8, 25)
    assert target["uri"] == (project / "own.py").as_uri()
    assert target["range"]["start"] == {"line": 3, "character": 6}

    assert client.end() == 0
    assert client.stderr() == ""


def test_columns_are_those_of_utf_16(client: Client, project: Path) -> None:
    text = TEXT.replace('[{text: "Hello 😀"}]', '[{text: "😀😀", txet: 1}]')
    client.initialize()
    uri = client.open(project / "m.adk.yaml", text)
    (found,) = client.findings(uri)
    line = text.split("\n")[4]
    start = len(line[: line.index("txet")].encode("utf-16-le")) // 2
    assert found["range"]["start"] == {"line": 4, "character": start}
    assert client.at("hover", uri, 4, start + 1)["contents"]["value"].startswith("**ADK110**")


@pytest.mark.slow
def test_the_encoding_that_the_client_prefers_is_used(client: Client, project: Path) -> None:
    text = TEXT.replace('[{text: "Hello 😀"}]', '[{text: "😀😀", txet: 1}]')
    capabilities = client.initialize({"general": {"positionEncodings": ["utf-32"]}})
    assert capabilities["positionEncoding"] == "utf-32"
    uri = client.open(project / "m.adk.yaml", text)
    (found,) = client.findings(uri)
    assert found["range"]["start"]["character"] == text.split("\n")[4].index("txet")


def test_completion_in_a_text_that_does_not_parse(client: Client, project: Path) -> None:
    client.initialize()
    text, line, character = _at(TEXT.replace("{model: clerk}", "{model: cl‸"))
    uri = client.open(project / "m.adk.yaml", text)
    offered = client.at("completion", uri, line, character)
    assert [item["label"] for item in offered["items"]] == ["clerk"]
    edit = offered["items"][0]["textEdit"]
    assert applied(text, [edit]).split("\n")[line] == "  support: {model: clerk"


@pytest.mark.slow
def test_completion_inside_the_configuration_after_astral_characters(client: Client, project: Path) -> None:
    client.initialize()
    text, line, character = _at(TEXT.replace('{text: "Hello 😀"}', '{text: "Hello 😀", whe‸}'))
    uri = client.open(project / "m.adk.yaml", text)
    offered = client.at("completion", uri, line, character)
    (item,) = [item for item in offered["items"] if item["label"] == "when"]
    assert "when: }" in applied(text, [item["textEdit"]]).split("\n")[line]


def test_findings_in_other_files_are_published_there_and_taken_back(client: Client, project: Path) -> None:
    (project / "own.py").write_text(CODE.replace("after_model(self, ctx, value)", "after_model(self)"))
    client.initialize()
    uri, code = client.open(project / "m.adk.yaml"), (project / "own.py").as_uri()
    (found,) = client.findings(code)
    assert found["code"] == "ADK211"
    assert found["relatedInformation"][0]["location"]["uri"] == uri
    (project / "own.py").write_text(CODE)
    client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": code, "type": 2}]})
    assert client.findings(code) == []
    client.change(uri, TEXT.replace("own:Mask", "own:Gone"), 2)
    assert _codes(client.findings(uri, 2)) == ["ADK207"]
    client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    assert client.findings(uri) == []


@pytest.mark.slow
def test_a_layer_that_is_open_counts_as_it_stands_in_the_editor(client: Client, project: Path) -> None:
    head, _, rest = TEXT.partition("models:\n")
    (project / "base.adk.yaml").write_text(f"{head}models: {{}}\n")
    client.initialize()
    models = rest.partition("agents:")[0]
    client.open(project / "base.adk.yaml", f"{head}models:\n{models}")
    uri = client.open(project / "m.adk.yaml", f"{head}extends: base.adk.yaml\nagents:{rest.partition('agents:')[2]}")
    assert _codes(client.findings(uri)) == []


@pytest.mark.slow
def test_only_the_newest_of_many_versions_is_checked(client: Client, project: Path) -> None:
    client.initialize()
    uri = client.open(project / "m.adk.yaml")
    for version in range(2, 200):
        client.change(uri, f"{TEXT}# {version}\n" if version % 2 else WRONG, version)
    client.change(uri, WRONG, 200)
    assert _codes(client.findings(uri, 200)) == ["ADK110"]
    published = [m for m in client.received if m.get("method") == "textDocument/publishDiagnostics"]
    assert len(published) < 10


@pytest.mark.slow
def test_files_that_are_not_ours_are_left_alone(client: Client, project: Path) -> None:
    client.initialize()
    uri = client.open(project / "other.yaml", "a: [1, 2]\nb: {c: d}\n")
    assert client.findings(uri) == []
    assert client.at("hover", uri, 0, 0) is None
    assert client.at("completion", uri, 0, 0) is None
    named = client.open(project / "named.yaml", WRONG)
    assert _codes(client.findings(named)) == ["ADK110"]
    client.open(Path("/nowhere"), "x")
    client.notify(
        "textDocument/didOpen",
        {"textDocument": {"uri": "untitled:x", "languageId": "yaml", "version": 1, "text": WRONG}},
    )
    assert client.at("hover", "untitled:x", 0, 0) is None


@pytest.mark.slow
def test_the_client_is_asked_to_watch_files(client: Client, project: Path) -> None:
    client.initialize({"workspace": {"didChangeWatchedFiles": {"dynamicRegistration": True}}})
    uri = client.open(project / "m.adk.yaml")
    client.findings(uri)
    (asked,) = [m for m in client.received if m.get("method") == "client/registerCapability"]
    assert asked["params"]["registrations"][0]["method"] == "workspace/didChangeWatchedFiles"


HOSTILE: dict[str, bytes] = {
    "no JSON": b"{",
    "no UTF-8": b"\xff\xfe",
    "a list": b"[1]",
    "a number": b"1",
    "no version": b'{"id": 1, "method": "x"}',
    "a nest": b'{"jsonrpc": "2.0", "id": 1, "method": "x", "params": ' + b"[" * 50_000 + b"]" * 50_000 + b"}",
    "an unknown notification": b'{"jsonrpc": "2.0", "method": "nothing/known", "params": {}}',
    "an answer to nothing": b'{"jsonrpc": "2.0", "id": 77, "result": 1}',
    "an error to nothing": b'{"jsonrpc": "2.0", "id": 77, "error": {"code": 1, "message": "x"}}',
    "a strange id": b'{"jsonrpc": "2.0", "id": [1], "method": "textDocument/hover", "params": {}}',
    "a change of what is not open": b'{"jsonrpc": "2.0", "method": "textDocument/didChange", "params": '
    b'{"textDocument": {"uri": "file:///x", "version": 1}, "contentChanges": [{"text": "a"}]}}',
    "a close of what is not open": b'{"jsonrpc": "2.0", "method": "textDocument/didClose", "params": '
    b'{"textDocument": {"uri": "file:///x"}}}',
    "a broken URI": b'{"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": '
    b'{"uri": "file://[::1", "languageId": "yaml", "version": 1, "text": "a"}}}',
    "half a surrogate": b'{"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": '
    b'{"uri": "file:///x.adk.yaml", "languageId": "yaml", "version": 1, "text": "a: \\ud800"}}}',
    "a cancellation of nothing": b'{"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": 99}}',
}


@pytest.mark.parametrize("early", [False, True], ids=["after hello", "before hello"])
def test_any_message_is_survived(client: Client, project: Path, early: bool) -> None:
    if not early:
        client.initialize()
    for body in HOSTILE.values():
        client.send_bytes(body)
    client.send_raw(b"nonsense\r\n\r\nContent-Length: x\r\n\r\n")
    if early:
        client.initialize()
    uri = client.open(project / "m.adk.yaml", WRONG)
    assert _codes(client.findings(uri)) == ["ADK110"]
    assert client.end() == 0
    assert "Traceback" not in json.dumps(client.received) + client.stderr()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("nothing/known", {}),
        ("textDocument/hover", {"textDocument": 1}),
        ("textDocument/completion", None),
        ("workspace/executeCommand", {"command": "nothing"}),
        ("initialize", {"capabilities": 3}),
    ],
)
def test_a_request_that_can_t_be_served_gets_an_error_without_a_traceback(
    client: Client, method: str, params: Any
) -> None:
    client.initialize()
    answer = client.answer(method, params)
    assert set(answer["error"]) <= {"code", "message", "data"}
    assert "Traceback" not in json.dumps(answer)
    assert client.end() == 0


@pytest.mark.slow
@pytest.mark.parametrize("place", [(0, 10**9), (10**9, 0), (2**31 - 1, 2**31 - 1)])
def test_places_outside_the_text_are_answered(client: Client, project: Path, place: tuple[int, int]) -> None:
    client.initialize()
    uri = client.open(project / "m.adk.yaml")
    for method in ("hover", "definition", "completion"):
        client.at(method, uri, *place)
    span = {"start": {"line": place[0], "character": place[1]}, "end": {"line": place[0], "character": place[1]}}
    given = {"textDocument": {"uri": uri}, "range": span, "context": {"diagnostics": []}}
    assert client.request("textDocument/codeAction", given) == []


@pytest.mark.slow
def test_a_text_beyond_the_limits_is_refused_quickly(client: Client, project: Path) -> None:
    client.initialize()
    uri = client.open(project / "m.adk.yaml", TEXT + "# " + "x" * 2_000_000)
    assert _codes(client.findings(uri)) == ["ADK016"]
    assert client.at("completion", uri, 3, 0) == {"isIncomplete": False, "items": []}


@pytest.mark.slow
def test_requests_are_answered_in_time_while_a_large_text_is_compiled(client: Client, project: Path) -> None:
    client.initialize()
    tools = "".join(f"  t{n}: {{use: 'python:own:f{n}', timeout_ms: {n + 1}}}\n" for n in range(2000))
    uri = client.open(project / "m.adk.yaml", f"{TEXT}tools:\n{tools}")
    assert client.answer("nothing/known", {})["error"]["code"] == -32601
    assert [m for m in client.received if m.get("method") == "textDocument/publishDiagnostics"] == []
    assert len(client.findings(uri)) > 100


def test_the_server_ends_with_its_stream(client: Client, project: Path) -> None:
    client.initialize()
    client.open(project / "m.adk.yaml", WRONG)
    assert client.process.stdin is not None
    client.process.stdin.close()
    assert client.process.wait(30) == 0
    assert client.stderr() == ""


@pytest.mark.slow
def test_an_exit_without_a_shutdown_is_told_apart(client: Client) -> None:
    client.initialize()
    client.notify("exit", None)
    assert client.process.wait(30) == 1


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_at_once(client: Client, number: signal.Signals) -> None:
    client.initialize()
    client.process.send_signal(number)
    assert client.process.wait(30) == -number


@pytest.mark.slow
def test_a_defect_is_logged_and_the_server_goes_on(project: Path, tmp_path: Path) -> None:
    broken = (
        "import adk_decl.lsp.server as server\n"
        "def fail(*given):\n    raise RuntimeError('SECRET')\n"
        "server.hover = fail\n"
        "from adk_decl.cli.main import main\nraise SystemExit(main(['lsp']))\n"
    )
    with Client([sys.executable, "-c", broken], cwd=project) as client:
        client.initialize()
        uri = client.open(project / "m.adk.yaml", WRONG)
        assert client.at("hover", uri, 0, 0) is None
        assert client.end() == 0
        said = [m["params"]["message"] for m in client.received if m.get("method") == "window/logMessage"]
        assert len(said) == 1
        assert "RuntimeError" in said[0]
        assert "SECRET" not in json.dumps(client.received)
