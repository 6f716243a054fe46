"""Which table a TOML key or header leads to, and what may not be defined twice."""

from __future__ import annotations

from typing import Literal

from adk_decl.syntax.document import Node
from adk_decl.syntax.keys import KeyRule
from adk_decl.syntax.profile import Profile
from adk_decl.syntax.reporter import Place, Reporter

Origin = Literal["implied", "header", "dotted", "inline"]


class Table:
    """A table: its node, its keys, and what made it. An inline one is closed."""

    __slots__ = ("depth", "names", "node", "origin")

    def __init__(self, node: Node, origin: Origin, depth: int) -> None:
        self.node = node
        self.origin = origin
        self.depth = depth
        self.names: dict[str, tuple[Node, Table | Tables | None]] = {}


class Tables:
    """An array of tables, made by `[[name]]`; `last` is the table that headers below go on with."""

    __slots__ = ("last", "node")

    def __init__(self, node: Node, last: Table) -> None:
        self.node = node
        self.last = last


class TableRules:
    """Finds and makes tables; reports ADK006 for what stands twice, ADK016 beyond the limits."""

    def __init__(self, reporter: Reporter, profile: Profile, root: Node) -> None:
        self._reporter = reporter
        self._profile = profile
        self._keys = KeyRule(reporter)
        self._nodes = 0
        self.root = Table(root, "header", 1)

    def header(self, keys: list[Node]) -> Table:
        """The table of `[a.b]`."""
        parent = self._walk(self.root, keys[:-1])
        key = keys[-1]
        known = parent.names.get(key.text)
        if known is None:
            return self._add_table(parent, key, "header")
        first, child = known
        if isinstance(child, Table) and child.origin == "implied":
            child.origin = "header"
            return child
        self._keys.report_duplicate(key, first)
        return self.loose(key, parent.depth + 1)

    def header_item(self, keys: list[Node], place: Place) -> Table:
        """The new table of `[[a.b]]`; `place` is that of its brackets."""
        parent = self._walk(self.root, keys[:-1])
        key = keys[-1]
        known = parent.names.get(key.text)
        item = Table(self.node("map", place, parent.depth + 2), "header", parent.depth + 2)
        if known is None:
            array = self.node("list", _place(key), parent.depth + 1)
            self._put(parent, key, array, Tables(array, item))
            array.items.append(item.node)
            return item
        first, child = known
        if not isinstance(child, Tables):
            self._keys.report_duplicate(key, first)
            return item
        child.last = item
        child.node.items.append(item.node)
        return item

    def dotted(self, table: Table, keys: list[Node]) -> Table:
        """The table that the leading keys of `a.b.c = …` lead to, from the table they stand in."""
        for key in keys:
            known = table.names.get(key.text)
            if known is None:
                table = self._add_table(table, key, "dotted")
                continue
            first, child = known
            if isinstance(child, Table) and child.origin in ("dotted", "implied"):
                table = child
                continue
            self._keys.report_duplicate(key, first)
            return self.loose(key, table.depth + 1)
        return table

    def define(self, table: Table, key: Node, value: Node | None, child: Table | None) -> None:
        """Put a value under a key. None stands for a value that was reported and is left out."""
        known = table.names.get(key.text)
        if known is not None:
            self._keys.report_duplicate(key, known[0])
        elif self._keys.accepts(key) and value is not None:
            self._put(table, key, value, child)
        else:
            table.names[key.text] = (key, child)

    def node(self, kind: Literal["scalar", "map", "list"], place: Place, depth: int) -> Node:
        """A new node, counted. Raises `Unreadable` beyond the number of nodes or, for containers, the depth."""
        self._nodes += 1
        here = (place[0], place[1], place[0], place[1] + 1)
        if self._nodes > self._profile.nodes:
            raise self._reporter.refuse(
                "ADK016",
                here,
                f"the file holds more than {self._profile.nodes} keys and values",
                label="the limit is reached here",
            )
        if kind != "scalar" and depth > self._profile.depth:
            raise self._reporter.refuse(
                "ADK016", here, f"nesting is deeper than {self._profile.depth} levels", label=f"level {depth}"
            )
        return Node(kind, *place)

    def loose(self, key: Node, depth: int) -> Table:
        """A table outside the tree, that takes what stands below a header that was reported."""
        return Table(self.node("map", _place(key), depth), "header", depth)

    def _walk(self, table: Table, keys: list[Node]) -> Table:
        for key in keys:
            known = table.names.get(key.text)
            if known is None:
                table = self._add_table(table, key, "implied")
                continue
            first, child = known
            if isinstance(child, Tables):
                table = child.last
            elif isinstance(child, Table) and child.origin != "inline":
                table = child
            else:
                self._keys.report_duplicate(key, first)
                return self.loose(key, table.depth + 1)
        return table

    def _add_table(self, parent: Table, key: Node, origin: Origin) -> Table:
        table = Table(self.node("map", _place(key), parent.depth + 1), origin, parent.depth + 1)
        self._put(parent, key, table.node, table)
        return table

    def _put(self, parent: Table, key: Node, value: Node, child: Table | Tables | None) -> None:
        parent.names[key.text] = (key, child)
        parent.node.entries.append((key, value))


def _place(node: Node) -> Place:
    return node.line, node.column, node.end_line, node.end_column
