"""The picture of a runner as text for Mermaid and for Graphviz.

Whatever a name holds, it stays inside its quotes: Mermaid knows entities, DOT knows escapes. Ids are our own.
"""

from __future__ import annotations

from collections.abc import Callable

from adk_decl.plan.graph import GraphEdge, GraphNode, PlanGraph

_MERMAID_SHAPES = {
    "runner": ("([", "])"),
    "agent": ("([", "])"),
    "model": ("[[", "]]"),
    "session_store": ("[(", ")]"),
    "tool": ("[/", "/]"),
    "phase": ("(", ")"),
}
_DOT_SHAPES = {
    "runner": "oval",
    "agent": "oval",
    "model": "component",
    "session_store": "cylinder",
    "tool": "parallelogram",
    "phase": "plain",
}


def mermaid(graph: PlanGraph) -> str:
    """A Mermaid flowchart: a sub-graph a trust domain, guards as thick hexagons, what is open on failure dashed."""
    lines = ["flowchart LR", f"  %% {_comment(graph)}"]
    for number, group in enumerate(graph.groups, 1):
        lines.append(f'  subgraph g{number}["{_entities(group)}"]')
        lines += [f"    {_mermaid_node(node)}" for node in graph.nodes if node.group == group]
        lines.append("  end")
    lines += [f"  {_mermaid_edge(edge)}" for edge in graph.edges]
    lines += ["  classDef guard stroke-width:3px", "  classDef open stroke-dasharray:4 3"]
    for name, wanted in _CLASSES.items():
        members = [node.id for node in graph.nodes if wanted(node)]
        lines += [f"  class {','.join(members)} {name}"] if members else []
    return "\n".join(lines) + "\n"


def dot(graph: PlanGraph) -> str:
    """A Graphviz digraph with the same picture."""
    lines = ["digraph plan {", "  rankdir=LR", "  node [shape=box]", f"  label={_quoted(_comment(graph))}"]
    for number, group in enumerate(graph.groups, 1):
        lines += [f"  subgraph cluster_{number} {{", f"    label={_quoted(group)}"]
        lines += [f"    {_dot_node(node)}" for node in graph.nodes if node.group == group]
        lines.append("  }")
    lines += [f"  {_dot_edge(edge)}" for edge in graph.edges]
    return "\n".join([*lines, "}"]) + "\n"


_CLASSES: dict[str, Callable[[GraphNode], bool]] = {
    "guard": lambda node: node.guard,
    "open": lambda node: node.failure_policy == "open",
}


def _comment(graph: PlanGraph) -> str:
    text = f"plan {graph.plan}, runner {graph.runner}, {graph.digest}"
    return "".join(c if c.isprintable() else " " for c in text)


def _mermaid_node(node: GraphNode) -> str:
    left, right = ("{{", "}}") if node.guard else _MERMAID_SHAPES.get(node.kind, ("[", "]"))
    text = "<br/>".join(_entities(line) for line in (_title(node), *node.lines))
    return f'{node.id}{left}"{text}"{right}'


def _mermaid_edge(edge: GraphEdge) -> str:
    label = f'|"{_entities(edge.label)}"|' if edge.label else ""
    return f"{edge.source} -->{label} {edge.target}"


def _dot_node(node: GraphNode) -> str:
    styles = [*(["bold"] if node.guard else []), *(["dashed"] if node.failure_policy == "open" else [])]
    shape = "hexagon" if node.guard else _DOT_SHAPES.get(node.kind)
    values = {"label": _quoted("\n".join((_title(node), *node.lines)))}
    values |= {"shape": shape} if shape else {}
    values |= {"style": _quoted(",".join(styles))} if styles else {}
    return f"{node.id} [{', '.join(f'{name}={value}' for name, value in values.items())}]"


def _dot_edge(edge: GraphEdge) -> str:
    label = f" [label={_quoted(edge.label)}]" if edge.label else ""
    return f"{edge.source} -> {edge.target}{label}"


def _title(node: GraphNode) -> str:
    return node.name if node.kind == "phase" else f"{node.kind.replace('_', ' ')} {node.name}"


def _entities(text: str) -> str:
    """Text for a quoted Mermaid label: letters, digits and a few marks as they are, the rest as entities.

    Mermaid takes no empty label.
    """
    return "".join(_entity(character) for character in text) or " "


def _entity(character: str) -> str:
    if character.isalnum() or character in " .,:/+-=_·@…":
        return character
    return f"#{ord(character)};" if character.isprintable() else " "


def _quoted(text: str) -> str:
    """A DOT string: quotes and backslashes escaped, line ends as `\\n`, other control characters as spaces."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return '"' + "".join(c if c.isprintable() else " " for c in escaped) + '"'
