"""Resolves names: which definition each reference means, which ids stand twice, which definitions nothing uses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from adk_decl.compiler.finding import MOST_SUGGESTIONS, existing, finding, renaming
from adk_decl.compiler.graph import AgentEntry, Entry, Graph, PluginSource, PluginUse, RunnerEntry
from adk_decl.compiler.tree import Path, Tree
from adk_decl.diagnostics.diagnostic import DiagnosticBag, Label
from adk_decl.diagnostics.wording import quote
from adk_decl.syntax.document import Node


def resolve_names(tree: Tree, bag: DiagnosticBag) -> Graph:
    """The graph of all definitions. Reports ADK202, ADK203 and ADK204."""
    return _Resolver(tree, bag).graph()


class _Resolver:
    def __init__(self, tree: Tree, bag: DiagnosticBag) -> None:
        self.tree = tree
        self.bag = bag
        self.defined = {table: self._entries(table) for table in ("models", "tools", "agents", "plugins", "runners")}
        self.sources: dict[str, PluginSource] = {}
        self.inline: list[PluginSource] = []
        self.repeated: set[int] = set()
        self.reported = 0

    def graph(self) -> Graph:
        for entry in self.defined["plugins"].values():
            if entry.node is not None:
                self.sources[entry.name] = PluginSource(entry.name, entry.node, entry.key, entry.path)
        agents = {name: self._agent(entry) for name, entry in self.defined["agents"].items()}
        runners = {name: self._runner(entry) for name, entry in self.defined["runners"].items()}
        self._conditions()
        self._duplicates(agents, runners)
        self._unused(runners)
        return Graph(
            models=self.defined["models"],
            tools=self.defined["tools"],
            agents=agents,
            runners=runners,
            sources=(*self.sources.values(), *self.inline),
        )

    def _entries(self, table: str) -> dict[str, Entry]:
        top = self.tree.child(self.tree.root, table)
        return {
            key.text: Entry(key.text, key, value if self._map(value) else None, (table, key.text), value)
            for key, value in self.tree.entries(top)
        }

    def _map(self, node: Node) -> bool:
        return node.kind == "map" and self.tree.usable(node)

    def _agent(self, entry: Entry) -> AgentEntry:
        path = entry.path
        tools = self.tree.items(self.tree.child(entry.node, "tools"))
        found = [self._reference(item, "tools", (*path, "tools", index)) for index, item in enumerate(tools)]
        return AgentEntry(
            entry=entry,
            model=self._reference(self.tree.child(entry.node, "model"), "models", (*path, "model")),
            tools=tuple(name for name in found if name is not None),
            plugins=tuple(self._plugins(entry.node, path)),
        )

    def _runner(self, entry: Entry) -> RunnerEntry:
        return RunnerEntry(
            entry=entry,
            agent=self._reference(self.tree.child(entry.node, "agent"), "agents", (*entry.path, "agent")),
            plugins=tuple(self._plugins(entry.node, entry.path)),
        )

    def _reference(self, node: Node | None, table: str, path: Path) -> str | None:
        """The name that a node holds, when the table defines it; else ADK202."""
        name = self.tree.value(node)
        if node is None or not isinstance(name, str):
            return None
        if name in self.defined[table]:
            return name
        if name in self.tree.strays or self._has_finding(table):
            return None
        what, span = table.removesuffix("s"), self.tree.span(node)
        self.reported += 1
        near = self.defined[table] if self.reported <= MOST_SUGGESTIONS else ()
        help_text, fix = renaming(name, near, node, span)
        self.bag.add(
            finding(
                "ADK202",
                f"no {what} is named {quote(name)}",
                span,
                path=path,
                label=f"not defined under `{table}`",
                help=help_text,
                fix=fix,
                notes=(existing(table, self.defined[table]),),
            )
        )
        return None

    def _has_finding(self, table: str) -> bool:
        """Whether what a table defines is not known, because of a finding about the table itself."""
        return self.tree.child(self.tree.root, table) is None and self.tree.lost(self.tree.root, table)

    def _plugins(self, node: Node | None, path: Path) -> Iterator[PluginUse]:
        listed = self.tree.child(node, "plugins")
        for index, item in enumerate(listed.items if listed is not None and listed.kind == "list" else ()):
            if not self.tree.usable(item):
                continue
            where = (*path, "plugins", index)
            source = self._inline(item, where) if item.kind == "map" else self._declared(item, where)
            if source is not None:
                yield PluginUse(source, item, where)

    def _declared(self, item: Node, path: Path) -> PluginSource | None:
        name = self._reference(item, "plugins", path)
        return self.sources.get(name) if name is not None else None

    def _inline(self, item: Node, path: Path) -> PluginSource | None:
        anchor = self.tree.child(item, "id")
        name = self.tree.value(anchor)
        if anchor is None or not isinstance(name, str):
            return None
        source = PluginSource(name, item, anchor, path)
        self.inline.append(source)
        return source

    def _conditions(self) -> None:
        """The names in `when` of every descriptor."""
        for source in (*self.sources.values(), *self.inline):
            when = self.tree.child(source.node, "when")
            for table in ("agents", "tools", "models"):
                for index, item in enumerate(self.tree.items(self.tree.child(when, table))):
                    self._reference(item, table, (*source.path, "when", table, index))

    def _duplicates(self, agents: dict[str, AgentEntry], runners: dict[str, RunnerEntry]) -> None:
        """Ids are unique in a list, and over a runner and its agent."""
        for agent in agents.values():
            self._unique((), agent.plugins)
        for runner in runners.values():
            self._unique((), runner.plugins)
            if runner.agent is not None:
                self._unique(runner.plugins, agents[runner.agent].plugins)

    def _unique(self, outer: Iterable[PluginUse], uses: Iterable[PluginUse]) -> None:
        """ADK203 for each of `uses` whose id stands before it in the same list, or in `outer`."""
        between = {use.source.id: use for use in outer}
        seen = dict(between)
        for use in uses:
            name = use.source.id
            first = between.get(name) if between else seen.get(name)
            seen.setdefault(name, use)
            if first is None or id(use.place) in self.repeated:
                continue
            self.repeated.add(id(use.place))
            self.bag.add(
                finding(
                    "ADK203",
                    f"plugin {quote(name)} stands twice" + (" in a runner and its agent" if between else " in a list"),
                    self.tree.span(self._name_node(use)),
                    path=use.path,
                    label="the second one",
                    labels=(Label(span=self.tree.span(self._name_node(first)), message="the first one"),),
                    help="give one of them another id, or leave it out",
                )
            )

    @staticmethod
    def _name_node(use: PluginUse) -> Node:
        return use.source.anchor if use.place.kind == "map" else use.place

    def _unused(self, runners: dict[str, RunnerEntry]) -> None:
        """ADK204, unless there is an error: what an error hides may be the use, and one mistake makes one finding."""
        if self.bag.has_errors:
            return
        used = {table: set(self._written(table)) for table in ("models", "tools", "plugins", "agents")}
        for table, names in used.items():
            if table == "agents" and not runners:
                continue
            for name, entry in self.defined[table].items():
                if name not in names and self.tree.usable(entry.key):
                    what = table.removesuffix("s")
                    message = f"{what} {quote(name)} is defined and never used"
                    span = self.tree.span(entry.key)
                    # In its own file it may well be used; this manifest is the one that does not.
                    mend = (
                        "use it, or write `{$delete: true}` under its name in a higher layer"
                        if entry.key.file
                        else None
                    )
                    self.bag.add(finding("ADK204", message, span, path=entry.path, label="never used", help=mend))

    def _written(self, table: str) -> Iterator[str]:
        """Every name that any reference to a table holds."""
        owners = {"models": ("agents",), "tools": ("agents",), "agents": ("runners", "agents")}
        keys = {"models": ("model",), "tools": ("tools",), "agents": ("agent", "sub_agents"), "plugins": ("plugins",)}
        for owner in owners.get(table, ("agents", "runners")):
            for entry in self.defined[owner].values():
                for key in keys[table]:
                    yield from self._texts(entry.written, key)
        if table == "models":
            for entry in self.defined["models"].values():
                yield from self._texts(entry.written, "fallback")

    @staticmethod
    def _texts(node: Node, key: str) -> Iterator[str]:
        found = node.get(key) if node.kind == "map" else None
        if found is None:
            return
        for item in found.items if found.kind == "list" else (found,):
            if item.kind == "scalar":
                yield item.text
