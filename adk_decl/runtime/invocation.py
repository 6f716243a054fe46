"""One invocation: from the message of a user to the final event, with every phase of the run."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Protocol

from adk_decl.errors import LimitReached, RunError, RunTimeout
from adk_decl.models.protocol import Model
from adk_decl.plan.dispatch import DispatchTable, ToolChains
from adk_decl.plan.model import ToolPlan
from adk_decl.plugins.context import Meta
from adk_decl.runtime.agent_turn import AgentTurn, Budget, TurnAgent
from adk_decl.runtime.clock import Clock
from adk_decl.runtime.events import USER_AUTHOR, EventFactory, conversation
from adk_decl.runtime.failures import failure_of
from adk_decl.runtime.lifecycle import Around, ChainExecutor, Lifecycle
from adk_decl.runtime.model_step import ModelStep
from adk_decl.runtime.result import PhaseRecord
from adk_decl.runtime.structured import checked_output
from adk_decl.runtime.tool_step import ToolCaller, ToolStep
from adk_decl.sessions.protocol import SessionKey, SessionStore
from adk_decl.values.content import Message
from adk_decl.values.phase_values import Content, Event, UserMessage
from adk_decl.wire import replace

AGENT = Around(before="before_agent", after="after_agent")


class InvocationAgent(TurnAgent, Protocol):
    """An agent with its live model, tools and dispatch table."""

    model_id: str
    model: Model
    tool_plans: dict[str, ToolPlan]
    table: DispatchTable
    tool_chains: ToolChains


class InvocationLimits:
    """The bounds of one run, resolved."""

    __slots__ = ("max_model_calls", "max_tool_calls", "notify_timeout_ms", "run_timeout_ms")

    def __init__(
        self, *, run_timeout_ms: int, max_model_calls: int, max_tool_calls: int, notify_timeout_ms: int
    ) -> None:
        self.run_timeout_ms = run_timeout_ms
        self.max_model_calls = max_model_calls
        self.max_tool_calls = max_tool_calls
        self.notify_timeout_ms = notify_timeout_ms


class Invocation:
    """Runs one message through one agent. `deliver` takes each stored event, `trace` each phase that ran."""

    def __init__(
        self,
        *,
        agent: InvocationAgent,
        executor: ChainExecutor,
        tools: ToolCaller,
        store: SessionStore,
        key: SessionKey,
        meta: Meta,
        limits: InvocationLimits,
        clock: Clock,
        stream: bool,
        deliver: Callable[[Event], Awaitable[None]],
        trace: Callable[[PhaseRecord], None],
    ) -> None:
        self._clock = clock
        self._limits = limits
        self.deadline = clock.monotonic() + limits.run_timeout_ms / 1000
        self._agent = agent
        self._store = store
        self._key = key
        self._meta = meta
        self._agent_meta = replace(meta, agent=agent.name, model=agent.model_id)
        self._deliver = deliver
        self._factory = EventFactory(meta.invocation_id, clock)
        self._history: list[Message] = []
        self._in_agent = False
        self.lifecycle = Lifecycle(executor, agent.table, agent.tool_chains, deadline=self.deadline, sink=trace)
        self.budget = Budget(max_model_calls=limits.max_model_calls, max_tool_calls=limits.max_tool_calls)
        self._turn = AgentTurn(
            agent,
            lifecycle=self.lifecycle,
            model_step=ModelStep(agent.model, self.lifecycle, run_id=meta.run_id, deadline=self.deadline),
            tool_step=ToolStep(tools, agent.tool_plans, self.lifecycle, deadline=self.deadline),
            budget=self.budget,
            factory=self._factory,
            publish=self._publish,
            stream=stream,
        )

    async def run(self, message: UserMessage) -> tuple[Content, Any]:
        """The final content, and its decoded JSON where the agent has an output schema (else its text).

        Raises `RunError` or `CancelledError` after the notifications have been delivered.
        """
        try:
            async with asyncio.timeout(self.deadline - self._clock.monotonic()) as limit:
                final, output = await self._run(message)
        except TimeoutError:
            if not limit.expired():
                raise
            timeout = RunTimeout(self._limits.run_timeout_ms)
            await self._tell_ended(timeout)
            raise timeout from None
        except asyncio.CancelledError as cancelled:
            await self._tell_ended(cancelled)
            raise
        except RunError as error:
            await self._tell_run_error(error, deadline=self._last_deadline())
            raise
        # The answer is stored and delivered: nothing that a notification does makes the run fail any more.
        await self.lifecycle.notify("after_run", final, self._meta, deadline=self._last_deadline())
        return final, output

    async def _run(self, message: UserMessage) -> tuple[Content, Any]:
        final = await self._admit(message)
        if final is None:
            final = await self._work()
        output = checked_output(final, self._agent.output_schema)
        event = self._factory.make(self._agent.name, final.parts, is_final=True)
        stored = await self._publish(event)
        return Content(parts=stored.content), output

    async def _admit(self, message: UserMessage) -> Content | None:
        """The phases before anything is stored; final content when a plugin answered in place of the agent."""
        for phase in ("on_user_message", "before_run"):
            result = await self.lifecycle.decide(phase, message, self._meta)
            if result is None:
                continue
            if isinstance(result.value, Content):
                return result.value
            assert isinstance(result.value, UserMessage)
            message = result.value
        past = conversation(await self._store.events(self._key), ended=True)
        event = await self._publish(self._factory.make(USER_AUTHOR, message.parts))
        self._history = [*past, *conversation([event])]
        return None

    async def _work(self) -> Content:
        """The agent with its phases."""
        asked = self._history[-1]
        entered = await self.lifecycle.enter(AGENT, UserMessage(parts=asked.parts), self._agent_meta)
        outcome = entered.outcome
        if outcome is None:
            assert isinstance(entered.value, UserMessage)
            self._history[-1] = replace(asked, parts=entered.value.parts)
            self._in_agent = True
            outcome = await self._turn.run(self._history, self._agent_meta)
            self._in_agent = False
        final = await self.lifecycle.leave(AGENT, outcome, self._agent_meta)
        assert isinstance(final, Content)
        return final

    async def _publish(self, event: Event) -> Event:
        """`on_event`, then store, then deliver; a chunk of a stream is not stored."""
        meta = replace(self._meta, event_author=event.author, event_final=event.is_final)
        result = await self.lifecycle.decide("on_event", event, meta)
        if result is not None:
            assert isinstance(result.value, Event)
            event = result.value
        if not event.partial:
            await self._store.append(self._key, event)
        await self._deliver(event)
        return event

    def _last_deadline(self) -> float:
        """The end of the notifications of a run that ended by itself: its own, or later when little of it is left."""
        return max(self.deadline, self._clock.monotonic() + self._limits.notify_timeout_ms / 1000)

    async def _tell_ended(self, error: BaseException) -> None:
        """Notifications after a timeout or a cancellation, within a deadline of their own."""
        seconds = self._limits.notify_timeout_ms / 1000
        deadline = self._clock.monotonic() + seconds
        try:
            async with asyncio.timeout(seconds):
                if self._in_agent:
                    await self._turn.tell_error(error, self._agent_meta, deadline=deadline)
                await self._tell_run_error(error, deadline=deadline)
        except TimeoutError:
            self.lifecycle.warnings.append("notifications did not end within notify_timeout_ms")

    async def _tell_run_error(self, error: BaseException, *, deadline: float) -> None:
        operation = "limit" if isinstance(error, LimitReached) else "run"
        failure = failure_of(error, self._meta, component="runner", operation=operation)
        await self.lifecycle.notify("on_run_error", failure, self._meta, deadline=deadline)
