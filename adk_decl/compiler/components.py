"""Finds the component that each `use` names, in the catalogue; code of the project is left to the next pass."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from adk_decl.compiler.finding import MOST_SUGGESTIONS, existing, finding, renaming
from adk_decl.compiler.graph import Graph
from adk_decl.compiler.tree import Path, Tree
from adk_decl.components import catalogue
from adk_decl.components.descriptor import ComponentDescriptor, Kind
from adk_decl.diagnostics.diagnostic import DiagnosticBag
from adk_decl.diagnostics.wording import quote
from adk_decl.syntax.document import Node

CODE_PREFIX = "python:"


class Owner(NamedTuple):
    """A part of the manifest that names a component with `use` and gives it a `config`."""

    kind: Kind
    node: Node
    path: Path


def owners(tree: Tree, graph: Graph) -> Iterator[Owner]:
    """Plugins, models and session stores, in this order."""
    for source in graph.sources:
        yield Owner("plugin", source.node, source.path)
    for entry in graph.models.values():
        if entry.node is not None:
            yield Owner("model", entry.node, entry.path)
    for runner in graph.runners.values():
        store = tree.child(runner.entry.node, "session_store")
        if store is not None and store.kind == "map":
            yield Owner("session_store", store, (*runner.entry.path, "session_store"))


def uses_code(tree: Tree, graph: Graph) -> bool:
    """Whether anything names code of the project."""
    return (
        bool(graph.tools)
        or any(tree.stated(agent.entry.node, "callbacks") for agent in graph.agents.values())
        or any((tree.text(owner.node, "use") or "").startswith(CODE_PREFIX) for owner in owners(tree, graph))
    )


def find_components(tree: Tree, graph: Graph, bag: DiagnosticBag) -> dict[int, ComponentDescriptor]:
    """The component of each owner, by `id(owner.node)`. Reports ADK201, ADK218 and ADK417."""
    found: dict[int, ComponentDescriptor] = {}
    told: set[str] = set()
    unknown = 0
    for owner in owners(tree, graph):
        use = tree.child(owner.node, "use")
        name = tree.value(use)
        if use is None or not isinstance(name, str) or name.startswith(CODE_PREFIX):
            continue
        component = catalogue.find(owner.kind, name)
        if component is not None:
            found[id(owner.node)] = component
            _warn_unstable(tree, owner, use, component, bag)
            continue
        unknown += 1
        _report_unknown(tree, owner, use, name, bag, suggest=unknown <= MOST_SUGGESTIONS)
        _report_broken_data(tree, owner, use, told, bag)
    return found


def _warn_unstable(tree: Tree, owner: Owner, use: Node, component: ComponentDescriptor, bag: DiagnosticBag) -> None:
    """Alpha is warned about. Beta is not: its configuration stays or is deprecated first."""
    if component.stage != "alpha":
        return
    bag.add(
        finding(
            "ADK417",
            f"{owner.kind.replace('_', ' ')} component {quote(component.name)} is alpha",
            tree.span(use),
            path=(*owner.path, "use"),
            label="may change in any version",
            help="pin the version of its package; silence this with `# adk: ignore[ADK417] reason`",
            notes=(f"it comes from {quote(component.distribution)}",),
        )
    )


def _report_unknown(tree: Tree, owner: Owner, use: Node, name: str, bag: DiagnosticBag, *, suggest: bool) -> None:
    what = owner.kind.replace("_", " ")
    names, span = catalogue.names(owner.kind), tree.span(use)
    help_text, fix = renaming(name, names if suggest else (), use, span)
    bag.add(
        finding(
            "ADK201",
            f"there is no {what} component {quote(name)}",
            span,
            path=(*owner.path, "use"),
            label="not built in, and no installed package offers it",
            help=help_text or "code of the project is written `python:module:attribute`",
            fix=fix,
            notes=(existing(f"{what} components", names),),
        )
    )


def _report_broken_data(tree: Tree, owner: Owner, use: Node, told: set[str], bag: DiagnosticBag) -> None:
    """Component data of installed packages that can't be read: why a name may be unknown."""
    for problem in catalogue.problems():
        if problem.distribution in told:
            continue
        told.add(problem.distribution)
        bag.add(
            finding(
                "ADK218",
                f"the component data of package {quote(problem.distribution)} is broken: {problem.reason}",
                tree.span(use),
                path=(*owner.path, "use"),
                label="looked for here",
                help="update or remove that package",
            )
        )
