"""Lowers tools and local callbacks: what runs code of the project."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from adk_decl.compiler.code import Code, ToolCode
from adk_decl.compiler.code_reference import Target
from adk_decl.compiler.graph import Entry
from adk_decl.compiler.lower_model import limit
from adk_decl.compiler.tree import Tree
from adk_decl.plan.domains import PROJECT, PROJECT_TOOLS
from adk_decl.plan.frozen_json import FrozenJson, freeze
from adk_decl.plan.limits import LIMITS
from adk_decl.plan.model import Isolation, PluginDescriptor, ToolPlan
from adk_decl.plan.phases import LOCAL_PHASES
from adk_decl.plan.record import FrozenMap


def lower_tool(tree: Tree, entry: Entry, found: ToolCode) -> ToolPlan:
    """One tool with the schema of its arguments."""
    node, shape = entry.node, found.shape
    declared = tree.child(node, "parameters")
    parameters = freeze(shape.parameters) if declared is None else tree.frozen(declared)
    return ToolPlan(
        name=entry.name,
        description=tree.text(node, "description") or shape.description,
        code=found.target.code,
        domain=PROJECT_TOOLS,
        parameters=cast("FrozenMap[FrozenJson]", parameters),
        parameters_declared=declared is not None,
        context_parameter=shape.context_parameter,
        is_async=shape.is_async,
        isolation=cast(Isolation, tree.text(node, "isolation") or ("inline" if shape.is_async else "worker")),
        timeout_ms=limit(tree, node, "timeout_ms", "tool.timeout_ms"),
        max_heap_mib=limit(tree, node, "max_heap_mib", "tool.max_heap_mib"),
        heap_declared=tree.stated(node, "max_heap_mib"),
        max_concurrency=limit(tree, node, "max_concurrency", "tool.max_concurrency"),
        idempotent=bool(tree.truth(node, "idempotent")),
        config=cast("FrozenMap[FrozenJson]", tree.frozen(tree.child(node, "config"))),
    )


def lower_callbacks(agent: str, code: Code) -> FrozenMap[PluginDescriptor]:
    """The callbacks of one agent by phase, with their default limits."""
    return FrozenMap(
        {phase: _callback(agent, phase, code.callbacks) for phase in LOCAL_PHASES if (agent, phase) in code.callbacks}
    )


def _callback(agent: str, phase: str, found: Mapping[tuple[str, str], Target]) -> PluginDescriptor:
    code = found[agent, phase].code
    return PluginDescriptor(
        id=f"callback:{agent}:{phase}",
        use=f"python:{code.module}:{code.attribute}",
        kind="callback",
        code=code,
        domain=PROJECT,
        mode="intervene",
        failure_policy="open",
        timeout_ms=LIMITS["callback.timeout_ms"].default,
        max_heap_mib=LIMITS["callback.max_heap_mib"].default,
        max_result_bytes=LIMITS["callback.max_result_bytes"].default,
        hooks=(phase,),
    )
