"""Conditions of plugins (`when`) that make no sense where the plugin stands: ADK418."""

from __future__ import annotations

from collections.abc import Mapping

from adk_decl.compiler.descriptors import Settled, SettledPlugin
from adk_decl.compiler.finding import finding
from adk_decl.compiler.graph import AgentEntry, Graph
from adk_decl.compiler.tree import Tree
from adk_decl.diagnostics.diagnostic import DiagnosticBag, Label
from adk_decl.diagnostics.wording import listed, quote
from adk_decl.plan.conditions import INSIDE_AGENT
from adk_decl.plan.dispatch import served_hook
from adk_decl.plan.phases import PHASES

_LEVELS: Mapping[str, frozenset[str]] = {
    "agents": INSIDE_AGENT,
    "models": frozenset({"model"}),
    "tools": frozenset({"tool"}),
}
"""The levels of the phases that each condition limits."""
_WHERE = {"agents": "inside an agent", "models": "of a model call", "tools": "of a tool call"}


def check_conditions(tree: Tree, graph: Graph, settled: Settled, bag: DiagnosticBag) -> None:
    """Reports ADK418 once for each place where a plugin stands and each condition."""
    for name, runner in graph.runners.items():
        agent = graph.agents.get(runner.agent or "")
        for plugin in settled.runners.get(name, ()) if agent is not None else ():
            _check(tree, graph, plugin, f"runner {quote(name)}", agent, bag)
    for name, plugins in settled.agents.items():
        for plugin in plugins:
            _check(tree, graph, plugin, f"agent {quote(name)}", graph.agents[name], bag)


def _check(
    tree: Tree, graph: Graph, plugin: SettledPlugin, where: str, agent: AgentEntry | None, bag: DiagnosticBag
) -> None:
    when = plugin.descriptor.when
    if when is None or agent is None:
        return
    there = {"agents": (agent.entry.name,), "models": (agent.model,) if agent.model else None, "tools": agent.tools}
    for key, levels in _LEVELS.items():
        wanted, known = getattr(when, key), there[key]
        if wanted is None or known is None or _has_finding(tree, graph, agent, key, wanted):
            continue
        if not any(_serves(plugin, phase) for phase in PHASES if PHASES[phase].level in levels):
            _tell(
                tree,
                plugin,
                key,
                f"plugin {quote(plugin.descriptor.id)} serves no phase {_WHERE[key]}",
                "limits nothing",
                bag,
            )
        elif not set(wanted) & set(known):
            met = f"{key} of {where}: {listed(known)}" if known else f"{where} has no {key}"
            _tell(
                tree,
                plugin,
                key,
                f"plugin {quote(plugin.descriptor.id)} never runs for its `{key}`: {met}",
                "never holds",
                bag,
            )


def _has_finding(tree: Tree, graph: Graph, agent: AgentEntry, key: str, wanted: tuple[str, ...]) -> bool:
    """Whether names on either side are not known, because of another finding."""
    defined: Mapping[str, object] = getattr(graph, key)
    lost = key == "tools" and not agent.tools and tree.lost(agent.entry.node, "tools")
    return lost or not all(name in defined for name in wanted)


def _serves(plugin: SettledPlugin, phase: str) -> bool:
    return phase != "on_error" and served_hook(plugin.descriptor, phase) is not None


def _tell(tree: Tree, plugin: SettledPlugin, key: str, message: str, label: str, bag: DiagnosticBag) -> None:
    source = plugin.use.source
    condition = tree.child(tree.child(source.node, "when"), key)
    assert condition is not None
    labels = (Label(span=tree.span(plugin.place), message="used here"),) if plugin.place is not source.anchor else ()
    bag.add(
        finding(
            "ADK418",
            message,
            tree.span(condition),
            path=(*source.path, "when", key),
            label=label,
            labels=labels,
            help=f"mend `{key}`, or leave it out",
        )
    )
