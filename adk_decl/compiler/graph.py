"""What the names of a manifest lead to: the product of the names pass."""

from __future__ import annotations

from typing import NamedTuple

from adk_decl.compiler.tree import Path
from adk_decl.syntax.document import Node


class Entry(NamedTuple):
    """A definition under a name. `node` is None when a finding covers the whole definition, `written` never."""

    name: str
    key: Node
    node: Node | None
    path: Path
    written: Node


class PluginSource(NamedTuple):
    """Where a descriptor is written: under `plugins`, or inline in a list. `anchor` is the node of its id."""

    id: str
    node: Node
    anchor: Node
    path: Path


class PluginUse(NamedTuple):
    """A plugin in a list: which descriptor, and the item that names it."""

    source: PluginSource
    place: Node
    path: Path


class AgentEntry(NamedTuple):
    """An agent with what it refers to; None and left out is what could not be resolved."""

    entry: Entry
    model: str | None
    tools: tuple[str, ...]
    plugins: tuple[PluginUse, ...]


class RunnerEntry(NamedTuple):
    """A runner with what it refers to."""

    entry: Entry
    agent: str | None
    plugins: tuple[PluginUse, ...]


class Graph(NamedTuple):
    """All definitions by name, with references resolved."""

    models: dict[str, Entry]
    tools: dict[str, Entry]
    agents: dict[str, AgentEntry]
    runners: dict[str, RunnerEntry]
    sources: tuple[PluginSource, ...]
    """Every usable descriptor, those that nothing uses included, in the order of the file."""
