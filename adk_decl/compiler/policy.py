"""What an experienced operator would say in review: limits that can't work together, plugins that never run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from adk_decl.compiler.descriptors import Settled, SettledPlugin
from adk_decl.compiler.finding import Path, finding
from adk_decl.compiler.graph import AgentEntry, Graph, RunnerEntry
from adk_decl.compiler.policy_conditions import check_conditions
from adk_decl.compiler.policy_models import check_models, number
from adk_decl.compiler.tree import Tree
from adk_decl.diagnostics.diagnostic import DiagnosticBag, Label
from adk_decl.diagnostics.wording import quote
from adk_decl.plan.conditions import may_run, named_tools, runs_for_tool
from adk_decl.plan.dispatch import served_hook
from adk_decl.plan.limits import LIMITS
from adk_decl.plan.phases import PHASES, Phase
from adk_decl.syntax.document import Node


class _Step(NamedTuple):
    """One hook on the way through a phase. `plugin` is None for a local callback."""

    name: str
    timeout_ms: int
    plugin: SettledPlugin | None


Chains = dict[str, list[list[_Step]]]
"""By phase the ways through it: one, or in a tool phase as many as there are tools with a chain of their own."""


def check_policy(tree: Tree, graph: Graph, settled: Settled, bag: DiagnosticBag) -> None:
    """Reports ADK401, 404, 411 to 415 and 418 over a manifest whose parts are settled."""
    check_models(tree, graph, bag)
    check_conditions(tree, graph, settled, bag)
    for name, runner in graph.runners.items():
        _check_runner(tree, graph, settled, name, runner, bag)
    for name, plugins in settled.agents.items():
        if not any(runner.agent == name for runner in graph.runners.values()):
            _check_reach(tree, _chains((), plugins, {}, "declared", graph.agents[name]), bag)
    _check_sizes(tree, settled, bag)
    _check_runners_exist(tree, graph, bag)


def _check_runner(
    tree: Tree, graph: Graph, settled: Settled, name: str, runner: RunnerEntry, bag: DiagnosticBag
) -> None:
    agent = graph.agents.get(runner.agent or "")
    plugins = settled.agents.get(runner.agent or "", ())
    callbacks = _callbacks(tree, runner, agent.entry.node if agent is not None else None)
    order = tree.text(runner.entry.node, "plugin_order") or "declared"
    chains = _chains(settled.runners.get(name, ()), plugins, callbacks, order, agent)
    _check_reach(tree, chains, bag)
    limits = tree.child(runner.entry.node, "limits")
    place = tree.child(limits, "run_timeout_ms")
    if tree.stated(limits, "run_timeout_ms") and place is None:
        return
    run_ms = number(tree.value(place), LIMITS["run.run_timeout_ms"].default)
    if run_ms is None:
        return
    where = place if place is not None else runner.entry.key
    longer = _check_longer(tree, graph, runner, (*settled.runners.get(name, ()), *plugins), run_ms, where, bag)
    if not longer:
        _check_deadlines(tree, chains, run_ms, where, (*runner.entry.path, "limits", "run_timeout_ms"), bag)


def _callbacks(tree: Tree, runner: RunnerEntry, agent: Node | None) -> dict[str, int]:
    """The time of each local callback of an agent under a runner."""
    limits = tree.child(runner.entry.node, "local_callbacks")
    timeout_ms = tree.integer(limits, "timeout_ms") or LIMITS["callback.timeout_ms"].default
    stated = tree.entries(tree.child(agent, "callbacks"))
    return {key.text: timeout_ms for key, value in stated if key.text in PHASES and tree.usable(value)}


def _chains(
    runner: tuple[SettledPlugin, ...],
    agent: tuple[SettledPlugin, ...],
    callbacks: Mapping[str, int],
    order: str,
    entry: AgentEntry | None,
) -> Chains:
    """The hooks of each phase in their order, as `plan.dispatch` will make them."""
    chains: Chains = {}
    for name, phase in PHASES.items():
        if name == "on_error":
            continue
        scopes = (runner,) if phase.level in ("run", "event") else (runner, agent)
        chain = [
            _Step(plugin.descriptor.id, plugin.descriptor.timeout_ms, plugin)
            for scope in scopes
            for plugin in _sorted(scope, order)
            if served_hook(plugin.descriptor, name) and _applies(plugin, phase, entry)
        ]
        if name in callbacks and phase.level not in ("run", "event"):
            chain.append(_Step(name, callbacks[name], None))
        chain = chain[::-1] if order == "priority" and phase.direction == "after" else chain
        chains[name] = _for_tools(chain) if phase.level == "tool" else [chain]
    return chains


def _applies(plugin: SettledPlugin, phase: Phase, entry: AgentEntry | None) -> bool:
    """Whether the condition of a plugin may hold in a phase; where the agent is not known, a finding says so."""
    if entry is None:
        return True
    model = entry.model or ""
    return may_run(plugin.descriptor, phase, agent=entry.entry.name, model=model, tools=entry.tools)


def _for_tools(chain: list[_Step]) -> list[list[_Step]]:
    """The chains of a tool phase: one for each tool that a condition names, and one for all others."""
    tools = named_tools(step.plugin.descriptor for step in chain if step.plugin is not None)
    return [
        [step for step in chain if step.plugin is None or runs_for_tool(step.plugin.descriptor, tool)]
        for tool in (None, *tools)
    ]


def _sorted(plugins: tuple[SettledPlugin, ...], order: str) -> Iterator[SettledPlugin]:
    return iter(plugins if order == "declared" else sorted(plugins, key=lambda plugin: plugin.descriptor.priority))


def _check_deadlines(tree: Tree, chains: Chains, run_ms: int, where: Node, path: Path, bag: DiagnosticBag) -> None:
    """ADK401: the hooks of the longest phase may together take longer than the whole run."""
    ways = ((phase, chain) for phase, several in chains.items() for chain in several)
    phase, chain = max(ways, key=lambda way: sum(step.timeout_ms for step in way[1]))
    total = sum(step.timeout_ms for step in chain)
    if total <= run_ms:
        return
    parts = ", ".join(f"{quote(step.name)} {step.timeout_ms}" for step in chain[:8])
    more = f" and {len(chain) - 8} more" if len(chain) > 8 else ""
    bag.add(
        finding(
            "ADK401",
            f"the hooks of {phase} may take {total} ms, and the whole run {run_ms} ms",
            tree.span(where),
            path=path,
            label="shorter than one phase",
            notes=(f"in ms: {parts}{more}",),
            help="lower `timeout_ms` of the plugins, or raise `run_timeout_ms`",
        )
    )


def _check_longer(
    tree: Tree,
    graph: Graph,
    runner: RunnerEntry,
    plugins: tuple[SettledPlugin, ...],
    run_ms: int,
    where: Node,
    bag: DiagnosticBag,
) -> bool:
    """ADK411: a stated timeout of a plugin, tool or model that is longer than the run it is part of."""
    found = False
    for what, node in _stated_timeouts(tree, graph, runner, plugins):
        value = number(tree.value(node), None)
        if value is None or value <= run_ms:
            continue
        found = True
        bag.add(
            finding(
                "ADK411",
                f"the timeout of {what} is {value} ms, and a run of {quote(runner.entry.name)} ends after {run_ms} ms",
                tree.span(node),
                label="longer than the run",
                labels=(Label(span=tree.span(where), message="the run"),),
                help="lower it, or raise `run_timeout_ms`",
            )
        )
    return found


def _stated_timeouts(
    tree: Tree, graph: Graph, runner: RunnerEntry, plugins: tuple[SettledPlugin, ...]
) -> Iterator[tuple[str, Node]]:
    """What a run calls and each timeout that is written for it, once for each place."""
    defaults = tree.child(tree.child(runner.entry.node, "plugin_defaults"), "timeout_ms")
    if defaults is not None and any(plugin.given["timeout_ms"].node is defaults for plugin in plugins):
        yield "plugins by default", defaults
    for plugin in plugins:
        node = plugin.given["timeout_ms"].node
        if node is not None and node is not defaults:
            yield f"plugin {quote(plugin.descriptor.id)}", node
    agent = graph.agents.get(runner.agent or "")
    if agent is None:
        return
    callbacks = tree.child(tree.child(runner.entry.node, "local_callbacks"), "timeout_ms")
    if callbacks is not None and tree.stated(agent.entry.node, "callbacks"):
        yield "local callbacks", callbacks
    tools = [("tool", graph.tools.get(name)) for name in agent.tools]
    for what, entry in (*tools, ("model", graph.models.get(agent.model or ""))):
        node = tree.child(entry.node, "timeout_ms") if entry is not None else None
        if entry is not None and node is not None:
            yield f"{what} {quote(entry.name)}", node


def _check_reach(tree: Tree, chains: Chains, bag: DiagnosticBag) -> None:
    """ADK404: what stands after a hook that always returns never runs in that phase."""
    for phase, ways in chains.items():
        if PHASES[phase].notification:
            continue
        ends = [_end(chain, phase) for chain in ways]
        reached = {step.name for chain, end in zip(ways, ends, strict=True) for step in chain[:end]}
        told: set[str] = set()
        for chain, end in zip(ways, ends, strict=True):
            blocked = [step for step in chain[end:] if step.name not in reached]
            if blocked and blocked[0].name not in told:
                told.add(blocked[0].name)
                _tell_blocked(tree, phase, chain[end - 1], blocked, bag)


def _end(chain: list[_Step], phase: str) -> int:
    """How many steps of a chain can run: up to the first that always ends the phase."""
    for index, step in enumerate(chain, 1):
        plugin = step.plugin
        if plugin is not None and phase in plugin.returns and plugin.descriptor.mode == "intervene":
            return index
    return len(chain)


def _tell_blocked(tree: Tree, phase: str, last: _Step, blocked: list[_Step], bag: DiagnosticBag) -> None:
    plugin, after, rest = last.plugin, blocked[0], len(blocked) - 1
    assert plugin is not None
    node = after.plugin.place if after.plugin is not None else plugin.place
    never = f"{quote(after.name)} and {rest} more never see" if rest else f"{quote(after.name)} never sees"
    bag.add(
        finding(
            "ADK404",
            f"{never} {phase}: {quote(last.name)} always ends it",
            tree.span(node),
            path=after.plugin.use.path if after.plugin is not None else plugin.use.path,
            label="never runs in this phase" if after.plugin is not None else "always ends this phase",
            labels=(Label(span=tree.span(plugin.place), message="always ends this phase"),)
            if after.plugin is not None
            else (),
            help="put it before, or leave one of the two out",
        )
    )


def _check_sizes(tree: Tree, settled: Settled, bag: DiagnosticBag) -> None:
    """ADK415: a plugin configuration beyond its size."""
    from adk_decl.plan.canonical import canonical_json

    most = LIMITS["plugin.config_bytes"].maximum
    if not _may_exceed(tree.document.text, most):
        return
    for plugins in (*settled.runners.values(), *settled.agents.values()):
        for plugin in plugins:
            node = tree.child(plugin.use.source.node, "config")
            if node is not None and len(canonical_json(plugin.descriptor.config)) > most:
                message = f"the configuration of plugin {quote(plugin.descriptor.id)} is larger than {most} bytes"
                path = (*plugin.use.source.path, "config")
                key = plugin.use.source.node.key_node("config") or node
                help_text = "put large data into a file that the plugin reads"
                span = tree.span(key)
                bag.add(finding("ADK415", message, span, path=path, label="too large", help=help_text, mask=True))


def _may_exceed(text: str, most: int) -> bool:
    """A cheap upper bound for every part of a text: one character becomes at most six bytes of JSON."""
    return len(text) * 6 > most


def _check_runners_exist(tree: Tree, graph: Graph, bag: DiagnosticBag) -> None:
    """ADK413: without a runner nothing can be run by name."""
    if graph.runners or tree.stated(tree.root, "runners"):
        return
    place = tree.root.key_node("kind") or tree.root
    bag.add(
        finding(
            "ADK413",
            "this manifest has no runner",
            tree.span(place),
            label="nothing to run",
            help="add `runners:` with at least one runner and its agent",
        )
    )
