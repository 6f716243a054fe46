"""Our evaluator and the `jsonschema` package give the same verdict: on examples, and on random changes of them."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from adk_decl.components.catalogue import BUILTIN_FILES
from adk_decl.data_files import read_package_file
from adk_decl.schema.load import Shape, load_schema, load_shape
from tests.schema.oracle import accepts, assert_same_verdict, mutated
from tests.schema.shapes import EVERY_KEY, read

CORPUS = sorted((Path(__file__).parents[2] / "manifests").glob("**/*.yaml"))
WHOLE: Any = read(EVERY_KEY).root.to_plain()
MANIFEST = load_schema("Manifest")
JUDGE = accepts(MANIFEST)
SCRIPT = {
    "replies": [
        {"when": {"turn": 1, "contains": "a", "tool_result": "t"}, "text": "b", "delay_ms": 1},
        {"tool_calls": [{"name": "t", "args": {"a": [1]}, "call_id": "1"}], "usage": {"input_tokens": 1}},
        {"error": "timeout"},
        {"chunks": ["a", "b"]},
    ]
}


def part_of(block: str) -> dict[str, Any]:
    """A manifest with one block of the large one, so that a judgement takes little time."""
    return {key: WHOLE[key] for key in ("apiVersion", "kind", "name", block)}


PARTS = [part_of(b) for b in ("models", "tools", "agents", "plugins", "exporters", "runners", "evals", "features")]


def run(times: int, seed: int) -> None:
    source = random.Random(seed)
    shape = load_shape("Manifest")
    for _ in range(times):
        assert_same_verdict(shape, JUDGE, mutated(source.choice(PARTS), source))


def test_the_whole_manifest_fits() -> None:
    assert JUDGE(WHOLE)
    assert_same_verdict(load_shape("Manifest"), JUDGE, WHOLE)


def test_changes_of_manifests() -> None:
    run(3000, seed=1)


@pytest.mark.slow
def test_many_changes_of_manifests() -> None:
    run(50_000, seed=2)


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.stem)
def test_examples_and_invalid_manifests(path: Path) -> None:
    from adk_decl.diagnostics.diagnostic import DiagnosticBag
    from adk_decl.syntax.read import read_bytes

    document = read_bytes(path.read_bytes(), file=path.name, format="yaml", bag=DiagnosticBag())
    if document is not None:
        assert_same_verdict(load_shape("Manifest"), JUDGE, document.root.to_plain())


@pytest.mark.parametrize("file", BUILTIN_FILES)
def test_changes_of_component_data(file: str) -> None:
    schema, data, source = load_schema("Components"), json.loads(read_package_file(file)), random.Random(3)
    judge = accepts(schema)
    data["components"] = data["components"][-2:]
    for _ in range(150):
        assert_same_verdict(load_shape("Components"), judge, mutated(data, source))


def test_changes_of_a_script() -> None:
    rows = json.loads(read_package_file("adk_decl/components/builtin.json"))["components"]
    schema, source = rows[0]["config_schema"], random.Random(4)
    judge, shape = accepts(schema), Shape(schema)
    assert judge(SCRIPT)
    for _ in range(500):
        assert_same_verdict(shape, judge, mutated(SCRIPT, source))
