"""Runs tool calls inside a worker. `prepare` is what the pool calls after the fork."""

from __future__ import annotations

import inspect
import time
import traceback
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from adk_decl.plan.model import CodeRef
from adk_decl.tools.arguments import binder
from adk_decl.tools.context import ToolContext
from adk_decl.tools.failure import ToolFailed, failed, raised
from adk_decl.tools.json_result import encode_result
from adk_decl.tools.load_function import LoadProblem, load_function
from adk_decl.tools.trip import EncodedReply, ToolReply, ToolRequest, ToolSetup
from adk_decl.values.content import ToolError
from adk_decl.wire import Raw, decoder, encode
from adk_decl.workers.spec import PrepareFailed, Problem

if TYPE_CHECKING:
    import asyncio

    from adk_decl.workers.spec import StepControl

_DONE = 0


def prepare(setup: bytes) -> ToolHandler:
    """The handler of all tools of one domain. Raises `PrepareFailed` with every function that can't be imported."""
    tools: dict[str, _Tool] = {}
    problems: list[Problem] = []
    for one in _decode_setup(setup):
        try:
            tools[one.name] = _Tool(one)
        except LoadProblem as problem:
            problems.append(Problem(subject=f"tool {one.name!r}", module=one.module, kind=problem.kind))
            if one.debug and problem.__cause__ is not None:
                traceback.print_exception(problem.__cause__)
    if problems:
        raise PrepareFailed(problems)
    return ToolHandler(tools)


class ToolHandler:
    """Answers calls of the tools of one domain, one at a time."""

    def __init__(self, tools: dict[str, _Tool]) -> None:
        self._tools = tools
        self._coroutines = _Coroutines()

    def __call__(self, body: bytes, steps: StepControl) -> bytes:
        """Run one call and return the encoded `ToolReply`; whatever the tool raises becomes its error."""
        request = _decode_request(body)
        tool = self._tools[request.name]
        error: ToolError
        steps.begin(0, heap_mib=tool.setup.max_heap_mib)
        try:
            return encode(EncodedReply(None, Raw(tool.run(request, self._coroutines))))
        except ToolFailed as failure:
            error = failure.error
            if tool.setup.debug and failure.__cause__ is not None:
                traceback.print_exception(failure.__cause__)
        except MemoryError:
            error = failed("heap_exceeded").error
            steps.retire()
        finally:
            steps.end()
            steps.mark(0, _DONE)
        return encode(ToolReply(error))

    def close(self) -> None:
        """The worker ends in good order."""
        self._coroutines.close()


class _Tool:
    """One imported function and how it is called."""

    def __init__(self, setup: ToolSetup) -> None:
        self.setup = setup
        self.function = load_function(CodeRef(module=setup.module, attribute=setup.attribute))
        self.bind = binder(self.function)

    def run(self, request: ToolRequest, coroutines: _Coroutines) -> bytes:
        """The encoded result. Raises `ToolFailed` and `MemoryError`."""
        arguments = self.bind(request.args)
        if self.setup.context_parameter is not None:
            arguments[self.setup.context_parameter] = self._context(request)
        try:
            result = self.function(**arguments)
            if inspect.iscoroutine(result):
                result = coroutines.run(result)
            return encode_result(result)
        except (MemoryError, ToolFailed):
            raise
        except BaseException as error:  # noqa: BLE001 - a tool may raise anything, also while its result is read
            raise raised(error)  # noqa: B904 - it carries its cause

    def _context(self, request: ToolRequest) -> ToolContext:
        left_ms = int((request.deadline - time.monotonic()) * 1000)
        return ToolContext(
            user_id=request.facts.user_id,
            session_id=request.facts.session_id,
            app_name=request.facts.app_name,
            invocation_id=request.facts.invocation_id,
            call_id=request.call_id,
            deadline_ms=max(0, min(request.timeout_ms, left_ms)),
            config=self.setup.config,
        )


class _Coroutines:
    """One event loop for all calls of a worker, so that what a tool keeps between calls stays usable."""

    def __init__(self) -> None:
        self._runner: asyncio.Runner | None = None

    def run(self, coroutine: Any) -> Any:
        """The coroutine's result. Tasks that it left behind are cancelled."""
        import asyncio

        if self._runner is None:
            self._runner = asyncio.Runner()
        return self._runner.run(_alone(coroutine))

    def close(self) -> None:
        """Close the loop, if there is one."""
        if self._runner is not None:
            self._runner.close()


async def _alone(coroutine: Any) -> Any:
    import asyncio

    try:
        return await coroutine
    finally:
        rest = asyncio.all_tasks() - {asyncio.current_task()}
        for task in rest:
            task.cancel()
        await asyncio.gather(*rest, return_exceptions=True)


_decode_setup: Callable[[bytes], list[ToolSetup]] = decoder(list[ToolSetup])
_decode_request: Callable[[bytes], ToolRequest] = decoder(ToolRequest)
