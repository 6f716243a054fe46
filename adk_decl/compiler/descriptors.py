"""Settles each use of a plugin: which default wins, and whether its isolation, limits and mode can work.

The order of defaults: the descriptor, the component's own default, the runner's `plugin_defaults`, the global
default. A guard is opened by its own descriptor only.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from adk_decl.compiler.bound import BoundPlugin
from adk_decl.compiler.finding import finding
from adk_decl.compiler.graph import Graph, PluginUse
from adk_decl.compiler.tree import Path, Tree
from adk_decl.diagnostics.diagnostic import DiagnosticBag, Label
from adk_decl.diagnostics.wording import listed, quote
from adk_decl.plan.domains import named
from adk_decl.plan.limits import LIMITS, MIB
from adk_decl.plan.model import Breaker, PluginDescriptor, When
from adk_decl.plan.phases import PHASES
from adk_decl.syntax.document import Node

_WORD_BYTES = 8


class Given(NamedTuple):
    """A value and where it was stated: a node of the manifest, or a layer of defaults."""

    value: Any
    node: Node | None
    layer: str


class SettledPlugin(NamedTuple):
    """One plugin in one list, with every value settled and where each came from."""

    descriptor: PluginDescriptor
    use: PluginUse
    given: Mapping[str, Given]
    returns: frozenset[str]

    @property
    def place(self) -> Node:
        """The node that names this use: the item of the list, or the id of an inline descriptor."""
        return self.use.source.anchor if self.use.place.kind == "map" else self.use.place


class Settled(NamedTuple):
    """Settled plugins of each runner and each agent. Plugins with a finding of their own may be missing."""

    runners: dict[str, tuple[SettledPlugin, ...]]
    agents: dict[str, tuple[SettledPlugin, ...]]


def settle_plugins(tree: Tree, graph: Graph, bound: Mapping[int, BoundPlugin], bag: DiagnosticBag) -> Settled:
    """Every use of a plugin. Reports ADK219, 402, 403, 405, 407 to 410."""
    orders = {name: _order(tree, runner.entry.node) for name, runner in graph.runners.items()}
    runners = {
        name: _settle_list(
            tree, runner.plugins, bound, bag, tree.child(runner.entry.node, "plugin_defaults"), {orders[name]}
        )
        for name, runner in graph.runners.items()
    }
    agents = {
        name: _settle_list(
            tree, agent.plugins, bound, bag, None, {orders[n] for n, r in graph.runners.items() if r.agent == name}
        )
        for name, agent in graph.agents.items()
    }
    lists = [each.plugins for each in graph.runners.values()] + [each.plugins for each in graph.agents.values()]
    used = {id(use.source.node) for uses in lists for use in uses}
    for source in graph.sources:
        if id(source.node) not in used:
            unused = PluginUse(source, source.anchor, source.path)
            _settle_list(tree, (unused,), bound, bag, None, {"declared", "priority"})
    return Settled(runners, agents)


def _order(tree: Tree, runner: Node | None) -> str:
    """The plugin order of a runner; one that has a finding allows everything, so that no second one follows."""
    stated = tree.text(runner, "plugin_order")
    return stated or ("priority" if tree.lost(runner, "plugin_order") else "declared")


def _settle_list(
    tree: Tree,
    uses: tuple[PluginUse, ...],
    bound: Mapping[int, BoundPlugin],
    bag: DiagnosticBag,
    defaults: Node | None,
    orders: set[str],
) -> tuple[SettledPlugin, ...]:
    settled = []
    for use in uses:
        plugin = bound.get(id(use.source.node))
        if plugin is not None:
            settled.append(_Settler(tree, use, plugin, bag, defaults).settle(orders))
    return tuple(settled)


class _Settler:
    """Settles one use of one plugin."""

    def __init__(
        self, tree: Tree, use: PluginUse, plugin: BoundPlugin, bag: DiagnosticBag, defaults: Node | None
    ) -> None:
        self.tree = tree
        self.use = use
        self.plugin = plugin
        self.bag = bag
        self.defaults = defaults
        self.node = use.source.node
        self.name = quote(use.source.id)

    def settle(self, orders: set[str]) -> SettledPlugin:
        given = {
            "mode": self._given("mode", "observe"),
            "failure_policy": self._failure_policy(),
            "timeout_ms": self._given("timeout_ms", LIMITS["plugin.timeout_ms"].default),
            "max_heap_mib": self._heap(),
            "max_result_bytes": self._given("max_result_bytes", LIMITS["plugin.max_result_bytes"].default),
            "isolation": self._given("isolation", "worker"),
            "priority": self._priority(orders),
            "hooks": self._hooks(),
            "when": self._when(),
            "breaker": self._breaker(),
        }
        self._check_mode(given["mode"])
        self._check_isolation(given["isolation"])
        return SettledPlugin(self._descriptor(given), self.use, given, self.plugin.returns)

    def _descriptor(self, given: Mapping[str, Given]) -> PluginDescriptor:
        return PluginDescriptor(
            id=self.use.source.id,
            use=self.plugin.use,
            code=self.plugin.code,
            domain=self._domain(),
            guard=self.plugin.guard,
            heap_declared=given["max_heap_mib"].node is not None,
            config=self.plugin.config,
            **{name: value.value for name, value in given.items()},
        )

    def _domain(self) -> str:
        """The trust domain. A name from the manifest splits an origin further and never joins two."""
        name = self.tree.text(self.node, "domain")
        return self.plugin.origin if name is None else named(name, self.plugin.origin)

    def _given(self, key: str, default: Any) -> Given:
        own = self.tree.child(self.node, key)
        if own is not None:
            return Given(self.tree.value(own), own, "manifest")
        if key in self.plugin.defaults:
            return Given(self.plugin.defaults[key], None, "component")
        scope = self.tree.child(self.defaults, key)
        if scope is not None:
            return Given(self.tree.value(scope), scope, "manifest")
        return Given(default, None, "default")

    def _failure_policy(self) -> Given:
        own = self.tree.child(self.node, "failure_policy")
        if not self.plugin.guard:
            return self._given("failure_policy", "open")
        if own is None:
            return Given("closed", None, "component")
        if self.tree.value(own) == "open":
            self._report(
                "ADK403",
                f"guard {self.name} lets calls pass when it fails",
                own,
                ("failure_policy",),
                label="a guard is closed unless this says otherwise",
                help="leave it out, so that a failure of the guard ends the run",
            )
        return Given(self.tree.value(own), own, "manifest")

    def _heap(self) -> Given:
        mib, words = (self.tree.child(self.node, key) for key in ("max_heap_mib", "max_heap_words"))
        if mib is not None and words is not None:
            self._report(
                "ADK408",
                f"plugin {self.name} gives its heap limit twice",
                words,
                ("max_heap_words",),
                label="the same limit in another unit",
                labels=(Label(span=self.tree.span(mib), message="the first one"),),
                help="keep one of `max_heap_mib` and `max_heap_words`",
            )
        if words is None or mib is not None:
            return self._given("max_heap_mib", LIMITS["plugin.max_heap_mib"].default)
        number = self.tree.integer(self.node, "max_heap_words") or 0
        least = LIMITS["plugin.max_heap_mib"].minimum
        size = -(-number * _WORD_BYTES // MIB)
        if number * _WORD_BYTES < least * MIB:
            self._report(
                "ADK409",
                f"the heap limit of plugin {self.name} is raised to {least} MiB",
                words,
                ("max_heap_words",),
                label="less than a worker can hold to",
                help=f"write `max_heap_mib: {least}`",
            )
        return Given(max(size, least), words, "manifest")

    def _priority(self, orders: set[str]) -> Given:
        own = self.tree.child(self.node, "priority")
        if own is None:
            return Given(self.plugin.priority, None, "component" if self.plugin.priority else "default")
        if orders == {"declared"}:
            self._report(
                "ADK407",
                f"plugin {self.name} has a priority, and its runner keeps the order of the list",
                own,
                ("priority",),
                label="has no effect",
                help="write `plugin_order: priority` in the runner, or leave the priority out",
            )
        return Given(self.tree.value(own), own, "manifest")

    def _hooks(self) -> Given:
        own = self.tree.child(self.node, "hooks")
        if own is None:
            return Given(self.plugin.hooks, None, "component")
        chosen = []
        for index, item in enumerate(own.items):
            name = self.tree.value(item) if self.tree.usable(item) else None
            if name in self.plugin.hooks:
                chosen.append(name)
            elif isinstance(name, str) and name in PHASES:
                self._report(
                    "ADK219",
                    f"plugin {self.name} does not implement hook {quote(name)}",
                    item,
                    ("hooks", index),
                    label="not implemented",
                    notes=(f"implemented: {listed(self.plugin.hooks)}",),
                )
        return Given(tuple(name for name in PHASES if name in chosen), own, "manifest")

    def _when(self) -> Given:
        own = self.tree.child(self.node, "when")
        if own is None:
            return Given(None, None, "default")
        when = When(**{key: self._condition(own, key) for key in When._fields})
        return Given(None if when == When() else when, own, "manifest")

    def _breaker(self) -> Given:
        own = self.tree.child(self.node, "breaker")
        if own is None:
            return Given(None, None, "default")
        numbers = {key: self.tree.integer(own, key) or LIMITS[f"breaker.{key}"].default for key in Breaker._fields}
        return Given(Breaker(**numbers), own, "manifest")

    def _condition(self, when: Node, key: str) -> tuple[str, ...] | None:
        names = self.tree.child(when, key)
        if names is None:
            return None
        return tuple(sorted(str(self.tree.value(item)) for item in self.tree.items(names)))

    def _check_mode(self, mode: Given) -> None:
        known = mode.node is not None or not self.tree.lost(self.node, "mode")
        if not self.plugin.requires_intervene or mode.value != "observe" or not known:
            return
        place = mode.node if mode.node is not None else self.tree.child(self.node, "use") or self.use.source.anchor
        self._report(
            "ADK405",
            f"plugin {self.name} does nothing in mode `observe`",
            place,
            ("mode",) if mode.node is not None else ("use",),
            label="has to intervene",
            help="write `mode: intervene`",
        )

    def _check_isolation(self, isolation: Given) -> None:
        if isolation.value != "inline":
            return
        if not self.plugin.inline_safe and isolation.node is not None:
            self._report(
                "ADK410",
                f"plugin {self.name} may not run inline",
                isolation.node,
                ("isolation",),
                label="could not be stopped in this process",
                help="leave `isolation` out; only components that declare it may run inline",
            )
            return
        key = "max_heap_mib" if self.tree.stated(self.node, "max_heap_mib") else "max_heap_words"
        limit = self.tree.child(self.node, key)
        if limit is not None:
            self._report(
                "ADK402",
                f"the heap limit of plugin {self.name} can't be enforced inline",
                limit,
                (key,),
                label="needs a process of its own",
                help=f"leave `{key}` out, or write `isolation: worker`",
            )

    def _report(
        self,
        code: str,
        message: str,
        node: Node,
        under: Path,
        *,
        label: str,
        labels: tuple[Label, ...] = (),
        help: str | None = None,  # noqa: A002
        notes: tuple[str, ...] = (),
    ) -> None:
        path = (*self.use.source.path, *under)
        span = self.tree.span(node)
        self.bag.add(finding(code, message, span, path=path, label=label, labels=labels, help=help, notes=notes))
