"""Every value of a plan knows where it was stated."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from adk_decl.plan.model import Plan
from adk_decl.plan.record import FrozenMap, Record
from tests.compiler.layered import BASE_TEXT, compile_layers
from tests.compiler.project import HEAD, MODEL, compiled

TEXT = f"""\
{HEAD}{MODEL}\
tools:
  lookup: {{use: "python:own:lookup", timeout_ms: 40}}
agents:
  support: {{model: clerk, tools: [lookup]}}
plugins:
  log: {{use: metadata_logger, timeout_ms: 10, domain: d}}
runners:
  desk:
    agent: support
    plugins: [log, {{id: in/line, use: metadata_logger}}]
    plugin_defaults: {{max_heap_mib: 9}}
    limits: {{run_timeout_ms: 50000}}
"""


@pytest.fixture
def plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Plan:
    """A plan whose values come from everywhere."""
    monkeypatch.chdir(tmp_path)
    return compiled(tmp_path, TEXT, {"own.py": "def lookup(a: int): ...\n"})


@pytest.mark.parametrize(
    ("pointer", "line", "layer"),
    [
        ("/name", 3, "m.adk.yaml"),
        ("/models/clerk/use", 5, "m.adk.yaml"),
        ("/models/clerk/timeout_ms", 0, "default"),
        ("/tools/lookup/timeout_ms", 7, "m.adk.yaml"),
        ("/tools/lookup/code/module", 7, "m.adk.yaml"),
        ("/tools/lookup/parameters/required/0", 0, "code"),
        ("/runners/desk/limits/run_timeout_ms", 17, "m.adk.yaml"),
        ("/runners/desk/limits/max_model_calls", 0, "default"),
        ("/runners/desk/plugins/0/timeout_ms", 11, "m.adk.yaml"),
        ("/runners/desk/plugins/0/domain", 11, "m.adk.yaml"),
        ("/runners/desk/plugins/0/max_heap_mib", 16, "m.adk.yaml"),
        ("/runners/desk/plugins/0/mode", 0, "default"),
        ("/runners/desk/plugins/0/hooks/0", 0, "component"),
        ("/runners/desk/plugins/1/id", 15, "m.adk.yaml"),
    ],
)
def test_where_a_value_was_stated(plan: Plan, pointer: str, line: int, layer: str) -> None:
    origin = plan.origins[pointer]
    assert (origin.line, origin.layer) == (line, layer)
    assert origin.file == ("m.adk.yaml" if line else None)


def test_every_leaf_has_an_origin(plan: Plan) -> None:
    assert set(_leaves(plan.body, "")) == set(plan.origins)


def test_origins_do_not_count(plan: Plan) -> None:
    assert plan == plan.replace(origins=FrozenMap())
    assert "origins" not in plan.canonical_json()


def test_what_a_layer_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    layers = {
        "main.yaml": "apiVersion: adk-decl/v1\nkind: Manifest\nname: m\nextends: base.yaml\n",
        "base.yaml": BASE_TEXT.replace("{use: scripted", "{api_key: hunter2, use: scripted"),
        "a.yaml": "plugins: {log: {timeout_ms: 20}}\nmodels: {clerk: {api_key: {secret: {env: OLD}}}}\n",
        "b.yaml": "plugins: {log: {timeout_ms: 30}}\nmodels: {clerk: {api_key: {secret: {env: NEW}}}}\n",
    }
    plan = compile_layers(tmp_path, layers, main="main.yaml", overlays=["a.yaml", "b.yaml"]).plan
    assert plan is not None
    origin = plan.origins["/runners/desk/plugins/0/timeout_ms"]
    assert (origin.file, origin.layer, origin.replaced and origin.replaced.value) == ("b.yaml", "b.yaml", 20)
    below = origin.replaced.origin if origin.replaced is not None else origin
    assert (below.file, below.line, below.column) == ("a.yaml", 1, 29)
    assert below.replaced is not None
    assert (below.replaced.value, below.replaced.origin.file) == (250, "base.yaml")
    key = plan.origins["/models/clerk/api_key"].replaced
    assert key is not None
    assert key.value == {"secret": {"env": "OLD"}}
    assert key.origin.replaced is not None
    assert (key.origin.replaced.value, key.origin.replaced.hidden) == (None, True)
    assert plan.origins["/runners/desk/plugins/0/id"].file == "base.yaml"


def _leaves(value: Any, pointer: str) -> Iterator[str]:
    if isinstance(value, Mapping):
        parts = [(str(key), item) for key, item in value.items()]
    elif isinstance(value, tuple):
        parts = [(str(index), item) for index, item in enumerate(value)]
    elif isinstance(value, Record) and not hasattr(value, "canonical_json"):
        parts = [(name, getattr(value, name)) for name in value._fields]
    else:
        parts = []
    if not parts:
        yield pointer
    for key, item in parts:
        yield from _leaves(item, f"{pointer}/{key}")
