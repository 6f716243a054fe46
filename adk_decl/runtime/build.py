"""Live objects from a plan: the only place where they are made.

What the environment and secrets give is resolved first, and every problem of that is collected into one
`StartError`. Then worker pool, tools, models and session store are opened; what was opened is closed in reverse
order, also when a later one fails.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack
from typing import Any

from adk_decl.errors import SessionStoreError, StartError
from adk_decl.isolation.breakers import BreakerExecutor
from adk_decl.isolation.domains import handler_specs as hook_specs
from adk_decl.isolation.executor import HookExecutor
from adk_decl.models.build import build_model
from adk_decl.models.protocol import Model
from adk_decl.plan.dispatch import DispatchTable, ToolChains, dispatch_table, tool_chains
from adk_decl.plan.domains import PROJECT, PROJECT_TOOLS, origin_of
from adk_decl.plan.frozen_json import thaw
from adk_decl.plan.limits import LIMITS
from adk_decl.plan.model import (
    AgentPlan,
    EnvText,
    Generation,
    ModelPlan,
    Plan,
    PluginDescriptor,
    RunnerPlan,
    SessionStorePlan,
    ToolPlan,
)
from adk_decl.plan.record import FrozenMap, Record
from adk_decl.plan.settings_table import state_folder
from adk_decl.runtime.debug_output import DebugOutput, debug_output
from adk_decl.runtime.lifecycle import ChainExecutor
from adk_decl.runtime.resolve import resolve, resolved_digest
from adk_decl.secret import SecretProblem, read_secret
from adk_decl.sessions.build import build_store
from adk_decl.sessions.memory import MemorySessionStore
from adk_decl.sessions.protocol import SessionStore
from adk_decl.settings import Settings, load_settings
from adk_decl.tools.runner import ToolRunner
from adk_decl.tools.runner import handler_specs as tool_specs
from adk_decl.values.content import GenerationSettings, ToolSpec
from adk_decl.workers.pool import WorkerPool
from adk_decl.workers.shared import shared_pool
from adk_decl.workers.spec import DomainSpec, HandlerSpec
from adk_decl.workers.system import system_facts, unenforced


class Reached(Record):
    """What one runner (or one direct prompt) reaches of a plan, all references to the environment filled in."""

    runner: RunnerPlan | None
    agent: AgentPlan
    model: ModelPlan
    tools: FrozenMap[ToolPlan]

    @property
    def descriptors(self) -> tuple[PluginDescriptor, ...]:
        """Every plugin and callback that may run."""
        runner_plugins = self.runner.plugins if self.runner is not None else ()
        return (*runner_plugins, *self.agent.plugins, *self.agent.callbacks.values())


class LiveAgent:
    """An agent ready to run; see `adk_decl.runtime.invocation.InvocationAgent`."""

    def __init__(self, reached: Reached, model: Model) -> None:
        agent, declared = reached.agent, reached.model
        self.name = agent.name
        self.model = model
        self.model_id = declared.name
        self.model_name = declared.model if isinstance(declared.model, str) else declared.name
        self.instruction = agent.instruction if isinstance(agent.instruction, str) else None
        self.tool_plans: dict[str, ToolPlan] = dict(reached.tools)
        self.tools = tuple(
            ToolSpec(name=tool.name, description=tool.description, parameters=thaw(tool.parameters))
            for tool in reached.tools.values()
        )
        self.generation = _generation(declared.generation, agent.generation)
        self.output_schema: dict[str, Any] | None = thaw(agent.output_schema)
        self.table: DispatchTable = dispatch_table(reached.runner, agent)
        self.tool_chains: ToolChains = tool_chains(self.table)


class Live:
    """What a runner holds while it is open."""

    def __init__(
        self,
        *,
        agent: LiveAgent,
        executor: ChainExecutor,
        tools: ToolRunner,
        store: SessionStore,
        resolved_digest: str,
        warnings: tuple[str, ...],
    ) -> None:
        self.agent = agent
        self.executor = executor
        self.tools = tools
        self.store = store
        self.resolved_digest = resolved_digest
        self.warnings = warnings


def reach(
    plan: Plan, agent_name: str, runner: RunnerPlan | None, environment: Mapping[str, str]
) -> tuple[Reached, str | None]:
    """What an agent reaches, resolved, and the API key of its model. Raises `StartError` with every problem."""
    reached, api_key, problems = look_up(plan, agent_name, runner, environment)
    if problems:
        raise StartError(problems)
    return reached, api_key


def look_up(
    plan: Plan, agent_name: str, runner: RunnerPlan | None, environment: Mapping[str, str]
) -> tuple[Reached, str | None, tuple[str, ...]]:
    """What an agent reaches, resolved as far as possible, the API key of its model, and every problem."""
    agent = plan.agents[agent_name]
    parts: dict[str, Any] = {f"agents/{agent_name}": agent, f"models/{agent.model}": plan.models[agent.model]}
    parts |= {f"tools/{name}": plan.tools[name] for name in agent.tools}
    if runner is not None:
        parts[f"runners/{runner.name}"] = runner
    problems: list[str] = [] if plan.verify() else ["the digest of the plan does not fit its content"]
    for pointer, part in parts.items():
        parts[pointer], found = resolve(part, environment, origins=plan.origins, pointer=f"/{pointer}")
        problems.extend(found)
    model: ModelPlan = parts[f"models/{agent.model}"]
    api_key = None
    if model.api_key is not None:
        try:
            api_key = read_secret(model.api_key, environment, plan.project_root).reveal()
        except SecretProblem as problem:
            origin = plan.origins.get(f"/models/{model.name}/api_key")
            place = (
                f"{origin.file}:{origin.line}:{origin.column}" if origin is not None else f"models.{model.name}.api_key"
            )
            problems.append(f"{place}: {problem}")
    tools = FrozenMap({name: parts[f"tools/{name}"] for name in agent.tools})
    resolved = parts[f"runners/{runner.name}"] if runner is not None else None
    reached = Reached(runner=resolved, agent=parts[f"agents/{agent_name}"], model=model, tools=tools)
    return reached, api_key, tuple(problems)


async def open_live(
    plan: Plan,
    reached: Reached,
    api_key: str | None,
    environment: Mapping[str, str],
    stack: AsyncExitStack,
    *,
    monotonic: Callable[[], float],
) -> Live:
    """Open everything; `stack` closes it. Raises `StartError`, or `UsageError` for a wrong setting.

    `monotonic` are the seconds that breakers go by.
    """
    settings = load_settings(environment)
    state = state_folder(environment)
    log_folder = os.path.join(state, "logs")
    debug = await stack.enter_async_context(debug_output(log_folder, enabled=settings.debug))
    pool = await _open_pool(plan, reached, settings, debug, stack)
    warnings = unenforced_here(reached, pool)
    show_exception = debug.show_exception if debug is not None else None
    tools = ToolRunner(
        reached.tools,
        pool,
        project_root=plan.project_root,
        code_roots=plan.code_roots,
        show_exception=show_exception,
    )
    await tools.open()
    stack.push_async_callback(tools.close)
    executor = HookExecutor(
        reached.descriptors,
        pool,
        max_input_bytes=_limit(reached, "max_plugin_input_bytes"),
        show_exception=show_exception,
    )
    await executor.open()
    stack.push_async_callback(executor.close)
    model = build_model(reached.model, api_key=api_key, project_root=plan.project_root)
    await model.open()
    stack.push_async_callback(model.close)
    store = _store(plan, reached, state)
    try:
        await store.open()
    except SessionStoreError as error:
        raise StartError((f"{error} ({error.code})",)) from None
    stack.push_async_callback(store.close)
    return Live(
        agent=LiveAgent(reached, model),
        executor=BreakerExecutor(executor, reached.descriptors, monotonic=monotonic),
        tools=tools,
        store=store,
        resolved_digest=resolved_digest(plan.digest, reached),
        warnings=warnings,
    )


async def _open_pool(
    plan: Plan, reached: Reached, settings: Settings, debug: DebugOutput | None, stack: AsyncExitStack
) -> WorkerPool | None:
    domains = domains_of(plan, reached.descriptors, reached.tools, debug=settings.debug)
    if not domains:
        return None
    key = f"{plan.digest}/{reached.runner.name if reached.runner else ''}/{reached.agent.name}"
    debug_fd = debug.fd if debug is not None else None
    return await stack.enter_async_context(shared_pool(key, domains, workers=settings.workers, debug_fd=debug_fd))


def domains_of(
    plan: Plan, descriptors: Sequence[PluginDescriptor], tools: Mapping[str, ToolPlan], *, debug: bool
) -> tuple[DomainSpec, ...]:
    """The trust domains that plugins, callbacks and tools need."""
    handlers: dict[str, list[HandlerSpec]] = {}
    for specs in (hook_specs(descriptors, debug=debug), tool_specs(tools, debug=debug)):
        for domain, spec in specs.items():
            handlers.setdefault(domain, []).append(spec)
    roots = tuple(os.path.join(plan.project_root, root) for root in plan.code_roots)
    return tuple(
        DomainSpec(
            name=name,
            import_paths=_import_paths(name, roots),
            handlers=tuple(specs),
            workers=LIMITS["run.parallel_tools"].default if name == PROJECT_TOOLS else 1,
        )
        for name, specs in handlers.items()
    )


def _import_paths(domain: str, roots: tuple[str, ...]) -> tuple[str, ...]:
    """Only the project's own domains see the project's code."""
    return roots if origin_of(domain) == PROJECT else ()


def unenforced_here(reached: Reached, pool: WorkerPool | None) -> tuple[str, ...]:
    """What is not enforced here. A limit that the manifest states itself refuses the run, unless it says `warn`."""
    sentences = unenforced(system_facts(), pool.enforced if pool is not None else None)
    memory = [s for s in sentences if "max_heap_mib" in s]
    declared = [p.id for p in reached.descriptors if p.heap_declared and p.isolation == "worker"]
    declared += [t.name for t in reached.tools.values() if t.heap_declared and t.isolation == "worker"]
    may_warn = reached.runner is not None and reached.runner.unenforced == "warn"
    if memory and declared and not may_warn:
        raise StartError(
            (
                f"{memory[0]}, and the manifest states it for {', '.join(declared)}: "
                "leave it out there, or say `unenforced: warn` in the runner",
            )
        )
    return sentences


def _store(plan: Plan, reached: Reached, state: str) -> SessionStore:
    if reached.runner is None:
        return MemorySessionStore()
    declared = reached.runner.session_store
    path = store_path(plan, declared, state)
    return build_store(declared if declared.path is None else declared.replace(path=path), default_path=path)


def store_path(plan: Plan, declared: SessionStorePlan, state: str) -> str:
    """Where the sessions of a resolved store are: a relative path is one from the project root."""
    if isinstance(declared.path, str):
        return os.path.join(plan.project_root, declared.path)
    return os.path.join(state, plan.name, "sessions.db")


def _limit(reached: Reached, name: str) -> int:
    if reached.runner is None:
        return LIMITS[f"run.{name}"].default
    value = getattr(reached.runner.limits, name)
    assert isinstance(value, int)
    return value


def limits_of(reached: Reached) -> dict[str, int]:
    """The limits of a run by name; those of a direct prompt are the defaults."""
    names = ("run_timeout_ms", "max_model_calls", "max_tool_calls", "notify_timeout_ms")
    return {name: _limit(reached, name) for name in names}


def _generation(model: Generation, agent: Generation) -> GenerationSettings:
    """The agent's settings, and where it says nothing those of its model."""

    def pick(values: Iterable[Any]) -> Any:
        return next((value for value in values if value is not None and not isinstance(value, EnvText)), None)

    return GenerationSettings(
        temperature=pick((agent.temperature, model.temperature)),
        top_p=pick((agent.top_p, model.top_p)),
        max_output_tokens=pick((agent.max_output_tokens, model.max_output_tokens)),
        stop=agent.stop or model.stop,
        seed=pick((agent.seed, model.seed)),
    )
