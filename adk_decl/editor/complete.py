"""What can be written at the cursor: keys of the schema, values, names of definitions, components, code."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, NamedTuple, cast

from adk_decl.compiler.code_reference import PREFIX
from adk_decl.components.descriptor import Kind
from adk_decl.editor.complete_code import code_names
from adk_decl.editor.manifest import Manifest, Where
from adk_decl.editor.names import definition_words, definitions, table_of
from adk_decl.editor.place import Place, place_at
from adk_decl.editor.spelling import key_text, value_text
from adk_decl.editor.uses import Use
from adk_decl.editor.words import component_words, field_words, type_words
from adk_decl.schema.checks import types_of

ItemKind = Literal["key", "value", "name", "component", "code"]


class Item(NamedTuple):
    """One offer. `text` replaces the columns `start` to `end`, from 0, of the line that the cursor is in."""

    label: str
    kind: ItemKind
    text: str
    detail: str
    documentation: str
    start: int
    end: int


def complete(manifest: Manifest, line: int, column: int) -> list[Item]:
    """The offers at a line and column from 1, best first; empty where nothing is known."""
    place = place_at(manifest.text, manifest.format, line, column)
    where = manifest.where(place.path) if place is not None else None
    if place is None or where is None:
        return []
    row = manifest.text.split("\n")[line - 1].removesuffix("\r")
    return list(_Offers(manifest, place, row).at(where))


class _Offers:
    def __init__(self, manifest: Manifest, place: Place, row: str) -> None:
        self.manifest = manifest
        self.place = place
        self.row = row
        self.lead = ""

    def at(self, where: Where) -> Iterator[Item]:
        types = types_of(where.schema)
        role = self.place.role
        if role == "value":
            yield from self._values(where, self.place.path)
        elif role in ("key", "header"):
            yield from self._keys(where)
        elif "array" in types and "object" not in types:
            item = where.below(0)
            if item is not None:
                self.lead = "- "
                yield from self._values(item, (*self.place.path, 0))
        else:
            if types != ("object",):
                yield from self._values(where, self.place.path)
            if "object" in types and not self.place.in_flow:
                yield from self._keys(where)

    def _keys(self, where: Where) -> Iterator[Item]:
        taken = self._taken()
        fields = where.fields()
        required = where.schema.get("required", ())
        for name in sorted(fields, key=lambda name: name not in required):
            found = fields[name]
            if name in taken or found.schema.get("x-never") or not self._fits_header(found):
                continue
            text = key_text(name, found.schema, self.place, self.row, self.manifest.format)
            detail = type_words(found.schema) + (", required" if name in required else "")
            yield self._item(name, "key", text, detail, field_words(name, found.schema))

    def _fits_header(self, field: Where) -> bool:
        return self.place.role != "header" or types_of(field.schema) == ("object",)

    def _taken(self) -> set[str]:
        """The keys that stand in this map already, without the one that is being written."""
        node = self.manifest.node(self.place.path)
        if node is None or node.kind != "map" or self.place.role == "header":
            return set()
        own = self.row[self.place.start : self.place.end].strip()
        return set(node.keys()) - {own}

    def _values(self, where: Where, path: tuple[str | int, ...]) -> Iterator[Item]:
        schema = where.schema
        table = table_of(where)
        if table is not None:
            present = self._present(path)
            for each in definitions(self.manifest, table):
                if each.name not in present:
                    detail = table.removesuffix("s")
                    yield self._value(each.name, "name", detail, definition_words(each))
        if "x-component" in schema:
            yield from self._components(cast("Kind", schema["x-component"]))
        if "x-component" in schema or "x-code" in schema:
            yield from self._code(wants_class=schema.get("x-component") == "plugin")
        yield from self._choices(schema)
        if schema.get("x-secret") is True and not self.place.quote:
            text = "{ secret = { env = } }" if self.manifest.format == "toml" else "{secret: {env: }}"
            yield self._item("{secret: {env: …}}", "value", self._spaced(text), "from the environment", "")

    def _components(self, kind: Kind) -> Iterator[Item]:
        for name in self.manifest.components.names(kind):
            component = self.manifest.components.named(Use(kind, name))
            if component is not None:
                yield self._value(name, "component", component.summary, component_words(component))

    def _code(self, *, wants_class: bool) -> Iterator[Item]:
        for name, detail in code_names(self.manifest, self.place.word, wants_class=wants_class):
            yield self._value(PREFIX + name, "code", detail, "")

    def _choices(self, schema: Any) -> Iterator[Item]:
        choices = list(schema.get("enum", ())) or ([schema["const"]] if "const" in schema else [])
        if "boolean" in types_of(schema) and "type" in schema:
            choices += [True, False]
        default = schema.get("default")
        if isinstance(default, bool | int | float | str) and default not in choices:
            choices.append(default)
        for choice in choices:
            detail = "default" if choice == default and type(choice) is type(default) else ""
            yield self._value(choice, "value", detail, "")

    def _present(self, path: tuple[str | int, ...]) -> set[str]:
        """The names that a list holds already, without the one that is being written."""
        around = self.manifest.node(path[:-1]) if path and isinstance(path[-1], int) else None
        own = self.row[self.place.start : self.place.end].strip("\"' ")
        return {str(item.value) for item in around.items if item.value != own} if around is not None else set()

    def _value(self, value: str | bool | int | float, kind: ItemKind, detail: str, documentation: str) -> Item:
        text = value_text(value, self.place, self.manifest.format)
        label = value if isinstance(value, str) else value_text(value, self.place, self.manifest.format)
        return self._item(label, kind, self._spaced(text), detail, documentation)

    def _spaced(self, text: str) -> str:
        """A value after its sign: `key:` is followed by a space."""
        before = self.row[: self.place.start][-1:]
        return f" {text}" if before in (":", "=") and not self.place.quote else text

    def _item(self, label: str, kind: ItemKind, text: str, detail: str, documentation: str) -> Item:
        return Item(label, kind, self.lead + text, detail, documentation, self.place.start, self.place.end)
