"""What the tests of schemas share: nodes from plain data, findings of a text, every key at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from adk_decl.diagnostics.diagnostic import Diagnostic, DiagnosticBag
from adk_decl.schema.evaluate import ShapeResult, evaluate
from adk_decl.schema.load import Shape, load_shape
from adk_decl.syntax.document import Document, Node
from adk_decl.syntax.read import read_bytes

EVERY_KEY = (Path(__file__).parent / "every_key.yaml").read_text(encoding="utf-8")


def read(text: str) -> Document:
    """The document of a YAML text that can be read."""
    bag = DiagnosticBag()
    document = read_bytes(text.encode(), file="m.yaml", format="yaml", bag=bag)
    assert document is not None, bag.sorted()
    return document


def node_of(value: Any) -> Node:
    """Nodes of plain data, all at line 1."""
    kind = "map" if isinstance(value, Mapping) else "list" if isinstance(value, list) else "scalar"
    node = Node(kind, 1, 1, 1, 2)  # type: ignore[arg-type]
    if isinstance(value, Mapping):
        node.entries = [(node_of(str(key)), node_of(item)) for key, item in value.items()]
    elif isinstance(value, list):
        node.items = [node_of(item) for item in value]
    else:
        node.value = value
        node.text = str(value)
    return node


def check(shape: Shape, node: Node) -> tuple[tuple[Diagnostic, ...], ShapeResult]:
    """The findings of one evaluation, sorted, and its result."""
    bag = DiagnosticBag()
    result = evaluate(shape, node, file="m.yaml", bag=bag)
    return bag.sorted(), result


def findings(text: str) -> tuple[Diagnostic, ...]:
    """The findings about the shape of a manifest."""
    return check(load_shape("Manifest"), read(text).root)[0]


def manifest(body: str) -> str:
    """A manifest with the keys that each one needs. They take three lines."""
    return f"apiVersion: adk-decl/v1\nkind: Manifest\nname: m\n{body}"


def sub_schemas(schema: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Mapping[str, Any]]]:
    """Every schema inside a schema, itself included, with its path."""
    if not isinstance(schema, Mapping):
        return
    yield path, schema
    for key in ("properties", "patternProperties", "$defs"):
        for name, part in schema.get(key, {}).items():
            yield from sub_schemas(part, (*path, key, name))
    for key in ("additionalProperties", "propertyNames", "items", "if", "then", "else"):
        yield from sub_schemas(schema.get(key), (*path, key))
    for index, part in enumerate(schema.get("allOf", ())):
        yield from sub_schemas(part, (*path, "allOf", str(index)))
