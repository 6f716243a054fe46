"""Runs tool calls: validated arguments; bounded time, memory, results and concurrency; failures as results."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from adk_decl.errors import StartError
from adk_decl.json_schema import Problem, UnusableSchema, Validator, validator
from adk_decl.plan.frozen_json import thaw
from adk_decl.plan.limits import LIMITS
from adk_decl.plan.model import ToolPlan
from adk_decl.tools.check_source import source_problem
from adk_decl.tools.context import ToolFacts
from adk_decl.tools.failure import ToolFailed, failed
from adk_decl.tools.inline import InlineTool
from adk_decl.tools.load_function import LoadProblem
from adk_decl.tools.problems import arguments_error
from adk_decl.tools.project_imports import ProjectImports
from adk_decl.tools.trip import HANDLER, REPLY_OVERHEAD_BYTES, ToolReply, ToolRequest, ToolSetup
from adk_decl.values.content import ToolError
from adk_decl.values.phase_values import ToolCall, ToolResult
from adk_decl.wire import WireError, decoder, encode
from adk_decl.workers.errors import CallFailed, failure_tag
from adk_decl.workers.spec import HandlerSpec


class Pool(Protocol):
    """The part of `adk_decl.workers.pool.WorkerPool` that tools need."""

    async def call(
        self,
        domain: str,
        handler: str,
        body: bytes,
        *,
        timeouts_ms: Sequence[int],
        start: int = 0,
        max_reply_bytes: int,
        deadline: float | None = None,
        wait_ms: int | None = None,
    ) -> bytes:
        """One call in a worker of `domain`. Raises `CallFailed`; cancelling it kills the worker."""
        ...


def handler_specs(tools: Mapping[str, ToolPlan], *, debug: bool = False) -> dict[str, HandlerSpec]:
    """For each trust domain, the handler of its tools that run in workers.

    With `debug` the traceback of a tool that raises is printed to the worker's stderr, which the pool connects.
    """
    by_domain: dict[str, list[ToolPlan]] = {}
    for tool in tools.values():
        if tool.isolation == "worker":
            by_domain.setdefault(tool.domain, []).append(tool)
    return {domain: _handler_spec(members, debug=debug) for domain, members in by_domain.items()}


class ToolRunner:
    """The tools of one runner. `pool` may be None when none of them runs in a worker.

    `code_roots` are the folders, relative to the project root or absolute, from which project code is imported.
    `show_exception` is given what an inline tool raised, for an author who debugs it; nothing else ever sees it.
    """

    def __init__(
        self,
        tools: Mapping[str, ToolPlan],
        pool: Pool | None,
        *,
        project_root: str,
        code_roots: Sequence[str],
        show_exception: Callable[[BaseException], None] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._show_exception = show_exception
        self._tools = dict(tools)
        self._pool = pool
        self._project_root = project_root
        self._imports = ProjectImports(project_root, code_roots)
        self._clock = clock
        self._validators: dict[str, Validator] = {}
        self._slots = {name: asyncio.Semaphore(tool.max_concurrency) for name, tool in tools.items()}
        self._inline: dict[str, InlineTool] = {}

    async def open(self) -> None:
        """Compare the code with the plan and import the inline tools. Raises `StartError` with every problem."""
        if any(tool.isolation == "inline" for tool in self._tools.values()):
            self._imports.enter()
        problems = [problem for tool in self._tools.values() if (problem := self._prepare(tool)) is not None]
        if problems:
            await self.close()
            raise StartError(tuple(problems))

    async def close(self) -> None:
        """Cancel inline calls that were left behind; safe to call twice."""
        for tool in self._inline.values():
            await tool.close()
        self._inline.clear()
        self._imports.leave()

    def check_arguments(self, name: str, args: Mapping[str, Any]) -> list[Problem]:
        """Where the arguments do not fit the tool's schema; none for a tool that does not exist."""
        check = self._validators.get(name)
        return check(args) if check is not None else []

    async def call(self, call: ToolCall, context: ToolFacts, *, deadline: float) -> ToolResult:
        """Run one call until `deadline` (a time of the clock, in seconds) at the latest.

        Raises nothing but cancellation: every failure is the result's `error`. A call that is cancelled has its
        worker killed.
        """
        started = self._clock()
        try:
            tool = self._admit(call)
            async with _slot(self._slots[call.name], deadline - self._clock()):
                started = self._clock()
                result = await self._run(tool, call, context, deadline)
            error = None
        except ToolFailed as failure:
            result, error = None, failure.error
            self._show(failure)
        except Exception:  # noqa: BLE001 - a defect of this module must not end the run with foreign text
            result, error = None, ToolError(reason="internal")
        elapsed_ms = int((self._clock() - started) * 1000)
        return ToolResult(call.name, call.call_id, call.args, result, error, elapsed_ms)

    def _prepare(self, tool: ToolPlan) -> str | None:
        """What keeps a tool from being called, as a sentence."""
        try:
            self._validators[tool.name] = validator(tool.parameters)
        except UnusableSchema as unusable:
            return f"tool `{tool.name}`: {unusable}"
        problem = source_problem(tool, self._imports.roots, self._project_root)
        if problem is None and tool.isolation == "inline":
            try:
                self._inline[tool.name] = InlineTool(tool, project_root=self._project_root)
            except LoadProblem as failure:
                self._show(failure)
                return f"tool `{tool.name}`: {failure}"
        return problem

    def _show(self, failure: ToolFailed | LoadProblem) -> None:
        if self._show_exception is not None and failure.__cause__ is not None:
            self._show_exception(failure.__cause__)

    def _admit(self, call: ToolCall) -> ToolPlan:
        tool = self._tools.get(call.name)
        if tool is None:
            raise failed("tool_not_found")
        problems = self._validators[call.name](call.args)
        if problems:
            raise ToolFailed(arguments_error(problems, tool))
        return tool

    async def _run(self, tool: ToolPlan, call: ToolCall, facts: ToolFacts, deadline: float) -> Any:
        left_ms = int((deadline - self._clock()) * 1000)
        if left_ms <= 0:
            raise failed("timeout")
        if tool.isolation == "inline":
            inline = self._inline[tool.name]
            return await inline.call(call.args, call.call_id, facts, timeout_ms=min(tool.timeout_ms, left_ms))
        return await self._in_a_worker(tool, call, facts, deadline)

    async def _in_a_worker(self, tool: ToolPlan, call: ToolCall, facts: ToolFacts, deadline: float) -> Any:
        assert self._pool is not None, "a tool with isolation: worker needs a pool"
        request = ToolRequest(tool.name, call.call_id, call.args, facts, tool.timeout_ms, deadline)
        try:
            reply = await self._pool.call(
                tool.domain,
                HANDLER,
                encode(request),
                timeouts_ms=(tool.timeout_ms,),
                max_reply_bytes=LIMITS["tool.max_result_bytes"].default + REPLY_OVERHEAD_BYTES,
                deadline=deadline,
                wait_ms=max(0, int((deadline - self._clock()) * 1000)),
            )
        except CallFailed as failure:
            raise failed(failure_tag(failure)) from None
        return _read_reply(reply)


def _handler_spec(tools: Sequence[ToolPlan], *, debug: bool) -> HandlerSpec:
    setups = [
        ToolSetup(
            name=tool.name,
            module=tool.code.module,
            attribute=tool.code.attribute,
            context_parameter=tool.context_parameter,
            max_heap_mib=tool.max_heap_mib,
            config=thaw(tool.config),
            debug=debug,
        )
        for tool in tools
    ]
    preload = [*(("asyncio",) if any(tool.is_async for tool in tools) else ()), *(tool.code.module for tool in tools)]
    return HandlerSpec(
        name=HANDLER, module="adk_decl.tools.worker_side", setup=encode(setups), preload=tuple(dict.fromkeys(preload))
    )


def _read_reply(reply: bytes) -> Any:
    try:
        answer = _decode_reply(reply)
    except (WireError, RecursionError, ValueError):
        raise failed("protocol_error") from None
    if answer.error is not None:
        raise ToolFailed(answer.error)
    return answer.result


class _slot:  # noqa: N801 - reads as a verb where it is used
    """A place of a semaphore for the length of a block. Raises `ToolFailed` with `timeout` when none frees in time."""

    def __init__(self, semaphore: asyncio.Semaphore, seconds: float) -> None:
        self._semaphore = semaphore
        self._seconds = seconds

    async def __aenter__(self) -> None:
        try:
            async with asyncio.timeout(max(self._seconds, 0)):
                await self._semaphore.acquire()
        except TimeoutError:
            raise failed("timeout") from None

    async def __aexit__(self, *_: object) -> None:
        self._semaphore.release()


_decode_reply: Callable[[bytes], ToolReply] = decoder(ToolReply)
