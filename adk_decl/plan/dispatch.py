"""Which plugins run in which phase, in which order: the precedence rule, once.

Before-phases run runner plugins, agent plugins, then the local callback. After-phases run the same order when
plugins are `declared`, and exactly the reverse under `priority`, so that plugins nest. A short-circuit ends the
list, so the three levels are one list. Conditions (`when`) are settled here, so that a plugin which does not apply
costs a run nothing.
"""

from __future__ import annotations

from adk_decl.plan.conditions import may_run, named_tools, runs_for_tool
from adk_decl.plan.model import AgentPlan, PluginDescriptor, RunnerPlan
from adk_decl.plan.phases import FALLBACK_PHASES, PHASES
from adk_decl.plan.record import EMPTY_MAP, FrozenMap

Chain = tuple[PluginDescriptor, ...]
DispatchTable = FrozenMap[Chain]
ToolChains = FrozenMap[FrozenMap[Chain]]
"""By phase and tool, the chains of the phases in which a condition names tools. "" has the chain of all other tools."""


def served_hook(plugin: PluginDescriptor, phase: str) -> str | None:
    """The hook with which a plugin serves a phase: its own, else the legacy fallback, else None."""
    if phase in plugin.hooks:
        return phase
    fallback = FALLBACK_PHASES.get(phase)
    return fallback if fallback is not None and fallback in plugin.hooks else None


def dispatch_table(runner: RunnerPlan | None, agent: AgentPlan) -> DispatchTable:
    """For every phase the plugins that serve it, in order. `runner` is None for a direct prompt.

    Agent plugins and local callbacks take no part in the phases of a run (`level` run or event). A plugin whose
    condition can't hold for this agent is left out; one that runs for some tools only is in the chain, and
    `tool_chains` says for which.
    """
    order = runner.plugin_order if runner is not None else "declared"
    global_plugins = _sorted(runner.plugins, order) if runner is not None else ()
    agent_plugins = _sorted(agent.plugins, order)
    table: dict[str, tuple[PluginDescriptor, ...]] = {}
    for name, phase in PHASES.items():
        if name == "on_error":
            continue
        plugins = global_plugins if phase.level in ("run", "event") else (*global_plugins, *agent_plugins)
        chain = [
            plugin
            for plugin in plugins
            if served_hook(plugin, name)
            and may_run(plugin, phase, agent=agent.name, model=agent.model, tools=agent.tools)
        ]
        if phase.level not in ("run", "event") and name in agent.callbacks:
            chain.append(_callback(agent.callbacks[name], runner))
        if order == "priority" and phase.direction == "after":
            chain.reverse()
        table[name] = tuple(chain)
    return FrozenMap(table)


def tool_chains(table: DispatchTable) -> ToolChains:
    """The chains of single tools, for the tool phases of a dispatch table in which conditions name tools."""
    found: dict[str, FrozenMap[Chain]] = {}
    for name, chain in table.items():
        tools = named_tools(chain) if PHASES[name].level == "tool" else ()
        if tools:
            found[name] = FrozenMap({tool: _for_tool(chain, tool) for tool in ("", *tools)})
    return FrozenMap(found) if found else EMPTY_MAP


def _for_tool(chain: Chain, tool: str) -> Chain:
    return tuple(plugin for plugin in chain if runs_for_tool(plugin, tool))


def _callback(callback: PluginDescriptor, runner: RunnerPlan | None) -> PluginDescriptor:
    """A local callback with the limits of the runner that it runs under."""
    limits = runner.local_callbacks if runner is not None else None
    if limits is None:
        return callback
    return callback.replace(**{name: getattr(limits, name) for name in limits._fields})


def _sorted(plugins: tuple[PluginDescriptor, ...], order: str) -> tuple[PluginDescriptor, ...]:
    if order == "declared":
        return plugins
    return tuple(sorted(plugins, key=lambda plugin: plugin.priority))
