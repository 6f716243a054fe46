"""A manifest as it stands in an editor: its tree as far as there is one, and the schema of each place."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, cast

from adk_decl.compiler.context import Context
from adk_decl.components.descriptor import Kind
from adk_decl.diagnostics.diagnostic import DiagnosticBag
from adk_decl.editor.uses import Components, Use, with_layers
from adk_decl.schema.load import InvalidSchema, Schema, Shape, load_shape, shape_from
from adk_decl.syntax.document import Document, Node, Path
from adk_decl.syntax.read import Format, format_of, read_bytes

CONFIG = "config"


class Where(NamedTuple):
    """The schema of one place, with the shape that its references belong to."""

    shape: Shape
    schema: Schema

    def fields(self) -> dict[str, Where]:
        """The keys that a map here may have, those of `if`, `then` and `else` included."""
        found: dict[str, Where] = {}
        for part in _parts(self.schema):
            for name, schema in part.get("properties", {}).items():
                below = self._resolved(schema)
                if below is not None:
                    found.setdefault(name, below)
        return found

    def below(self, step: str | int) -> Where | None:
        """The schema of a value or of an item of what stands here."""
        if isinstance(step, int):
            return self._resolved(self.schema.get("items"))
        found = self.fields().get(step)
        return found if found is not None else self._resolved(self.schema.get("additionalProperties"))

    def _resolved(self, schema: Any) -> Where | None:
        if not isinstance(schema, Mapping):
            return None
        try:
            return Where(self.shape, self.shape.resolve(schema))
        except InvalidSchema:
            return None


class Manifest:
    """One text, read as far as it can be read.

    `document` is the tree of the text; where that can't be parsed, of the text without the line being written, or
    else of the last text that could. `is_exact` says that it is the first of these, so that places in it hold.
    `merged` is the document with its layers, where it has some that can be read.
    """

    def __init__(
        self,
        path: str,
        text: str,
        *,
        line: int | None = None,
        last: Document | None = None,
        texts: Mapping[str, bytes] | None = None,
    ) -> None:
        """`line` is the line being written, from 1; `last` the last tree of this text that there was."""
        self.context = Context(path, texts=texts)
        self.text = text
        self.format: Format = format_of(path) or "yaml"
        found = self._read(text)
        self.is_exact = found is not None
        if found is None and line is not None:
            found = self._read(_without_line(text, line))
        self.document = found if found is not None else last
        self.merged = with_layers(self.document, self.context) if self.document is not None else None
        self.components = Components(self.context, self.merged)

    @property
    def root(self) -> Node | None:
        """The root of the tree of this text alone, when there is one and it is a map."""
        return self.document.root if self.document is not None and self.document.root.kind == "map" else None

    def node(self, path: Path) -> Node | None:
        """The node at a path of the tree of this text alone."""
        return _descend(self.root, path)

    def where(self, path: Path) -> Where | None:
        """The schema of a place, that of the component inside `config`; None where nothing is known."""
        shape = load_shape("Manifest")
        current: Where | None = Where(shape, shape.resolve(shape.root))
        for index, step in enumerate(path):
            if current is None:
                return None
            own = self._config(current, path[:index]) if step == CONFIG else None
            current = own if own is not None else current.below(step)
        return current

    def table(self, name: str) -> Iterator[tuple[Node, Node]]:
        """The definitions of one table, such as `models`, those of layers included: key and value nodes."""
        root = self.merged.root if self.merged is not None else None
        table = root.get(name) if root is not None and root.kind == "map" else None
        for key, value in table.entries if table is not None and table.kind == "map" else ():
            if not key.text.startswith("x-"):
                yield key, value

    def use(self, where: Where, owner: Path) -> Use | None:
        """The component that the map at `owner` names, when its schema says that it may name one."""
        field = where.fields().get("use")
        kind = field.schema.get("x-component") if field is not None else None
        named = self.node((*owner, "use")) or _descend(self.merged.root if self.merged else None, (*owner, "use"))
        if kind is None or named is None or not isinstance(named.value, str):
            return None
        return Use(cast("Kind", kind), named.value)

    def absolute(self, relative: str) -> str:
        """The absolute path of a file that the manifest names."""
        return self.context.beside(relative)

    def shown_file(self, shown: str) -> str:
        """The absolute path of a file as findings name it."""
        return os.path.normpath(os.path.join(self.context.cwd, shown))

    def layer_text(self, shown: str) -> str | None:
        """The text of this file or of one of its layers, by the name that findings give it."""
        return self.text if shown == self.context.shown else self.context.sources.get(shown)

    def _config(self, owner: Where, path: Path) -> Where | None:
        use = self.use(owner, path)
        schema = self.components.config_schema(use) if use is not None else None
        if not schema:
            return None
        shape = shape_from(schema)
        try:
            return Where(shape, shape.resolve(schema))
        except InvalidSchema:
            return None

    def _read(self, text: str) -> Document | None:
        data = text.encode("utf-8", "surrogatepass")
        return read_bytes(data, file=self.context.shown, format=self.format, bag=DiagnosticBag())


class Found(NamedTuple):
    """What stands at a place of the tree: a key or a value, with its path and node."""

    path: Path
    node: Node
    is_key: bool


def find(root: Node, line: int, column: int) -> Found | None:
    """The key or scalar at a line and column from 1; its end counts too, so that the cursor after a word finds it."""
    node, path = root, cast("Path", ())
    while node.kind != "scalar":
        step: str | int | None = None
        for key, value in node.entries:
            if _covers(key, line, column):
                return Found((*path, key.text), key, True)
            if _begins_before(value, line, column):
                step, following = key.text, value
        for index, item in enumerate(node.items):
            if _begins_before(item, line, column):
                step, following = index, item
        if step is None:
            return None
        node, path = following, (*path, step)
    return Found(path, node, False) if _covers(node, line, column) else None


def _descend(node: Node | None, path: Path) -> Node | None:
    for step in path:
        if node is None:
            return None
        if isinstance(step, int):
            node = node.items[step] if node.kind == "list" and step < len(node.items) else None
        else:
            node = node.get(step) if node.kind == "map" else None
    return node


def _covers(node: Node, line: int, column: int) -> bool:
    return (node.line, node.column) <= (line, column) <= (node.end_line, node.end_column)


def _begins_before(node: Node, line: int, column: int) -> bool:
    return (node.line, node.column) <= (line, column)


def _parts(schema: Schema) -> Iterator[Mapping[str, Any]]:
    """A schema and the conditional parts of it."""
    waiting: list[Any] = [schema]
    while waiting:
        part = waiting.pop(0)
        if isinstance(part, Mapping):
            yield part
            waiting += [part[name] for name in ("if", "then", "else") if name in part]
            waiting += list(part.get("allOf", ()))


def _without_line(text: str, line: int) -> str:
    lines = text.split("\n")
    if 1 <= line <= len(lines):
        lines[line - 1] = ""
    return "\n".join(lines)
