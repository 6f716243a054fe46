"""Configurations against the schemas of components: inside the subset and beyond it, never showing a value."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from typing import Any

import pytest

from adk_decl.components.catalogue import find
from adk_decl.diagnostics.diagnostic import Diagnostic, DiagnosticBag
from adk_decl.diagnostics.text import render
from adk_decl.schema.config import check_config
from tests.schema.oracle import accepts, mutated
from tests.schema.shapes import read

CANARY = "canary-7f3a"
SIMPLE = {
    "type": "object",
    "required": ["limit"],
    "additionalProperties": False,
    "properties": {
        "limit": {
            "type": ["integer", "string"],
            "minimum": 1,
            "pattern": "^\\$\\{",
            "x-env": True,
            "x-env-type": "integer",
        },
        "mode": {"enum": ["a", "b"]},
        "key": {
            "type": "object",
            "x-secret": True,
            "required": ["secret"],
            "properties": {"secret": {"type": "object"}},
        },
        "headers": {
            "type": "object",
            "additionalProperties": {
                "type": ["string", "object"],
                "x-secret": True,
                "required": ["secret"],
                "properties": {"secret": {"type": "object", "properties": {"env": {"type": "string"}}}},
            },
        },
    },
}
BEYOND = {
    "type": "object",
    "properties": {"a": {"anyOf": [{"type": "integer"}, {"type": "null"}]}, "b": {"type": "array", "minItems": 2}},
    "required": ["a"],
    "additionalProperties": False,
}


def checked(schema: Mapping[str, Any], config: str) -> tuple[tuple[Diagnostic, ...], set[int], str]:
    """Findings, poisoned nodes, and the rendering for a configuration that stands in a plugin."""
    text = f"plugins:\n  p:\n    config: {config}\n"
    document = read(text)
    node: Any = document.root
    for key in ("plugins", "p", "config"):
        node = node.get(key)
    bag = DiagnosticBag()
    result = check_config(schema, node, file="m.yaml", bag=bag, path=("plugins", "p", "config"))
    found = bag.sorted()
    return found, result.poisoned, render(found, {"m.yaml": text})


@pytest.mark.parametrize(
    ("config", "codes"),
    [
        ("{limit: 5}", []),
        ("{limit: '${env:LIMIT:-5}'}", []),
        ("{limit: 5, key: {secret: {env: A}}}", []),
        ("{limit: 5, headers: {accept: json, auth: {secret: {env: A}}}}", []),
        ("{limit: 0}", ["ADK121"]),
        (f"{{limit: {CANARY}}}", ["ADK101"]),
        ("{}", ["ADK111"]),
        (f"{{limt: {CANARY}}}", ["ADK110"]),
        (f"{{limit: 1, mode: {CANARY}}}", ["ADK120"]),
        (f"{{limit: 1, key: {CANARY}}}", ["ADK301"]),
        ("{limit: 1, mode: '${env:MODE}'}", ["ADK303"]),
        ("{limit: {secret: {env: A}}}", ["ADK306"]),
        (f"[{CANARY}]", ["ADK101"]),
        (CANARY, ["ADK101"]),
    ],
)
def test_inside_the_subset(config: str, codes: list[str]) -> None:
    found, _, shown = checked(SIMPLE, config)
    assert [f.code for f in found] == codes
    assert all(f.mask_values for f in found)
    assert all(f.path[:3] == ("plugins", "p", "config") for f in found)
    assert CANARY not in shown


@pytest.mark.parametrize(
    ("config", "codes", "column"),
    [
        ("{a: 1, b: [1, 2]}", [], 0),
        ("{a: null}", [], 0),
        (f"{{a: {CANARY}}}", ["ADK122"], 17),
        ("{b: [1, 2]}", ["ADK111"], 14),
        (f"{{a: 1, b: [{CANARY}]}}", ["ADK123"], 20),
        (f"{{a: 1, {CANARY}: 1}}", ["ADK110"], 14),
        ("{a: '${env:A}'}", ["ADK303"], 17),
        ("{a: {secret: {env: A}}}", ["ADK306"], 14),
    ],
)
def test_beyond_the_subset(config: str, codes: list[str], column: int) -> None:
    found, poisoned, shown = checked(BEYOND, config)
    assert [f.code for f in found] == codes
    assert [f.span.column for f in found] == [column] * len(found)
    assert all(f.mask_values for f in found)
    assert len(poisoned) == len(found)
    assert CANARY not in shown.replace(f" {CANARY}: ", "")


@pytest.mark.parametrize("schema", [{"type": "strin"}, {"pattern": "(a+)+"}, {"$ref": "#/none"}, {"oneOf": 5}])
def test_a_schema_that_can_not_be_used_is_a_finding_about_the_component(schema: Mapping[str, Any]) -> None:
    found, _, _ = checked(schema, "{a: 1}")
    assert [f.code for f in found] in (["ADK218"], ["ADK122"])


def test_an_empty_schema_takes_anything_but_references_and_secrets() -> None:
    assert checked({}, "{a: [1, {b: x}], c: null}")[0] == ()
    found, _, _ = checked({}, "{a: ['${env:A}'], b: {secret: {env: A}}, 'x-c': '${env:A}'}")
    assert sorted(f.code for f in found) == ["ADK303", "ADK303", "ADK306"]


@pytest.mark.parametrize(
    ("config", "codes"),
    [
        ("{replies: [{text: hello}]}", []),
        ("{replies: [{when: {turn: 1, tool_result: t}, tool_calls: [{name: t, args: {a: 1}}], delay_ms: 1}]}", []),
        ("{replies: []}", ["ADK123"]),
        ("{replies: [{text: a, error: timeout}]}", ["ADK123"]),
        ("{replies: [{when: {turn: 1}}]}", ["ADK123"]),
        ("{replies: [{when: {turn: 0}, text: a}]}", ["ADK121"]),
        ("{replies: [{error: tiemout}]}", ["ADK120"]),
        ("{reply: [{text: a}]}", ["ADK110", "ADK111"]),
        ("{replys: [{text: a}]}", ["ADK110"]),
        ("{replies: [{text: 5}]}", ["ADK101"]),
        ("{replies: [{tool_calls: [{args: {}}]}]}", ["ADK111"]),
        ("{replies: [{text: 'costs ${price}'}]}", ["ADK303"]),
        ("{replies: [{text: 'costs $5 or $${price}'}]}", []),
    ],
)
def test_the_configuration_of_a_scripted_model(config: str, codes: list[str]) -> None:
    component = find("model", "scripted")
    assert component is not None
    found, _, _ = checked(component.config_schema, config)
    assert sorted(f.code for f in found) == codes


RICH: dict[str, Any] = {
    "type": "object",
    "required": ["mode", "steps"],
    "properties": {
        "mode": {"oneOf": [{"const": "a"}, {"enum": ["b", "c"]}]},
        "steps": {
            "type": "array",
            "prefixItems": [{"type": "string"}],
            "items": {"type": "integer"},
            "contains": {"const": 2},
        },
        "limit": {"type": "integer", "multipleOf": 5, "not": {"const": 50}},
        "inner": {"type": "object", "dependentRequired": {"a": ["b"]}, "minProperties": 1},
    },
    "patternProperties": {"^z": {"anyOf": [{"type": "null"}, {"type": "object", "maxProperties": 1}]}},
    "unevaluatedProperties": False,
}
FITTING: dict[str, Any] = {
    "mode": "b",
    "steps": ["x", 1, 2],
    "limit": 10,
    "inner": {"a": 1, "b": 2},
    "z1": {"k": None},
}


def test_a_schema_beyond_the_subset_gives_the_verdict_of_the_package_at_a_place() -> None:
    judge, source = accepts(RICH), random.Random(5)
    assert judge(FITTING)
    refused = 0
    for _ in range(400):
        data = mutated(FITTING, source)
        text = json.dumps(data, ensure_ascii=False)
        if "$" in text or '"secret"' in text or "\\u" in text:
            continue  # what only we refuse
        found, _, shown = checked(RICH, text)
        assert bool(found) != judge(data), text
        refused += bool(found)
        for each in found:
            assert each.span.line == 3
            assert 5 <= each.span.column <= len(f"    config: {text}")
        assert "canary" not in shown
    assert refused > 200
