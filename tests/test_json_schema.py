"""Plain data against JSON Schema: no fetch, no value in a problem, no hang."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from adk_decl.json_schema import Problem, UnusableSchema, schema_problems, validator
from adk_decl.plan.frozen_json import freeze

CANARY = "canary-7f3a"
SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["id"],
    "additionalProperties": False,
    "properties": {
        "id": {"type": "integer", "minimum": 1},
        "kind": {"enum": ["a", "b"]},
        "tags": {"type": "array", "items": {"type": "string", "pattern": "^[a-z]+$"}, "maxItems": 2},
        "either": {"oneOf": [{"type": "string"}, {"type": "null"}]},
    },
}


def test_what_fits_has_no_problem() -> None:
    assert validator(SCHEMA)({"id": 1, "kind": "a", "tags": ["x"], "either": None}) == []


@pytest.mark.parametrize(
    ("value", "path", "keyword", "message"),
    [
        ({}, (), "required", "must have the keys id"),
        ({"id": CANARY}, ("id",), "type", "must be of type integer"),
        ({"id": 0}, ("id",), "minimum", "must be at least 1"),
        ({"id": 1, CANARY: 1}, (), "additionalProperties", "has a key that is not allowed"),
        ({"id": 1, "kind": CANARY}, ("kind",), "enum", 'must be one of: "a", "b"'),
        ({"id": 1, "tags": ["a", CANARY]}, ("tags", 1), "pattern", "must match ^[a-z]+$"),
        ({"id": 1, "tags": ["a", "b", "c"]}, ("tags",), "maxItems", "must have at most 2 items"),
        ({"id": 1, "either": 5}, ("either",), "oneOf", "must fit exactly one of the alternatives"),
        ([], (), "type", "must be of type object"),
    ],
)
def test_problems_say_where_and_what_and_no_value(value: Any, path: Any, keyword: str, message: str) -> None:
    (problem,) = validator(SCHEMA)(value)
    assert problem == Problem(path=path, keyword=keyword, message=message)
    assert CANARY not in repr(problem)


def test_problems_are_in_the_order_of_their_paths_and_bounded() -> None:
    problems = validator({"items": {"type": "string"}})([1] * 500)
    assert len(problems) == 100
    assert [p.path for p in problems] == sorted(p.path for p in problems)


def test_frozen_schemas_and_frozen_data_are_taken() -> None:
    check = validator(freeze(SCHEMA))
    assert check(freeze({"id": 1, "tags": ["x"]})) == []
    assert len(check(freeze({"id": "x"}))) == 1


def test_equal_schemas_share_a_validator() -> None:
    assert validator({"type": "string", "minLength": 1}) is validator({"minLength": 1, "type": "string"})


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "strin"},
        {"properties": []},
        {"$ref": "https://example.com/schema.json"},
        {"properties": {"a": {"$ref": "file:///etc/passwd"}}},
        {"pattern": "(a+)+$"},
        {"patternProperties": {"(a|b)*": {}}},
        {"pattern": "("},
        5,
        [],
    ],
)
def test_a_schema_that_can_not_be_used_is_refused(schema: Any) -> None:
    assert schema_problems(schema)
    with pytest.raises(UnusableSchema) as raised:
        validator(schema)
    assert raised.value.problems


def test_a_reference_to_nothing_is_a_problem_of_each_value() -> None:
    (problem,) = validator({"properties": {"a": {"$ref": "#/$defs/none"}}})({"a": 1})
    assert problem.keyword == "$ref"


def test_a_schema_that_never_ends_is_a_problem() -> None:
    (problem,) = validator({"$ref": "#"})({})
    assert problem.keyword == "depth"


def test_deep_data_is_a_problem_and_no_crash() -> None:
    value: Any = 1
    for _ in range(sys.getrecursionlimit()):
        value = [value]
    (problem,) = validator({"items": {"$ref": "#"}})(value)
    assert problem.keyword == "depth"


def test_our_own_keywords_hold() -> None:
    check = validator({"type": "object", "x-exactly-one": ["a", "b"], "properties": {"a": {"x-max-bytes": 2}}})
    assert check({"a": "é"}) == []
    assert [p.keyword for p in check({"a": "éa"})] == ["x-max-bytes"]
    assert [p.keyword for p in check({})] == ["x-exactly-one"]
