"""A plugin descriptor bound to what it names: one shape for built-in, installed and project plugins."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from adk_decl.compiler.graph import Graph, PluginSource
from adk_decl.compiler.tree import Tree
from adk_decl.plan.frozen_json import FrozenJson
from adk_decl.plan.model import CodeRef
from adk_decl.plan.record import EMPTY_MAP, FrozenMap

if TYPE_CHECKING:
    from adk_decl.compiler.code import Code, PluginCode
    from adk_decl.components.descriptor import ComponentDescriptor

OWN_DISTRIBUTION = "adk-decl"


class BoundPlugin(NamedTuple):
    """What a descriptor leads to. `origin` is `builtin`, `dist:<distribution>` or `project`.

    `defaults` are the component's own; `returns` are hooks that do nothing but return a value or halt.
    """

    source: PluginSource
    use: str
    code: CodeRef
    origin: str
    hooks: tuple[str, ...]
    priority: int
    requires_intervene: bool
    guard: bool
    inline_safe: bool
    defaults: Mapping[str, Any]
    returns: frozenset[str]
    config: FrozenMap[FrozenJson]


Configs = Mapping[int, FrozenMap[FrozenJson]]
"""Frozen configurations by `id` of the node that holds `use` and `config`."""


def bind_plugins(
    tree: Tree, graph: Graph, components: Mapping[int, ComponentDescriptor], code: Code | None, configs: Configs
) -> dict[int, BoundPlugin]:
    """Every descriptor whose component or class was found, by `id(source.node)`."""
    bound: dict[int, BoundPlugin] = {}
    for source in graph.sources:
        key = id(source.node)
        use = tree.text(source.node, "use")
        if use is None:
            continue
        config = configs.get(key, EMPTY_MAP)
        if key in components:
            bound[key] = _of_component(source, use, components[key], config)
        elif code is not None and key in code.plugins:
            bound[key] = _of_code(source, use, code.plugins[key], config)
    return bound


def _of_component(
    source: PluginSource, use: str, component: ComponentDescriptor, config: FrozenMap[FrozenJson]
) -> BoundPlugin:
    module, _, attribute = component.entry.partition(":")
    own = component.distribution == OWN_DISTRIBUTION
    return BoundPlugin(
        source=source,
        use=use,
        code=CodeRef(module=module, attribute=attribute),
        origin="builtin" if own else f"dist:{component.distribution}",
        hooks=tuple(component.hooks),
        priority=component.priority,
        requires_intervene=component.requires_intervene,
        guard=component.guard,
        inline_safe=component.inline_safe,
        defaults=component.defaults,
        returns=frozenset(),
        config=config,
    )


def _of_code(source: PluginSource, use: str, found: PluginCode, config: FrozenMap[FrozenJson]) -> BoundPlugin:
    return BoundPlugin(
        source=source,
        use=use,
        code=found.target.code,
        origin="project",
        hooks=found.facts.hooks,
        priority=found.facts.priority,
        requires_intervene=found.facts.requires_intervene,
        guard=False,
        inline_safe=False,
        defaults=EMPTY_MAP,
        returns=found.facts.returns,
        config=config,
    )
