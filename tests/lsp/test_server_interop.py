"""The language server with the client of pygls, which takes every answer apart by the types of the protocol."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

from tests.compiler.project import BASE, write_files

pytest.importorskip("pygls")

from lsprotocol import types
from pygls.lsp.client import LanguageClient

_WAIT_S = 20


async def test_a_mistake_is_found_and_mended(tmp_path: Path) -> None:
    wrong = BASE.replace("agent: support", "agnet: support")
    write_files(tmp_path, {"m.adk.yaml": wrong})
    uri = (tmp_path / "m.adk.yaml").as_uri()
    client = LanguageClient("test", "1")
    published: asyncio.Queue[types.PublishDiagnosticsParams] = asyncio.Queue()
    client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(lambda params: published.put_nowait(params))
    await client.start_io(sys.executable, "-m", "adk_decl", "lsp", cwd=tmp_path)
    try:
        capabilities = types.ClientCapabilities()
        params = types.InitializeParams(capabilities=capabilities, root_uri=tmp_path.as_uri())
        hello = await asyncio.wait_for(client.initialize_async(params), _WAIT_S)
        assert hello.server_info is not None
        assert hello.server_info.name == "adk-decl"
        client.initialized(types.InitializedParams())
        item = types.TextDocumentItem(uri=uri, language_id="yaml", version=1, text=wrong)
        client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        (found,) = (await asyncio.wait_for(published.get(), _WAIT_S)).diagnostics
        assert (found.code, found.source) == ("ADK110", "adk-decl")

        document = types.TextDocumentIdentifier(uri)
        asked = types.CodeActionParams(document, found.range, types.CodeActionContext([found]))
        actions = await asyncio.wait_for(client.text_document_code_action_async(asked), _WAIT_S)
        assert actions
        first = actions[0]
        assert isinstance(first, types.CodeAction)
        assert first.edit is not None
        assert first.edit.changes is not None
        (edit,) = first.edit.changes[uri]
        line = wrong.split("\n")[edit.range.start.line]
        mended = line[: edit.range.start.character] + edit.new_text + line[edit.range.end.character :]
        change = types.TextDocumentContentChangeWholeDocument(wrong.replace(line, mended))
        changed = types.VersionedTextDocumentIdentifier(version=2, uri=uri)
        client.text_document_did_change(types.DidChangeTextDocumentParams(changed, [change]))
        after = await asyncio.wait_for(published.get(), _WAIT_S)
        assert (after.version, list(after.diagnostics)) == (2, [])

        place = types.Position(edit.range.start.line, edit.range.start.character + 1)
        shown = await asyncio.wait_for(client.text_document_hover_async(types.HoverParams(document, place)), _WAIT_S)
        assert isinstance(shown, types.Hover)
        offered = await asyncio.wait_for(
            client.text_document_completion_async(types.CompletionParams(document, types.Position(0, 0))), _WAIT_S
        )
        assert isinstance(offered, types.CompletionList)
        await asyncio.wait_for(client.shutdown_async(None), _WAIT_S)
    finally:
        client.exit(None)
        await asyncio.wait_for(client.stop(), _WAIT_S)  # type: ignore[no-untyped-call]
