"""The runner: executes an agent under exactly one plan."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from contextlib import AsyncExitStack, suppress
from types import TracebackType
from typing import Any, Self

from adk_decl.errors import PluginHalted, RunError, RunTimeout, UsageError
from adk_decl.plan.limits import LIMITS
from adk_decl.plan.model import Plan, RunnerPlan
from adk_decl.plan.runner_choice import RunnerChoiceError, choose_runner
from adk_decl.plugins.context import Meta
from adk_decl.runtime.build import Live, Reached, limits_of, open_live, reach
from adk_decl.runtime.clock import Clock, SystemClock
from adk_decl.runtime.events import new_id
from adk_decl.runtime.invocation import Invocation, InvocationLimits
from adk_decl.runtime.own_loop import run_to_end
from adk_decl.runtime.result import RunResult, Status
from adk_decl.runtime.run import Outlet, Run
from adk_decl.sessions.protocol import SessionKey
from adk_decl.values.content import Text
from adk_decl.values.phase_values import UserMessage

DEFAULT_USER = "local"
LEASE_TTL_MS = 10_000
_MAX_ID_BYTES = 256


class Runner:
    """An async context manager that runs messages through one declared runner of a plan.

    `runner` may be left out when the plan has one or one called `default`. Entering it resolves the environment,
    starts workers and opens models and session store; it raises `StartError` with every problem found. Leaving it
    ends the runs that still go on and leaves no process behind. `environment` replaces `os.environ`.
    """

    def __init__(
        self,
        plan: Plan,
        runner: str | None = None,
        *,
        environment: Mapping[str, str] | None = None,
        clock: Clock | None = None,
    ) -> None:
        try:
            self._runner: RunnerPlan | None = choose_runner(plan, runner)
        except RunnerChoiceError as error:
            raise UsageError(str(error)) from None
        self._agent_name = self._runner.agent
        self._setup(plan, environment, clock)

    @classmethod
    def for_prompt(
        cls, plan: Plan, agent: str, *, environment: Mapping[str, str] | None = None, clock: Clock | None = None
    ) -> Self:
        """For direct prompts of one agent: its own plugins and callbacks, no runner plugins, no stored session."""
        if agent not in plan.agents:
            raise UsageError(f"there is no agent {agent!r}; the manifest defines {', '.join(sorted(plan.agents))}")
        self = cls.__new__(cls)
        self._runner = None
        self._agent_name = agent
        self._setup(plan, environment, clock)
        return self

    def _setup(self, plan: Plan, environment: Mapping[str, str] | None, clock: Clock | None) -> None:
        self.plan = plan
        self._environment = os.environ if environment is None else environment
        self._clock = clock or SystemClock()
        self._stack = AsyncExitStack()
        self._live: Live | None = None
        self._reached: Reached | None = None
        self._tasks: set[asyncio.Task[Any]] = set()

    async def __aenter__(self) -> Self:
        if self._live is not None:
            raise UsageError("the runner is open already")
        reached, api_key = reach(self.plan, self._agent_name, self._runner, self._environment)
        async with AsyncExitStack() as stack:
            self._live = await open_live(
                self.plan, reached, api_key, self._environment, stack, monotonic=self._clock.monotonic
            )
            self._stack = stack.pop_all()
        self._reached = reached
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """End all runs and release everything; safe to call twice."""
        for task in self._tasks:
            task.cancel()
        try:
            if self._tasks:
                await asyncio.wait(self._tasks)
        finally:
            self._live = None
            await self._stack.aclose()

    @property
    def warnings(self) -> tuple[str, ...]:
        """Complete sentences about limits that this system can't enforce."""
        return self._opened().warnings

    def run(
        self, message: str, *, user_id: str = DEFAULT_USER, session_id: str | None = None, stream: bool = False
    ) -> Run:
        """A run of one message; iterate it. A new session is made when `session_id` is None.

        With `stream` text comes in partial events too, held back where a plugin may still change it. Raises
        `UsageError` for a message over 1 MiB, or ids that are empty or over 256 bytes.
        """
        self._opened()
        if not isinstance(message, str):
            raise UsageError(f"a message is text, not {type(message).__name__}")
        if len(message.encode("utf-8", "replace")) > LIMITS["run.message_bytes"].default:
            raise UsageError(f"the message is larger than {LIMITS['run.message_bytes'].default} bytes")
        key = SessionKey(
            app_name=self.plan.name,
            user_id=_checked_id("user_id", user_id),
            session_id=_checked_id("session_id", new_id("session") if session_id is None else session_id),
        )
        text = message.encode("utf-8", "replace").decode()

        async def produce(outlet: Outlet) -> tuple[RunResult, RunError | None]:
            return await self._execute(text, key, outlet, stream=stream)

        return Run(key.session_id, produce, self._adopt)

    def _adopt(self, task: asyncio.Task[Any]) -> None:
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _opened(self) -> Live:
        if self._live is None:
            raise UsageError("the runner is not open: use it as `async with Runner(...) as runner`")
        return self._live

    async def _execute(
        self, message: str, key: SessionKey, outlet: Outlet, *, stream: bool
    ) -> tuple[RunResult, RunError | None]:
        live = self._opened()
        started = self._clock.monotonic()
        meta = Meta(
            run_id=new_id("run"),
            invocation_id=new_id("invocation"),
            session_id=key.session_id,
            user_id=key.user_id,
            app_name=key.app_name,
            agent=live.agent.name,
        )
        invocation = self._invocation(live, key, meta, outlet, stream=stream)
        answer: tuple[str | None, Any] = None, None
        error: RunError | None = None
        try:
            lease = await live.store.acquire(key, ttl_ms=LEASE_TTL_MS)
            try:
                content, output = await invocation.run(UserMessage(parts=(Text(message),)))
                answer = content.text, output
            finally:
                await asyncio.shield(lease.release())
        except RunError as caught:
            error = caught
        duration_ms = round((self._clock.monotonic() - started) * 1000)
        return self._result(live, invocation, meta, answer, error, duration_ms), error

    def _invocation(self, live: Live, key: SessionKey, meta: Meta, outlet: Outlet, *, stream: bool) -> Invocation:
        assert self._reached is not None
        return Invocation(
            agent=live.agent,
            executor=live.executor,
            tools=live.tools,
            store=live.store,
            key=key,
            meta=meta,
            limits=InvocationLimits(**limits_of(self._reached)),
            clock=self._clock,
            stream=stream,
            deliver=outlet.deliver,
            trace=outlet.trace,
        )

    def _result(
        self,
        live: Live,
        invocation: Invocation,
        meta: Meta,
        answer: tuple[str | None, Any],
        error: RunError | None,
        duration_ms: int,
    ) -> RunResult:
        budget, lifecycle = invocation.budget, invocation.lifecycle
        return RunResult(
            status=_status(error),
            output=answer[1],
            text=answer[0],
            error=error.to_dict() if error is not None else None,
            usage=budget.usage,
            model_calls=budget.model_calls,
            tool_calls=budget.tool_calls,
            warnings=(*live.warnings, *dict.fromkeys(lifecycle.warnings)),
            traces=tuple(lifecycle.records),
            traces_dropped=lifecycle.records_dropped,
            run_id=meta.run_id,
            invocation_id=meta.invocation_id,
            session_id=meta.session_id,
            user_id=meta.user_id,
            plan_digest=self.plan.digest,
            resolved_digest=live.resolved_digest,
            duration_ms=duration_ms,
        )


def run_sync(
    plan: Plan,
    runner: str | None = None,
    message: str = "",
    *,
    user_id: str = DEFAULT_USER,
    session_id: str | None = None,
) -> RunResult:
    """Run one message to its end in an event loop of its own.

    Raises `StartError` or the `RunError` that ended it, `UsageError` where an event loop runs already.
    """
    with suppress(RuntimeError):
        asyncio.get_running_loop()
        raise UsageError("an event loop is running here: `await runner.run(...).wait()` instead of run_sync")

    async def main() -> RunResult:
        async with Runner(plan, runner) as live:
            return await live.run(message, user_id=user_id, session_id=session_id).wait()

    return run_to_end(main())


async def prompt(plan: Plan, *, agent: str, message: str, user_id: str = DEFAULT_USER) -> RunResult:
    """Ask one agent directly: its own plugins and local callbacks run, runner plugins don't, nothing is stored.

    Raises `StartError` or the `RunError` that ended it.
    """
    async with Runner.for_prompt(plan, agent) as live:
        return await live.run(message, user_id=user_id).wait()


def _status(error: RunError | None) -> Status:
    if error is None:
        return "completed"
    if isinstance(error, PluginHalted):
        return "halted"
    return "timeout" if isinstance(error, RunTimeout) else "failed"


def _checked_id(name: str, value: str) -> str:
    if not value or len(value.encode("utf-8", "replace")) > _MAX_ID_BYTES or not value.isprintable():
        raise UsageError(f"{name} must be 1 to {_MAX_ID_BYTES} bytes of printable text")
    return value
