"""Keywords for configurations that hold regular expressions and schemas."""

from __future__ import annotations

from typing import Any

import pytest

from adk_decl.json_schema import validator
from adk_decl.schema.load import Shape
from tests.schema.shapes import check, node_of

REGEX = {"type": "string", "x-regex": True}
SCHEMA = {"type": "object", "x-json-schema": True}


@pytest.mark.parametrize("pattern", [r"^rm\b", "a+b*", "(?:a|b)", "é{2,3}"])
def test_a_safe_regular_expression_passes(pattern: str) -> None:
    assert check(Shape(REGEX), node_of(pattern))[0] == ()
    assert validator(REGEX)(pattern) == []


@pytest.mark.parametrize("pattern", ["(", "(a+)+", r"(a)\1", "(?<=a)b", "a" * 5000, "[z-a]"])
def test_any_other_is_refused_and_not_shown(pattern: str) -> None:
    found, _ = check(Shape(REGEX), node_of(pattern))
    assert [f.code for f in found] == ["ADK122"]
    assert pattern not in found[0].message + (found[0].label or "")
    assert [p.keyword for p in validator(REGEX)(pattern)] == ["x-regex"]


@pytest.mark.parametrize("schema", [{}, {"type": "object", "properties": {"a": {"oneOf": [{"const": 1}]}}}])
def test_a_schema_passes(schema: dict[str, Any]) -> None:
    assert check(Shape(SCHEMA), node_of(schema))[0] == ()


@pytest.mark.parametrize(
    "schema",
    [{"type": "objekt"}, {"properties": 3}, {"$ref": "https://example.org/x"}, {"pattern": "(a+)+"}, {"minItems": -1}],
)
def test_what_is_no_usable_schema_is_refused(schema: dict[str, Any]) -> None:
    found, _ = check(Shape(SCHEMA), node_of(schema))
    assert [f.code for f in found] == ["ADK122"]
