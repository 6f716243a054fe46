"""The picture of a runner as data: what there is, in which trust domain it runs, and what follows what.

Nodes stand in the order of the plan and their ids count up, so that one plan has one picture. Names are kept as they
are; each format escapes them its own way (`adk_decl.plan.graph_text`).
"""

from __future__ import annotations

from typing import Any, Literal

from adk_decl.plan.canonical import to_plain
from adk_decl.plan.conditions import longest_ms, when_text
from adk_decl.plan.dispatch import dispatch_table
from adk_decl.plan.model import AgentPlan, Plan, PluginDescriptor, RunnerPlan, ToolPlan
from adk_decl.plan.record import Record
from adk_decl.plan.words import duration, text_of

GRAPH_FORMAT = 1

NodeKind = Literal["runner", "agent", "model", "tool", "session_store", "phase", "plugin", "callback"]
EdgeKind = Literal["runs", "asks", "calls", "stores", "starts", "next"]
HOST = "host"
"""The group of what runs in the process of the runner."""


class GraphNode(Record):
    """One thing. `group` is its trust domain, or `host`; `lines` are what is written into it.

    `mode`, `failure_policy` and `isolation` are empty for what is neither plugin, callback nor tool.
    """

    id: str
    kind: NodeKind
    name: str
    group: str
    lines: tuple[str, ...]
    mode: str = ""
    failure_policy: str = ""
    isolation: str = ""

    @property
    def guard(self) -> bool:
        """Whether this can change or stop a call, and ends it when it fails."""
        return self.mode == "intervene" and self.failure_policy == "closed"


class GraphEdge(Record):
    """An arrow between two nodes, by their ids. `label` is the phase and the position in it, or empty."""

    source: str
    target: str
    kind: EdgeKind
    label: str = ""


class PlanGraph(Record):
    """The picture of one runner: nodes, arrows and groups in the order in which they are drawn."""

    plan: str
    digest: str
    runner: str
    groups: tuple[str, ...]
    nodes: tuple[GraphNode, ...]
    edges: tuple[GraphEdge, ...]

    def to_json(self) -> dict[str, Any]:
        """Plain data with `format_version`."""
        return {"format_version": GRAPH_FORMAT, **{name: to_plain(getattr(self, name)) for name in self._fields}}


def plan_graph(plan: Plan, runner: RunnerPlan) -> PlanGraph:
    """What a runner runs: its agent, model, tools and sessions, and per phase its plugins in their order."""
    agent = plan.agents[runner.agent]
    builder = _Builder()
    builder.host(plan, runner, agent)
    for phase, chain in dispatch_table(runner, agent).items():
        if chain:
            builder.phase(phase, chain)
    groups = dict.fromkeys((HOST, *sorted({node.group for node in builder.nodes} - {HOST})))
    return PlanGraph(
        plan=plan.name,
        digest=plan.digest,
        runner=runner.name,
        groups=tuple(groups),
        nodes=tuple(builder.nodes),
        edges=tuple(builder.edges),
    )


class _Builder:
    """Collects nodes and arrows; a plugin is one node, however many phases it serves."""

    def __init__(self) -> None:
        self.nodes: list[GraphNode] = []
        self.edges: list[GraphEdge] = []
        self._plugins: dict[PluginDescriptor, str] = {}
        self._runner = ""

    def host(self, plan: Plan, runner: RunnerPlan, agent: AgentPlan) -> None:
        """The runner with its agent, model, sessions and tools."""
        model, store = plan.models[agent.model], runner.session_store
        self._runner = self._add("runner", runner.name, f"{duration(runner.limits.run_timeout_ms)} a run")
        helper = self._add("agent", agent.name)
        facts = [fact for fact in (model.use, text_of(model.model)) if fact]
        answering = self._add("model", model.name, " · ".join(facts))
        sessions = self._add("session_store", store.use)
        self._link(self._runner, helper, "runs")
        self._link(helper, answering, "asks")
        self._link(self._runner, sessions, "stores")
        for name in agent.tools:
            self._link(helper, self._tool(plan.tools[name]), "calls")

    def phase(self, phase: str, chain: tuple[PluginDescriptor, ...]) -> None:
        """One phase and the plugins that it goes through, in order."""
        last = self._add("phase", phase, f"at most {duration(longest_ms(chain))}")
        self._link(self._runner, last, "starts")
        for position, plugin in enumerate(chain, 1):
            following = self._plugin(plugin)
            self._link(last, following, "next", f"{phase} {position}")
            last = following

    def _tool(self, tool: ToolPlan) -> str:
        where = HOST if tool.isolation == "inline" else tool.domain
        lines = (f"{tool.isolation}, {duration(tool.timeout_ms)}",)
        return self._add("tool", tool.name, *lines, group=where, isolation=tool.isolation)

    def _plugin(self, plugin: PluginDescriptor) -> str:
        if plugin not in self._plugins:
            self._plugins[plugin] = self._add(
                plugin.kind,
                plugin.id,
                plugin.use,
                f"{plugin.mode}, {plugin.failure_policy}, {duration(plugin.timeout_ms)}",
                *([f"only {when_text(plugin.when)}"] if plugin.when is not None else []),
                group=HOST if plugin.isolation == "inline" else plugin.domain,
                mode=plugin.mode,
                failure_policy=plugin.failure_policy,
                isolation=plugin.isolation,
            )
        return self._plugins[plugin]

    def _add(
        self,
        kind: NodeKind,
        name: str,
        *lines: str,
        group: str = HOST,
        mode: str = "",
        failure_policy: str = "",
        isolation: str = "",
    ) -> str:
        node = GraphNode(
            id=f"n{len(self.nodes) + 1}",
            kind=kind,
            name=name,
            group=group,
            lines=lines,
            mode=mode,
            failure_policy=failure_policy,
            isolation=isolation,
        )
        self.nodes.append(node)
        return node.id

    def _link(self, source: str, target: str, kind: EdgeKind, label: str = "") -> None:
        self.edges.append(GraphEdge(source=source, target=target, kind=kind, label=label))
