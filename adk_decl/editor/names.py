"""Names of definitions: which table a value refers to, and where the definition stands."""

from __future__ import annotations

from typing import NamedTuple

from adk_decl.editor.manifest import Manifest, Where
from adk_decl.syntax.document import Node


class Defined(NamedTuple):
    """One definition: its name, the table, its key and its value."""

    name: str
    table: str
    key: Node
    value: Node


def table_of(where: Where | None) -> str | None:
    """The table whose names may stand in a place."""
    found = where.schema.get("x-name-of") if where is not None else None
    return found if isinstance(found, str) else None


def definitions(manifest: Manifest, table: str) -> list[Defined]:
    """All definitions of a table, in order."""
    return [Defined(key.text, table, key, value) for key, value in manifest.table(table)]


def definition(manifest: Manifest, table: str, name: str) -> Defined | None:
    """The definition of a name, or None."""
    return next((each for each in definitions(manifest, table) if each.name == name), None)


def definition_words(found: Defined) -> str:
    """What a definition is, in Markdown: its kind, its component and its description."""
    what = found.table.removesuffix("s")
    parts = [_text(found.value, key) for key in ("use", "model", "agent")]
    uses = ", ".join(f"`{part}`" for part in parts if part is not None)
    lines = [f"{what} **`{found.name}`**" + (f": {uses}" if uses else "")]
    description = _text(found.value, "description")
    return "\n\n".join([*lines, description] if description else lines)


def _text(node: Node, key: str) -> str | None:
    value = node.get(key) if node.kind == "map" else None
    return value.value if value is not None and isinstance(value.value, str) else None
