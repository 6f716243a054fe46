"""What is told of one component."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from adk_decl.cli.component_text import config_rows, domain_of, effective_defaults, example_of, render_component
from adk_decl.compiler.compile import compile_file
from adk_decl.components.catalogue import all_components
from adk_decl.components.descriptor import OWN_DISTRIBUTION, ComponentDescriptor
from adk_decl.plan.frozen_json import freeze
from adk_decl.plan.record import FrozenMap

OWN = [each for each in all_components() if each.distribution == OWN_DISTRIBUTION]
SCHEMA = {
    "type": "object",
    "required": ["host", "rules"],
    "properties": {
        "host": {"description": "Where.\nReally.", "type": "string", "examples": ["h.example"]},
        "retries": {"description": "How often.", "type": "integer", "minimum": 0, "maximum": 9, "default": 2},
        "rules": {
            "description": "Rules.",
            "type": "array",
            "items": {
                "type": "object",
                "required": ["do"],
                "properties": {"do": {"type": "string", "enum": ["a", "b"]}},
            },
        },
    },
}


def _component(**changes: Any) -> ComponentDescriptor:
    given: dict[str, Any] = {"name": "far_guard", "kind": "plugin", "entry": "m:C", "distribution": "far-away"}
    schema = freeze(SCHEMA)
    assert isinstance(schema, FrozenMap)
    return ComponentDescriptor(config_schema=schema, summary="guards\x1b[31m", **(given | changes))


@pytest.mark.parametrize("component", OWN, ids=lambda each: f"{each.kind} {each.name}")
def test_every_example_of_ours_compiles(component: ComponentDescriptor, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").touch()
    parts = example_of(component)
    manifest = {
        "apiVersion": "adk-decl/v1",
        "kind": "Manifest",
        "name": "example",
        "models": {"clerk": {"use": "scripted", "config": {"replies": [{"text": "x"}]}}} | parts.get("models", {}),
        "plugins": parts.get("plugins", {}),
        "agents": {"support": {"model": next(iter(parts.get("models", {"clerk": 1})))}},
        "runners": parts.get("runners") or {"desk": {"agent": "support", "plugins": list(parts.get("plugins", {}))}},
    }
    path = tmp_path / "m.adk.yaml"
    path.write_text(json.dumps(manifest), encoding="utf-8")
    found = [finding for finding in compile_file(str(path)).diagnostics if finding.severity == "error"]
    assert [(each.code, each.message) for each in found] == []


@pytest.mark.parametrize("component", OWN, ids=lambda each: f"{each.kind} {each.name}")
def test_every_key_of_ours_is_told(component: ComponentDescriptor) -> None:
    text = render_component(component)
    assert [name for name in component.config_schema.get("properties", {}) if f"  {name} " not in text] == []
    assert all(line.isprintable() for line in text.splitlines())


def test_a_guard_of_another_package() -> None:
    guard = _component(guard=True, requires_intervene=True, defaults=FrozenMap({"timeout_ms": 5}), stage="beta")
    text = render_component(guard)
    assert text.startswith("plugin far_guard · beta · from far-away\n")
    assert domain_of(guard) == "dist:far-away"
    assert (effective_defaults(guard)["failure_policy"], effective_defaults(guard)["timeout_ms"]) == ("closed", 5)
    assert "closed on failure unless its own descriptor opens it" in text
    assert "\x1b" not in text


def test_keys_with_types_bounds_and_defaults() -> None:
    assert config_rows(_component()) == [
        ("host", "text, required", "Where.\\nReally."),
        ("retries", "a whole number from 0 to 9, default 2", "How often."),
        ("rules", "a list, required", "Rules."),
        ("rules[].do", "text, required, one of a, b", ""),
    ]


def test_an_example_holds_what_is_required() -> None:
    use = {"use": "far_guard", "config": {"host": "h.example", "rules": [{"do": "a"}]}}
    assert example_of(_component()) == {"plugins": {"far-guard": use}}
    criterion = example_of(_component(kind="criterion"))
    assert criterion == {"evals": {"gate": {"criteria": [{"id": "far-guard", **use}]}}}
    assert set(example_of(_component(kind="exporter"))) == {"exporters"}
    assert effective_defaults(_component(kind="exporter")) == {}
