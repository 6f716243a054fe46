"""Doubles of the runtime's seams: an executor whose plugins are functions, tools that are functions, a fixed clock."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from adk_decl.errors import PluginFailed, PluginHalted
from adk_decl.json_schema import Problem
from adk_decl.models.script import Reply, When
from adk_decl.models.scripted import ScriptedModel
from adk_decl.plan.dispatch import dispatch_table, tool_chains
from adk_decl.plan.limits import LIMITS
from adk_decl.plan.model import (
    AgentPlan,
    CodeRef,
    Generation,
    PluginDescriptor,
    RunLimits,
    RunnerPlan,
    SessionStorePlan,
    ToolPlan,
)
from adk_decl.plan.phases import PHASES, Phase
from adk_decl.plan.record import EMPTY_MAP, FrozenMap
from adk_decl.plugins.context import Meta
from adk_decl.plugins.outcomes import Amend, Halt, Outcome, Return
from adk_decl.plugins.trace import PhaseResult, TraceEntry
from adk_decl.runtime.clock import SystemClock
from adk_decl.runtime.invocation import Invocation, InvocationLimits
from adk_decl.runtime.result import PhaseRecord
from adk_decl.sessions.memory import MemorySessionStore
from adk_decl.sessions.protocol import SessionKey
from adk_decl.tools.context import ToolFacts
from adk_decl.values.content import GenerationSettings, Text, ToolCallPart, ToolError, ToolSpec
from adk_decl.values.payload import Payload
from adk_decl.values.phase_values import Content, Event, ToolCall, ToolResult, UserMessage

Hook = Callable[[Meta, Any], Outcome | Awaitable[Outcome | None] | None]
Hooks = Mapping[str, Hook]
KEY = SessionKey(app_name="app", user_id="u", session_id="s")
META = Meta(run_id="run-1", invocation_id="inv-1", session_id="s", user_id="u", app_name="app", agent="helper")


_PHASES = tuple(name for name in PHASES if name != "on_error")


class Crash(Exception):
    """What a hook of a test raises to fail."""


class FunctionExecutor:
    """Runs chains of functions in this process, without limits; `log` has every hook that was called."""

    def __init__(self, plugins: Mapping[str, Hooks], log: list[str] | None = None) -> None:
        self._plugins = plugins
        self.log = log if log is not None else []
        self.metas: list[Meta] = []
        self.deadlines: list[float | None] = []
        self.values: list[tuple[str, Payload]] = []

    async def run_chain(
        self,
        phase: Phase,
        chain: tuple[PluginDescriptor, ...],
        meta: Meta,
        value: Payload,
        *,
        deadline: float | None = None,
    ) -> PhaseResult:
        """One phase."""
        trace: list[TraceEntry] = []
        changed = False
        for index, plugin in enumerate(chain):
            self.log.append(f"{plugin.id}:{phase.name}")
            self.metas.append(meta)
            self.deadlines.append(deadline)
            self.values.append((phase.name, value))

            def note(outcome: str, plugin: PluginDescriptor = plugin, index: int = index) -> None:
                trace.append(
                    TraceEntry(
                        plugin_id=plugin.id,
                        hook=phase.name,
                        mode=plugin.mode,
                        outcome=outcome,
                        index=index,
                        policy=plugin.failure_policy,
                    )
                )

            try:
                outcome = self._plugins[plugin.id][phase.name](meta, value)
                if isinstance(outcome, Awaitable):
                    outcome = await outcome
            except Crash:
                note("exception")
                if plugin.failure_policy == "closed" and not phase.notification:
                    error = PluginFailed(plugin.id, phase.name, "exception")
                    return PhaseResult(disposition="failed", value=value, trace=tuple(trace), error=error)
                continue
            if isinstance(outcome, Amend):
                note("amended")
                value = outcome.value if outcome.value is not None else value.replace(**outcome.fields)
                changed = True
            elif isinstance(outcome, Return):
                note("returned")
                return PhaseResult(disposition="returned", value=outcome.value, trace=tuple(trace))
            elif isinstance(outcome, Halt):
                note("halted")
                halted = PluginHalted(plugin.id, phase.name, outcome.reason)
                return PhaseResult(disposition="halted", value=value, trace=tuple(trace), error=halted)
            else:
                note("observed")
        return PhaseResult(disposition="amended" if changed else "continue", value=value, trace=tuple(trace))


class FunctionTools:
    """Tools that are functions of their arguments; raising `Crash` fails the call."""

    def __init__(self, tools: Mapping[str, Callable[..., Any]], log: list[str]) -> None:
        self._tools = tools
        self._log = log
        self.running = 0
        self.most_running = 0

    def check_arguments(self, name: str, args: Mapping[str, Any]) -> list[Problem]:
        """An argument called `bad` fits no tool."""
        return (
            [Problem(path=("bad",), keyword="additionalProperties", message="no such argument")]
            if "bad" in args
            else []
        )

    async def call(self, call: ToolCall, context: ToolFacts, *, deadline: float) -> ToolResult:
        """Call the function."""
        self._log.append(f"T:{call.call_id or call.name}")
        self.running += 1
        self.most_running = max(self.most_running, self.running)
        try:
            result = self._tools[call.name](**call.args)
            if asyncio.iscoroutine(result):
                result = await result
            return ToolResult(name=call.name, call_id=call.call_id, args=call.args, result=result)
        except Crash:
            error = ToolError(reason="Crash", error_class="exception")
            return ToolResult(name=call.name, call_id=call.call_id, args=call.args, error=error)
        finally:
            self.running -= 1


def descriptor(plugin_id: str, hooks: tuple[str, ...], *, policy: str = "open", **fields: Any) -> PluginDescriptor:
    """A descriptor with the defaults of the product."""
    return PluginDescriptor(
        id=plugin_id,
        use=plugin_id,
        code=CodeRef(module="m", attribute="P"),
        domain="project",
        mode=fields.pop("mode", "intervene"),
        failure_policy="closed" if policy == "closed" else "open",
        timeout_ms=LIMITS["plugin.timeout_ms"].default,
        max_heap_mib=LIMITS["plugin.max_heap_mib"].default,
        max_result_bytes=LIMITS["plugin.max_result_bytes"].default,
        hooks=hooks,
        **fields,
    )


def tool(name: str, *, max_concurrency: int = 4) -> ToolPlan:
    """A declared tool."""
    return ToolPlan(
        name=name,
        description=name,
        code=CodeRef(module="m", attribute=name),
        domain="project",
        parameters=FrozenMap({"type": "object"}),
        parameters_declared=True,
        context_parameter=None,
        is_async=False,
        isolation="worker",
        timeout_ms=1000,
        max_heap_mib=64,
        heap_declared=False,
        max_concurrency=max_concurrency,
        idempotent=False,
    )


def says(text: str, **when: Any) -> Reply:
    """A reply of the scripted model."""
    return Reply(text=text, when=When(**when) if when else None)


class _Agent:
    def __init__(self, world: World) -> None:
        self.name = "helper"
        self.model = world.model
        self.model_id = "scripted"
        self.model_name = "scripted"
        self.instruction: str | None = "Help."
        self.tool_plans = {t.name: t for t in world.tools}
        self.tools = tuple(ToolSpec(name=t.name) for t in world.tools)
        self.generation = GenerationSettings()
        self.output_schema = world.output_schema
        self.table = dispatch_table(world.runner, world.agent)
        self.tool_chains = tool_chains(self.table)


class World:
    """One runner with functions for plugins, callbacks and tools; `log` has everything in order."""

    def __init__(
        self,
        *replies: Reply,
        plugins: Mapping[str, Hooks] | None = None,
        closed: tuple[str, ...] = (),
        guards: tuple[str, ...] = (),
        agent_plugins: Mapping[str, Hooks] | None = None,
        callbacks: Hooks | None = None,
        tools: tuple[ToolPlan, ...] = (),
        functions: Mapping[str, Callable[..., Any]] | None = None,
        order: str = "declared",
        priorities: Mapping[str, int] | None = None,
        output_schema: dict[str, Any] | None = None,
        stream: bool = False,
        run_timeout_ms: int = 5000,
        max_model_calls: int = 8,
        max_tool_calls: int = 16,
    ) -> None:
        self.log: list[str] = []
        self.delivered: list[Event] = []
        self.records: list[PhaseRecord] = []
        self.model: Any = ScriptedModel(replies)
        self.tools = tools
        self.output_schema = output_schema
        plugins, agent_plugins = plugins or {}, agent_plugins or {}

        def describe(entries: Mapping[str, Hooks]) -> tuple[PluginDescriptor, ...]:
            return tuple(
                descriptor(
                    name,
                    tuple(hooks),
                    policy="closed" if name in closed else "open",
                    guard=name in guards,
                    priority=(priorities or {}).get(name, 0),
                )
                for name, hooks in entries.items()
            )

        local = {phase: descriptor(f"L.{phase}", (phase,), kind="callback") for phase in callbacks or {}}
        self.agent = AgentPlan(
            name="helper",
            description=None,
            model="scripted",
            instruction="Help.",
            tools=tuple(t.name for t in tools),
            output_schema=None,
            plugins=describe(agent_plugins),
            callbacks=FrozenMap(local),
            generation=Generation(),
        )
        self.runner = RunnerPlan(
            name="r",
            agent="helper",
            plugins=describe(plugins),
            plugin_order="priority" if order == "priority" else "declared",
            session_store=SessionStorePlan(use="memory", path=None, config=EMPTY_MAP),
            limits=RunLimits(
                run_timeout_ms=run_timeout_ms,
                max_model_calls=max_model_calls,
                max_tool_calls=max_tool_calls,
                max_plugin_input_bytes=LIMITS["run.max_plugin_input_bytes"].default,
                notify_timeout_ms=500,
            ),
            unenforced="refuse",
        )
        own = {f"L.{phase}": {phase: hook} for phase, hook in (callbacks or {}).items()}
        hooks = {**plugins, **agent_plugins, **own}
        self.executor = FunctionExecutor(hooks, self.log)
        self.function_tools = FunctionTools(functions or {}, self.log)
        self.store = MemorySessionStore()
        self.stream = stream
        self.limits = InvocationLimits(
            run_timeout_ms=run_timeout_ms,
            max_model_calls=max_model_calls,
            max_tool_calls=max_tool_calls,
            notify_timeout_ms=500,
        )
        self.invocation: Invocation | None = None

    async def deliver(self, event: Event) -> None:
        """Keep and log an event."""
        self.delivered.append(event)
        kind = "chunk" if event.partial else "final" if event.is_final else event.author
        self.log.append(f"P:{kind}")

    async def run(self, text: str = "hi") -> tuple[Content, Any]:
        """One message through the runner."""
        await self.store.open()
        self.invocation = Invocation(
            agent=_Agent(self),
            executor=self.executor,
            tools=self.function_tools,
            store=self.store,
            key=KEY,
            meta=META,
            limits=self.limits,
            clock=SystemClock(),
            stream=self.stream,
            deliver=self.deliver,
            trace=self.records.append,
        )
        return await self.invocation.run(UserMessage(parts=(Text(text),)))

    async def stored(self) -> list[str]:
        """Author and text of every stored event."""
        return [f"{event.author}: {event.text}" for event in await self.store.events(KEY)]


def calls(*parts: ToolCallPart) -> Reply:
    """A reply that asks for tools."""
    from adk_decl.models.script import ScriptedCall

    return Reply(tool_calls=tuple(ScriptedCall(name=p.name, args=p.args, call_id=p.call_id) for p in parts))


def call(name: str, call_id: str, **args: Any) -> ToolCallPart:
    """One tool call."""
    return ToolCallPart(name=name, args=args, call_id=call_id)


def spy(phases: tuple[str, ...] = _PHASES) -> Hooks:
    """Hooks that observe everything."""
    return {phase: lambda meta, value: None for phase in phases}


def crash(meta: Any, value: Any) -> None:
    """A hook that fails."""
    raise Crash


def text(value: str) -> tuple[Text, ...]:
    """Content of one text."""
    return (Text(value),)
