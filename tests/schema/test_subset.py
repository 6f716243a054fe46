"""What of JSON Schema is evaluated over nodes, and what is left to the jsonschema package."""

from __future__ import annotations

from typing import Any

import pytest

from adk_decl.plan.frozen_json import freeze
from adk_decl.schema.load import FILES, load_schema
from adk_decl.schema.subset import in_subset

DEEP: Any = {}
for _ in range(100):
    DEEP = {"items": DEEP}


@pytest.mark.parametrize(
    "schema",
    [
        {},
        True,
        {"type": "object", "properties": {"a": {"type": ["string", "null"]}}, "required": ["a"]},
        {"$ref": "#/$defs/a", "$defs": {"a": {"enum": [1, "x", None]}}},
        {"if": {"properties": {"a": {"const": 1}}}, "then": {"required": ["b"]}, "else": {"required": ["c"]}},
        {"allOf": [{"if": {}, "then": {"properties": {"a": False}}}]},
        {"propertyNames": {"pattern": "^[a-z]+$"}, "patternProperties": {"^x-": True}},
        {"x-anything": [1], "format": "date", "deprecated": True},
    ],
)
def test_inside(schema: Any) -> None:
    assert in_subset(schema)
    assert in_subset(freeze(schema))


@pytest.mark.parametrize(
    "schema",
    [
        {"oneOf": [{}]},
        {"anyOf": [{}]},
        {"not": {}},
        {"prefixItems": [{}]},
        {"dependentRequired": {}},
        {"unknown": 1},
        {"type": "text"},
        {"type": []},
        {"enum": [[1]]},
        {"enum": []},
        {"const": {}},
        {"minimum": "1"},
        {"minLength": -1},
        {"maxItems": True},
        {"pattern": "(a+)+"},
        {"pattern": 5},
        {"patternProperties": {"(a+)+": {}}},
        {"$ref": "https://example.com"},
        {"then": {"minimum": 1}},
        {"allOf": [{"type": "string"}]},
        {"allOf": [{"if": {}, "required": ["a"]}]},
        {"propertyNames": {"minimum": 1}},
        {"properties": []},
        {"properties": {"a": {"oneOf": []}}},
        [],
        None,
        DEEP,
    ],
)
def test_beyond(schema: Any) -> None:
    assert not in_subset(schema)


@pytest.mark.parametrize("kind", [kind for kind in FILES if kind == "Manifest"])
def test_our_own_schemas_are_inside(kind: str) -> None:
    assert in_subset(load_schema(kind))
