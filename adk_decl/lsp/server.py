"""The language server: takes what an editor sends, compiles in a thread, answers. The only file that knows pygls.

One thread does all the work, one piece after the other, so that nothing of the compiler is used twice at once and
reading the next message never waits. A text that changes is compiled once it rests, and only its newest version.
Whatever a client sends, it gets an answer without a traceback, and the server goes on.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, BinaryIO, TypeVar, cast

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol

from adk_decl.editor.actions import Action, fix_all, quick_fixes, silences
from adk_decl.editor.complete import complete
from adk_decl.editor.definition import Target, definition_at
from adk_decl.editor.hover import hover
from adk_decl.editor.manifest import Manifest
from adk_decl.editor.positions import Encoding, Lines
from adk_decl.lsp import convert
from adk_decl.lsp.documents import Analysis, Documents, Open, analyse, is_ours
from adk_decl.plan.limits import LIMITS
from adk_decl.version import VERSION

NAME = "adk-decl"

_REST_S = LIMITS["editor.rest_ms"].default / 1000
_TRIGGERS = [":", ".", '"', "'", "[", "{", "="]
_WATCHED = ("**/*.py", "**/*.yaml", "**/*.yml", "**/*.toml", "**/*.json")
_REFUSALS = {-32601: "there is no such method", -32602: "the parameters are not valid", -32800: "cancelled"}
_T = TypeVar("_T")


def serve(stdin: BinaryIO, stdout: BinaryIO, report: Callable[[BaseException], str]) -> bool:
    """Serve one client until it says `exit` or its stream ends. Whether that was in order: `shutdown` before `exit`.

    `report` is told of every defect of the server and returns one line for the client's log.
    """
    server = Server(report)
    server.run(stdin, stdout)
    return server.ended_in_order


class _Protocol(LanguageServerProtocol):
    """Answers each request, also one that can't be understood, and never with the text of an exception."""

    def structure_message(self, data: dict[str, Any]) -> Any:
        try:
            return super().structure_message(data)
        except JsonRpcException:
            if "method" in data and isinstance(data.get("id"), int | str):
                self._send_response(data["id"], error=types.ResponseError(-32602, ""))
            raise

    def _send_response(self, msg_id: Any, result: Any = None, error: types.ResponseError | None = None) -> None:
        # pygls puts the traceback into what it answers; there is no other place where that can be kept back.
        if error is not None:
            error = types.ResponseError(error.code, _REFUSALS.get(error.code, "the request could not be answered"))
        super()._send_response(msg_id, result, error)


class _Quiet(LanguageServer):
    """A server that keeps what went wrong with a message to itself: the client can't mend it."""

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Say nothing: a request was answered already, and nobody waits for more."""


class Server:
    """The open documents of one client and the answers about them."""

    def __init__(self, report: Callable[[BaseException], str]) -> None:
        self.ended_in_order = True
        self._report = report
        self._documents = Documents()
        self._resting: dict[str, asyncio.Task[None]] = {}
        self._work = ThreadPoolExecutor(1, thread_name_prefix="adk-decl-compile")
        self._shut_down = False
        self._pygls = _Quiet(NAME, VERSION, types.TextDocumentSyncKind.Full, protocol_cls=_Protocol)
        self._register()

    def run(self, stdin: BinaryIO, stdout: BinaryIO) -> None:
        """Read messages until `exit` or the end of the stream."""
        logger = logging.getLogger("pygls")
        logger.addHandler(logging.NullHandler())
        logger.propagate = False
        try:
            self._pygls.start_io(stdin, stdout)
        finally:
            self._work.shutdown(wait=False, cancel_futures=True)

    def _register(self) -> None:
        # These two are plain functions: `exit` has to end the reading before the next message is waited for.
        self._pygls.feature(types.SHUTDOWN)(lambda params: self._shutdown())
        self._pygls.feature(types.EXIT)(lambda params: self._exit())
        self._on(types.INITIALIZED, self._initialized)
        self._on(types.TEXT_DOCUMENT_DID_OPEN, self._opened)
        self._on(types.TEXT_DOCUMENT_DID_CHANGE, self._changed)
        self._on(types.TEXT_DOCUMENT_DID_SAVE, self._saved)
        self._on(types.TEXT_DOCUMENT_DID_CLOSE, self._closed)
        self._on(types.WORKSPACE_DID_CHANGE_WATCHED_FILES, self._saved)
        self._on(types.TEXT_DOCUMENT_HOVER, self._hover)
        self._on(types.TEXT_DOCUMENT_DEFINITION, self._definition)
        self._on(
            types.TEXT_DOCUMENT_COMPLETION, self._completion, types.CompletionOptions(trigger_characters=_TRIGGERS)
        )
        kinds = [types.CodeActionKind.QuickFix, convert.FIX_ALL]
        self._on(types.TEXT_DOCUMENT_CODE_ACTION, self._actions, types.CodeActionOptions(code_action_kinds=kinds))

    def _on(self, method: str, handler: Callable[[Any], Awaitable[Any]], options: Any = None) -> None:
        async def guarded(params: Any) -> Any:
            try:
                return await handler(params)
            except Exception as error:  # noqa: BLE001 - whatever went wrong, the client gets an answer
                self._defect(error)
                return None

        self._pygls.feature(method, options)(guarded)

    def _defect(self, error: BaseException) -> None:
        line = self._report(error)
        self._pygls.window_log_message(types.LogMessageParams(types.MessageType.Error, line))

    # What the client tells.

    async def _initialized(self, params: Any) -> None:
        workspace = self._pygls.client_capabilities.workspace
        watched = workspace.did_change_watched_files if workspace is not None else None
        if watched is None or not watched.dynamic_registration:
            return
        options = types.DidChangeWatchedFilesRegistrationOptions([types.FileSystemWatcher(glob) for glob in _WATCHED])
        registration = types.Registration("watched", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options)
        self._pygls.client_register_capability(types.RegistrationParams([registration]))

    def _shutdown(self) -> None:
        self._shut_down = True

    def _exit(self) -> None:
        self.ended_in_order = self._shut_down

    async def _opened(self, params: types.DidOpenTextDocumentParams) -> None:
        given = params.text_document
        if self._documents.open(given.uri, given.text, given.version) is not None:
            self._check_soon(given.uri, 0)

    async def _changed(self, params: types.DidChangeTextDocumentParams) -> None:
        # The client was asked for whole texts, so the last change holds all of it.
        given = params.text_document
        if params.content_changes and self._documents.change(
            given.uri, params.content_changes[-1].text, given.version or 0
        ):
            self._check_soon(given.uri, _REST_S)

    async def _saved(self, params: Any) -> None:
        """A file changed on the disk: any open manifest may depend on it."""
        for each in self._documents.all():
            each.analysis = None
            self._check_soon(each.uri, 0)

    async def _closed(self, params: types.DidCloseTextDocumentParams) -> None:
        uri = params.text_document.uri
        resting = self._resting.pop(uri, None)
        if resting is not None:
            resting.cancel()
        self._publish(self._documents.close(uri))

    # Findings.

    def _check_soon(self, uri: str, delay_s: float) -> None:
        before = self._resting.get(uri)
        if before is not None:
            before.cancel()
        task = self._resting[uri] = asyncio.create_task(self._check(uri, delay_s))
        task.add_done_callback(lambda done: self._resting.pop(uri, None) if self._resting.get(uri) is done else None)

    async def _check(self, uri: str, delay_s: float) -> None:
        try:
            await asyncio.sleep(delay_s)
            opened = self._documents.get(uri)
            if opened is None:
                return
            analysis = await self._analysis(opened)
            if self._documents.get(uri) is opened and opened.version == analysis.version:
                self._publish(self._documents.tell(uri, analysis))
        except Exception as error:  # noqa: BLE001 - nobody waits for this task
            self._defect(error)

    async def _analysis(self, opened: Open) -> Analysis:
        """What a compile of the newest version finds; kept until the text changes or a file does."""
        if opened.analysis is not None and opened.analysis.version == opened.version:
            return opened.analysis
        given = (opened.path, opened.text, opened.version, self._documents.texts())
        analysis = await self._in_thread(lambda: analyse(*given))
        if opened.version == analysis.version:
            opened.analysis = analysis
        return analysis

    def _publish(self, findings: dict[str, Any]) -> None:
        places = self._places()
        for uri, found in findings.items():
            opened = self._documents.get(uri)
            self._pygls.text_document_publish_diagnostics(
                types.PublishDiagnosticsParams(
                    uri,
                    [convert.diagnostic(each, places) for each in found],
                    version=opened.given_version if opened is not None else None,
                )
            )

    # What the client asks.

    async def _hover(self, params: types.HoverParams) -> types.Hover | None:
        opened = self._ours(params.text_document.uri)
        if opened is None:
            return None
        analysis = opened.analysis
        fresh = analysis is not None and analysis.version == opened.version
        own = [each for each in analysis.findings if each.span.file == analysis.file] if analysis and fresh else []
        found = await self._at(opened, params.position, lambda m, line, column: hover(m, line, column, own))
        if found is None:
            return None
        places = self._places({found.span.file: opened.text} if found.span is not None else {})
        return convert.hover(found.text, places.range(found.span) if found.span is not None else None)

    async def _definition(self, params: types.DefinitionParams) -> types.Location | None:
        opened = self._ours(params.text_document.uri)
        target = await self._at(opened, params.position, definition_at) if opened is not None else None
        if target is None:
            return None
        return types.Location(self._documents.uri(target.path), self._target_range(target))

    async def _completion(self, params: types.CompletionParams) -> types.CompletionList | None:
        opened = self._ours(params.text_document.uri)
        if opened is None:
            return None
        lines = Lines(opened.text, self._encoding)
        line, _ = lines.place(convert.position(params.position))
        return convert.completion(await self._at(opened, params.position, complete), line, lines)

    async def _actions(self, params: types.CodeActionParams) -> list[types.CodeAction] | None:
        opened = self._ours(params.text_document.uri)
        if opened is None:
            return None
        analysis = await self._analysis(opened)
        if analysis.version != opened.version:
            return None
        lines = Lines(opened.text, self._encoding)
        start, end = (lines.place(convert.position(each)) for each in (params.range.start, params.range.end))
        text = opened.text
        found = await self._in_thread(lambda: _offered(analysis, text, start, end))
        places = self._places(analysis.sources)
        actions = [convert.code_action(each, places, versioned=self._takes_versions()) for each in found]
        only = params.context.only
        return [each for each in actions if only is None or any(_is_kind(each.kind, kind) for kind in only)]

    # Means.

    def _ours(self, uri: str) -> Open | None:
        opened = self._documents.get(uri)
        return opened if opened is not None and is_ours(opened.path, opened.text) else None

    async def _at(self, opened: Open, position: types.Position, ask: Callable[[Manifest, int, int], _T]) -> _T:
        """Ask something about a place of the newest text, in the thread."""
        line, column = Lines(opened.text, self._encoding).place(convert.position(position))
        path, text, last, texts = opened.path, opened.text, opened.tree, self._documents.texts()

        def work() -> tuple[Manifest, _T]:
            manifest = Manifest(path, text, line=line, last=last, texts=texts)
            return manifest, ask(manifest, line, column)

        manifest, answer = await self._in_thread(work)
        if manifest.is_exact:
            opened.tree = manifest.document
        return answer

    async def _in_thread(self, work: Callable[[], _T]) -> _T:
        return await asyncio.get_running_loop().run_in_executor(self._work, work)

    def _places(self, sources: Any = None) -> convert.Places:
        given = sources if sources is not None else {}
        folder = os.getcwd()
        return convert.Places(
            lambda shown: given.get(shown) or self._documents.source(shown),
            lambda shown: self._documents.uri(os.path.normpath(os.path.join(folder, shown))),
            self._encoding,
            self._documents.versions(),
        )

    def _target_range(self, target: Target) -> types.Range:
        places = self._places({target.span.file: target.text or ""})
        return places.range(target.span)

    @property
    def _encoding(self) -> Encoding:
        found = self._pygls.workspace.position_encoding
        return cast("Encoding", getattr(found, "value", found) or "utf-16")

    def _takes_versions(self) -> bool:
        workspace = self._pygls.client_capabilities.workspace
        edit = workspace.workspace_edit if workspace is not None else None
        return bool(edit is not None and edit.document_changes)


def _offered(analysis: Analysis, text: str, start: tuple[int, int], end: tuple[int, int]) -> list[Action]:
    findings, file = analysis.findings, analysis.file
    every = fix_all(findings, file)
    return [
        *quick_fixes(findings, file, start, end),
        *silences(findings, file, text, start, end),
        *([every] if every is not None else []),
    ]


def _is_kind(kind: Any, wanted: Any) -> bool:
    """Whether a kind is the wanted one or lies below it: `source.fixAll.adkDecl` below `source.fixAll`."""
    own, other = str(getattr(kind, "value", kind)), str(getattr(wanted, "value", wanted))
    return own == other or own.startswith(other + ".")
