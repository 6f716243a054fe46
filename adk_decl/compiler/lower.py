"""Writes the plan: every name resolved, every default stated, every value frozen. Runs only without errors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar, cast

from adk_decl.compiler.bound import Configs
from adk_decl.compiler.context import Context
from adk_decl.compiler.descriptors import Settled, SettledPlugin
from adk_decl.compiler.graph import AgentEntry, Graph, RunnerEntry
from adk_decl.compiler.lower_model import generation, limit, lower_model, number, text_or_reference
from adk_decl.compiler.paths import data_path
from adk_decl.compiler.tree import Tree
from adk_decl.plan.frozen_json import FrozenJson, freeze
from adk_decl.plan.model import (
    AgentPlan,
    CallbackLimits,
    FailurePolicy,
    PlanBody,
    PluginOrder,
    RunLimits,
    RunnerPlan,
    SessionStorePlan,
    When,
)
from adk_decl.plan.record import EMPTY_MAP, FrozenMap
from adk_decl.syntax.document import Node

if TYPE_CHECKING:
    from adk_decl.compiler.code import Code

T = TypeVar("T")


class Lowered(NamedTuple):
    """The plan, and what states those of its values that stand elsewhere in the manifest: a node, or a layer."""

    body: PlanBody
    stated: dict[tuple[str, ...], Node | str]


class Parts(NamedTuple):
    """All that earlier passes found out."""

    tree: Tree
    graph: Graph
    code: Code | None
    configs: Configs
    settled: Settled
    output_schemas: Mapping[str, Any]


def lower(parts: Parts, context: Context) -> Lowered:
    """The body of the plan, sorted by name so that the order of the file does not count."""
    tree, graph = parts.tree, parts.graph
    body = PlanBody(
        api_version=tree.text(tree.root, "apiVersion") or "",
        name=tree.text(tree.root, "name") or "",
        description=tree.text(tree.root, "description"),
        models=_by_name({n: lower_model(tree, entry, parts.configs, context) for n, entry in graph.models.items()}),
        tools=_by_name(_tools(parts)),
        agents=_by_name({name: _agent(parts, name, agent) for name, agent in graph.agents.items()}),
        runners=_by_name({name: _runner(parts, context, name, runner) for name, runner in graph.runners.items()}),
    )
    return Lowered(body, _stated(parts))


def _by_name(entries: Mapping[str, T]) -> FrozenMap[T]:
    return FrozenMap({name: entries[name] for name in sorted(entries)})


def _tools(parts: Parts) -> dict[str, Any]:
    if parts.code is None:
        return {}
    from adk_decl.compiler.lower_tool import lower_tool

    tools = parts.graph.tools
    return {name: lower_tool(parts.tree, entry, parts.code.tools[name]) for name, entry in tools.items()}


def _agent(parts: Parts, name: str, agent: AgentEntry) -> AgentPlan:
    tree, node = parts.tree, agent.entry.node
    schema = parts.output_schemas.get(name)
    callbacks: FrozenMap[Any] = EMPTY_MAP
    if parts.code is not None:
        from adk_decl.compiler.lower_tool import lower_callbacks

        callbacks = lower_callbacks(name, parts.code)
    return AgentPlan(
        name=name,
        description=tree.text(node, "description"),
        model=agent.model or "",
        instruction=text_or_reference(tree, node, "instruction"),
        tools=agent.tools,
        output_schema=cast("FrozenMap[FrozenJson] | None", None if schema is None else freeze(schema)),
        plugins=tuple(plugin.descriptor for plugin in parts.settled.agents[name]),
        callbacks=callbacks,
        generation=generation(tree, node),
    )


def _runner(parts: Parts, context: Context, name: str, runner: RunnerEntry) -> RunnerPlan:
    tree, node = parts.tree, runner.entry.node
    limits = tree.child(node, "limits")
    return RunnerPlan(
        name=name,
        agent=runner.agent or "",
        plugins=tuple(plugin.descriptor for plugin in parts.settled.runners[name]),
        plugin_order=cast(PluginOrder, tree.text(node, "plugin_order") or "declared"),
        session_store=_store(parts, context, tree.child(node, "session_store")),
        limits=RunLimits(
            run_timeout_ms=number(tree, limits, "run_timeout_ms", "run.run_timeout_ms"),
            max_model_calls=number(tree, limits, "max_model_calls", "run.max_model_calls"),
            max_tool_calls=number(tree, limits, "max_tool_calls", "run.max_tool_calls"),
            max_plugin_input_bytes=limit(tree, limits, "max_plugin_input_bytes", "run.max_plugin_input_bytes"),
            notify_timeout_ms=limit(tree, limits, "notify_timeout_ms", "run.notify_timeout_ms"),
        ),
        unenforced=cast(Literal["refuse", "warn"], tree.text(node, "unenforced") or "refuse"),
        local_callbacks=_callback_limits(tree, tree.child(node, "local_callbacks")),
    )


def _callback_limits(tree: Tree, node: Node | None) -> CallbackLimits:
    return CallbackLimits(
        failure_policy=cast(FailurePolicy, tree.text(node, "failure_policy") or "open"),
        timeout_ms=limit(tree, node, "timeout_ms", "callback.timeout_ms"),
        max_heap_mib=limit(tree, node, "max_heap_mib", "callback.max_heap_mib"),
        max_result_bytes=limit(tree, node, "max_result_bytes", "callback.max_result_bytes"),
        heap_declared=tree.stated(node, "max_heap_mib"),
    )


def _store(parts: Parts, context: Context, node: Node | None) -> SessionStorePlan:
    tree = parts.tree
    if node is None:
        return SessionStorePlan(use="memory", path=None)
    place, path = tree.child(node, "path"), text_or_reference(tree, node, "path")
    return SessionStorePlan(
        use=tree.text(node, "use") or "",
        path=data_path(context, path, place) if place is not None and isinstance(path, str) else path,
        config=parts.configs.get(id(node), EMPTY_MAP),
    )


def _stated(parts: Parts) -> dict[tuple[str, ...], Node | str]:
    """What the plan holds in another place than the manifest: plugins in lists, code behind `use`, layers."""
    tree, graph = parts.tree, parts.graph
    stated: dict[tuple[str, ...], Node | str] = {}
    if (version := tree.root.get("apiVersion")) is not None:
        stated[("api_version",)] = version
    for table, settled in (("runners", parts.settled.runners), ("agents", parts.settled.agents)):
        for name, plugins in settled.items():
            for index, plugin in enumerate(plugins):
                _state_plugin(tree, plugin, (table, name, "plugins", str(index)), stated)
    for table, entries in (("models", graph.models), ("tools", graph.tools)):
        for name, entry in entries.items():
            stated[table, name, "name"] = entry.key
            use = tree.child(entry.node, "use")
            if table == "tools" and use is not None:
                stated |= {(table, name, part): use for part in ("code", "context_parameter", "is_async")}
                stated |= {
                    (table, name, part): "code"
                    for part in ("description", "parameters", "isolation")
                    if not tree.stated(entry.node, part)
                }
    for table, named in (("agents", graph.agents), ("runners", graph.runners)):
        stated |= {(table, name, "name"): each.entry.key for name, each in named.items()}
    return stated


def _state_plugin(
    tree: Tree, plugin: SettledPlugin, steps: tuple[str, ...], stated: dict[tuple[str, ...], Node | str]
) -> None:
    source = plugin.use.source
    stated[steps] = source.node
    stated[*steps, "id"] = source.anchor
    use = tree.child(source.node, "use")
    if use is not None:
        stated[*steps, "code"] = use
        stated[*steps, "domain"] = tree.child(source.node, "domain") or use
        stated[*steps, "guard"] = use
    when = tree.child(source.node, "when")
    for key in When._fields:
        names = sorted(tree.items(tree.child(when, key)), key=lambda item: str(tree.value(item)))
        stated |= {(*steps, "when", key, str(index)): item for index, item in enumerate(names)}
    for field, value in plugin.given.items():
        stated[*steps, field] = value.node if value.node is not None else value.layer
