"""The tool calls of one model response: admission, before_tool, the tools, on_tool_error, after_tool.

Neighbouring calls of tools that allow more than one call at once run together: their before-chains first, in call
order, then the tools, then the other chains in call order. A call of a tool with `max_concurrency: 1` runs alone.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Any, Protocol

from adk_decl.errors import PluginFailed
from adk_decl.json_schema import Problem
from adk_decl.plan.limits import LIMITS
from adk_decl.plan.model import ToolPlan
from adk_decl.plugins.context import Meta
from adk_decl.runtime.lifecycle import Around, Entered, Lifecycle
from adk_decl.tools.context import ToolFacts
from adk_decl.tools.problems import arguments_error
from adk_decl.values.content import ToolCallPart, ToolError
from adk_decl.values.payload import Payload
from adk_decl.values.phase_values import ToolCall, ToolResult
from adk_decl.wire import replace


class ToolCaller(Protocol):
    """Checks and executes tool calls; `adk_decl.tools.runner` has the real one."""

    def check_arguments(self, name: str, args: Mapping[str, Any]) -> list[Problem]:
        """What is wrong with the arguments of a known tool."""
        ...

    async def call(self, call: ToolCall, context: ToolFacts, *, deadline: float) -> ToolResult:
        """Execute a call. A failure is `ToolResult.error`."""
        ...


class Attempts:
    """Counts, per tool of one invocation, the model steps in a row in which it failed."""

    __slots__ = ("_counts", "_failed")

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        self._failed: dict[str, bool] = {}

    def note(self, tool: str, *, failed: bool) -> None:
        """A call of this step ended. Several failures in one step count once."""
        self._failed[tool] = self._failed.get(tool, False) or failed

    def current(self, tool: str) -> int:
        """The attempt that a failure in this step is, from 1."""
        return self._counts.get(tool, 0) + 1

    def end_step(self) -> None:
        """Settle the step: a tool that only succeeded starts anew."""
        for tool, failed in self._failed.items():
            self._counts[tool] = self._counts.get(tool, 0) + 1 if failed else 0
        self._failed.clear()


class _Pending:
    """One call on its way: what was admitted, and what the before-chain or the tool made of it."""

    __slots__ = ("call", "entered", "meta", "refused", "result")

    def __init__(self, call: ToolCall, meta: Meta) -> None:
        self.call = call
        self.meta = meta
        self.entered: Entered | None = None
        self.result: ToolResult | None = None
        self.refused = False


class ToolStep:
    """Runs the tool calls of the responses of one agent."""

    __slots__ = ("_around", "_attempts", "_caller", "_deadline", "_lifecycle", "_tools")

    def __init__(
        self, caller: ToolCaller, tools: Mapping[str, ToolPlan], lifecycle: Lifecycle, *, deadline: float
    ) -> None:
        self._caller = caller
        self._tools = tools
        self._lifecycle = lifecycle
        self._deadline = deadline
        self._attempts = Attempts()

    async def run(self, calls: Sequence[ToolCallPart], meta: Meta) -> AsyncGenerator[ToolResult, None]:
        """The results in call order, each as soon as it and all before it are there."""
        for segment in self._segments(calls):
            pending = [self._admit(part, meta) for part in segment]
            for one in pending:
                await self._before(one)
            await self._execute([one for one in pending if one.result is None])
            for one in pending:
                yield await self._after(one)
        self._attempts.end_step()

    def _segments(self, calls: Sequence[ToolCallPart]) -> list[list[ToolCallPart]]:
        segments: list[list[ToolCallPart]] = []
        parallel_before = False
        for part in calls:
            tool = self._tools.get(part.name)
            parallel = tool is not None and tool.max_concurrency > 1
            if not (parallel and parallel_before):
                segments.append([])
            segments[-1].append(part)
            parallel_before = parallel
        return segments

    def _admit(self, part: ToolCallPart, meta: Meta) -> _Pending:
        call = ToolCall(name=part.name, args=part.args, call_id=part.call_id)
        one = _Pending(call, replace(meta, tool=part.name, call_id=part.call_id))
        if (error := self._wrong_arguments(call)) is not None:
            one.refused = True
            one.result = _result(call, error)
        return one

    async def _before(self, one: _Pending) -> None:
        if one.refused:
            return
        around = _around(one.call)
        entered = one.entered = await self._lifecycle.enter(around, one.call, one.meta)
        if entered.outcome is not None:
            assert isinstance(entered.outcome, ToolResult)
            one.result = entered.outcome
            return
        assert isinstance(entered.value, ToolCall)
        one.call = entered.value
        if one.call.name not in self._tools:
            one.result = _result(one.call, ToolError(reason="tool_not_found", component="runner"))
        elif entered.amended and (error := self._wrong_arguments(one.call)) is not None:
            one.result = _result(one.call, replace(error, reason="invalid_plugin_amendment", component="plugin"))

    def _wrong_arguments(self, call: ToolCall) -> ToolError | None:
        tool = self._tools.get(call.name)
        problems = self._caller.check_arguments(call.name, call.args) if tool is not None else []
        return arguments_error(problems, tool) if problems and tool is not None else None

    async def _execute(self, pending: Sequence[_Pending]) -> None:
        gate = asyncio.Semaphore(LIMITS["run.parallel_tools"].default)

        async def execute(one: _Pending) -> None:
            async with gate:
                one.result = await self._caller.call(one.call, _facts(one.meta), deadline=self._deadline)

        if len(pending) == 1:
            await execute(pending[0])
            return
        async with asyncio.TaskGroup() as group:
            for one in pending:
                group.create_task(execute(one))

    async def _after(self, one: _Pending) -> ToolResult:
        assert one.result is not None
        if one.refused:
            return one.result
        failed = one.result.error is not None
        meta = one.meta
        if failed:
            meta = replace(meta, attempt=self._attempts.current(one.call.name))
        self._attempts.note(one.call.name, failed=failed)
        outcome = await self._lifecycle.leave(_around(one.call), one.result, meta)
        assert isinstance(outcome, ToolResult)
        return outcome


def _around(call: ToolCall) -> Around:
    """A closed plugin failure becomes the result of this call, and the run goes on."""

    def plugin_failed(error: PluginFailed) -> Payload:
        details = {"plugin_id": error.plugin_id, "hook": error.hook, "failure": error.failure}
        return _result(call, ToolError(reason=error.code, component="plugin", operation=error.hook, details=details))

    return Around(
        before="before_tool",
        after="after_tool",
        error="on_tool_error",
        is_error=lambda outcome: isinstance(outcome, ToolResult) and outcome.error is not None,
        plugin_failed=plugin_failed,
        after_errors=True,
        rescreened=True,
    )


def _facts(meta: Meta) -> ToolFacts:
    return ToolFacts(
        user_id=meta.user_id,
        session_id=meta.session_id,
        app_name=meta.app_name,
        invocation_id=meta.invocation_id,
    )


def _result(call: ToolCall, error: ToolError) -> ToolResult:
    return ToolResult(name=call.name, call_id=call.call_id, args=call.args, error=error)
