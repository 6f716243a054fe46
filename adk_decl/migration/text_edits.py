"""The text edits of an operation: in block and flow style of YAML, in TOML, in JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from adk_decl.diagnostics.diagnostic import Edit, Span
from adk_decl.migration.operations import NotPossible, Operation
from adk_decl.syntax.document import Document, Node

_PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_PLAIN_VALUE = re.compile(r"[A-Za-z_][A-Za-z0-9_./-]*")
_WORDS = frozenset(("true", "false", "null", "yes", "no", "on", "off", "y", "n"))
_STEP = "  "


def edits_of(operation: Operation, document: Document) -> list[Edit]:
    """The edits that make one change in the text of a document.

    Raises `NotPossible` for a text that is written in a way that these edits do not know.
    """
    return list(_Writer(document).edits(operation))


class _Writer:
    def __init__(self, document: Document) -> None:
        self.document = document
        self.lines = document.text.split("\n")
        self.json = document.format == "json"
        self.toml = document.format == "toml"

    def edits(self, operation: Operation) -> Iterator[Edit]:
        if operation.kind == "key_by":
            yield from self.key_by(operation)
            return
        owner = self.node(operation.path[:-1])
        last = operation.path[-1]
        if operation.kind == "set":
            node = owner.get(last) if isinstance(last, str) else owner.items[last]
            if node is None or node.kind != "scalar":
                raise NotPossible
            yield self.edit(node, self.value(operation.value, node))
            return
        key = owner.key_node(str(last))
        if key is None:
            raise NotPossible
        if operation.kind == "rename":
            yield self.edit(key, self.key(operation.name))
        else:
            yield self.insertion(owner, key, operation)

    def insertion(self, owner: Node, key: Node, operation: Operation) -> Edit:
        sign = " = " if self.toml else ": "
        entry = f"{self.key(operation.name)}{sign}{self.value(operation.value)}"
        before = self.lines[key.line - 1][: key.column - 1]
        if self.starts_with(owner, "{"):
            return self.at(key.line, key.column, f"{entry}, ")
        indent = re.sub(r"[^ ]", " ", before)
        if self.toml and before.strip():
            raise NotPossible
        return self.at(key.line, key.column, f"{entry}\n{indent}")

    def key_by(self, operation: Operation) -> Iterator[Edit]:
        list_node = self.node(operation.path)
        if self.starts_with(list_node, "["):
            yield from self.flow_list(list_node, operation.name)
        elif self.toml:
            for item in list_node.items:
                yield from self.toml_table(item, operation)
        else:
            yield from self.block_list(list_node, operation)

    def flow_list(self, list_node: Node, name: str) -> Iterator[Edit]:
        if self.toml:
            # An inline table takes no line breaks, so the list may not have been one.
            self.require(list_node.line == list_node.end_line)
        yield self.replace(list_node.line, list_node.column, list_node.column + 1, "{")
        yield self.replace(list_node.end_line, list_node.end_column - 1, list_node.end_column, "}")
        sign = " = " if self.toml else ": "
        for item in list_node.items:
            yield self.at(item.line, item.column, f"{self.name_of(item, name)}{sign}")
            yield self.removal(item, name)

    def block_list(self, list_node: Node, operation: Operation) -> Iterator[Edit]:
        owner = self.node(operation.path[:-1]).key_node(str(operation.path[-1]))
        self.require(owner is not None and bool(list_node.items))
        for item in list_node.items:
            before = self.lines[item.line - 1][: item.column - 1]
            dash = before.rfind("-") + 1
            self.require(dash > 0 and not before[: dash - 1].strip() and not before[dash:].strip())
            # `- ` at the column of the key: as entries of a map, they have to stand deeper.
            shift = _STEP if owner is not None and dash == owner.column else ""
            name = self.name_of(item, operation.name)
            if self.starts_with(item, "{"):
                yield self.replace(item.line, dash, item.column, f"{shift}{name}: ")
                yield self.removal(item, operation.name)
                continue
            yield from self.block_item(item, operation.name, name, dash, shift)

    def block_item(self, item: Node, key_name: str, name: str, dash: int, shift: str) -> Iterator[Edit]:
        (first, value), *rest = item.entries
        if first.text == key_name:
            yield self.span_edit(first.line, dash, value.end_line, value.end_column, f"{shift}{name}:")
            from_line = value.end_line + 1
        else:
            indent = " " * (item.column - 1)
            yield self.replace(item.line, dash, item.column, f"{shift}{name}:\n{indent}{shift}")
            yield self.removal(item, key_name)
            from_line = item.line + 1
        if shift:
            removed = item.key_node(key_name)
            for line in range(from_line, _last_line(rest[-1][1] if rest else value) + 1):
                if self.lines[line - 1].strip() and (removed is None or line != removed.line):
                    yield self.at(line, 1, shift)

    def toml_table(self, item: Node, operation: Operation) -> Iterator[Edit]:
        header = self.lines[item.line - 1]
        match = re.match(r"[ \t]*\[\[(?P<name>[^\]]*)\]\]", header)
        if match is None:
            raise NotPossible
        name = self.name_of(item, operation.name)
        begin = match.start("name") - 1
        yield self.replace(item.line, begin, match.end() + 1, f"[{match['name'].strip()}.{name}]")
        yield self.removal(item, operation.name)
        for key, _ in item.entries:
            if self.lines[key.line - 1].lstrip().startswith("["):
                yield self.at(key.line, key.column, f"{name}.")

    def removal(self, owner: Node, name: str) -> Edit:
        """Takes an entry out of a map; a comment behind it stays."""
        index = next((i for i, (key, _) in enumerate(owner.entries) if key.text == name), None)
        if index is None:
            raise NotPossible
        key, value = owner.entries[index]
        if self.starts_with(owner, "{"):
            if index + 1 < len(owner.entries):
                following = owner.entries[index + 1][0]
                return self.span_edit(key.line, key.column, following.line, following.column, "")
            previous = owner.entries[index - 1][1]
            return self.span_edit(previous.end_line, previous.end_column, value.end_line, value.end_column, "")
        line = self.lines[value.end_line - 1]
        self.require(key.line == value.end_line)
        if line[: key.column - 1].strip():
            raise NotPossible
        rest = line[value.end_column - 1 :]
        if rest.strip():
            return self.replace(key.line, key.column, len(line) - len(rest.lstrip()) + 1, "")
        return self.span_edit(key.line, 1, key.line + 1, 1, "")

    def name_of(self, item: Node, name: str) -> str:
        node = item.get(name) if item.kind == "map" else None
        if node is None or not isinstance(node.value, str):
            raise NotPossible
        return self.key(node.value)

    def node(self, path: tuple[str | int, ...]) -> Node:
        node = self.document.root
        for step in path:
            found = node.items[step] if isinstance(step, int) else node.get(step)
            if found is None:
                raise NotPossible
            node = found
        return node

    def key(self, name: str) -> str:
        return name if not self.json and _PLAIN_KEY.fullmatch(name) and name not in _WORDS else json.dumps(name)

    def value(self, value: object, node: Node | None = None) -> str:
        if not isinstance(value, str):
            return json.dumps(value)
        source = self.lines[node.line - 1][node.column - 1 : node.column] if node is not None else ""
        plain = not self.json and not self.toml and _PLAIN_VALUE.fullmatch(value) and value.lower() not in _WORDS
        if plain and source not in ("'", '"'):
            return value
        return f"'{value}'" if source == "'" and not self.json and "'" not in value else json.dumps(value)

    def starts_with(self, node: Node, sign: str) -> bool:
        if self.toml and node.line <= len(self.lines) and self.lines[node.line - 1].lstrip().startswith("["):
            # A header of a table is no list.
            return False
        return self.lines[node.line - 1][node.column - 1 : node.column] == sign

    def edit(self, node: Node, text: str) -> Edit:
        return Edit(span=node.span(self.document.file), text=text)

    def at(self, line: int, column: int, text: str) -> Edit:
        return self.replace(line, column, column, text)

    def replace(self, line: int, start: int, end: int, text: str) -> Edit:
        return self.span_edit(line, start, line, end, text)

    def span_edit(self, line: int, column: int, end_line: int, end_column: int, text: str) -> Edit:
        span = Span(file=self.document.file, line=line, column=column, end_line=end_line, end_column=end_column)
        return Edit(span=span, text=text)

    def require(self, condition: object) -> None:
        if not condition:
            raise NotPossible


def _last_line(node: Node) -> int:
    """The line of a node's last token."""
    while node.kind != "scalar":
        inner = node.entries[-1][1] if node.entries else node.items[-1] if node.items else None
        if inner is None:
            break
        node = inner
    return node.end_line
