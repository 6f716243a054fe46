"""The schema of overlays that editors use, and the compiler, give one verdict."""

from __future__ import annotations

import copy
import json
import random
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from adk_decl.compiler.layers import overlay_alone
from adk_decl.data_files import read_data
from adk_decl.diagnostics.diagnostic import DiagnosticBag
from adk_decl.schema.evaluate import evaluate
from adk_decl.schema.load import load_schema, load_shape
from adk_decl.schema.overlay_schema import overlay_schema
from adk_decl.syntax.read import read_bytes
from tests.architecture.sources import CHECKOUT
from tests.schema.oracle import STRICTER, accepts, mutated
from tests.schema.shapes import EVERY_KEY, read

SCHEMA = overlay_schema(load_schema("Manifest"))
JUDGE = accepts(SCHEMA)
WHOLE: dict[str, Any] = {**read(EVERY_KEY).root.to_plain(), "kind": "Overlay"}  # type: ignore[dict-item]
for _name in ("extends", "overlays"):
    WHOLE.pop(_name, None)
DIRECTIVES_ANYWHERE = frozenset({"ADK505", "ADK506"})
"""What the compiler says of directives in lists and in places without a schema, such as `x-` keys."""


def codes(tree: Any) -> set[str]:
    """What the compiler finds in the shape of an overlay that it checks alone."""
    bag = DiagnosticBag()
    document = read_bytes(json.dumps(tree, indent=0).encode(), file="o.yaml", format="yaml", bag=bag)
    if document is not None and document.root.kind == "map" and document.root.get("kind") is not None:
        alone = overlay_alone(document, bag)
        evaluate(load_shape("Manifest"), alone.root, file="o.yaml", bag=bag, partial=True)
    return {found.code for found in bag.sorted()}


def test_the_file_is_the_derived_one() -> None:
    assert json.loads(read_data("schemas/overlay.v1.schema.json")) == SCHEMA


def test_it_is_a_json_schema() -> None:
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize(
    "tree",
    [
        {},
        WHOLE,
        {"kind": "Overlay", "plugins": {"a": {"timeout_ms": 5}}},
        {"kind": "Overlay", "plugins": {"a": {"$delete": True}}},
        {"kind": "Overlay", "plugins": {"$delete": True}},
        {"kind": "Overlay", "plugins": {"a": {"$merge": "replace", "use": "x"}, "$merge": "replace"}},
        {"kind": "Overlay", "description": {"$delete": True}, "runners": {"r": {"plugin_order": {"$delete": True}}}},
        {
            "kind": "Overlay",
            "runners": {"r": {"plugins": {"$merge": "append", "items": [{"id": "a", "use": "b"}, "c"]}}},
        },
        {"kind": "Overlay", "models": {"m": {"api_key": {"secret": {"env": "A"}}, "config": {"$merge": "replace"}}}},
        {"kind": "Manifest", "extends": "base.yaml", "models": {"m": {"timeout_ms": 3}}},
    ],
)
def test_what_an_editor_accepts(tree: Any) -> None:
    assert JUDGE(tree)


@pytest.mark.parametrize(
    "tree",
    [
        {"kind": "Overlay", "plugins": {"a": {"timeout_msec": 5}}},
        {"kind": "Overlay", "plugins": {"a": {"$delete": False}}},
        {"kind": "Overlay", "plugins": {"a": {"$delete": True, "use": "x"}}},
        {"kind": "Overlay", "plugins": {"a": {"$merge": "append"}}},
        {"kind": "Overlay", "runners": {"r": {"plugins": {"$merge": "prepend", "items": []}}}},
        {"kind": "Overlay", "runners": {"r": {"plugins": {"$merge": "append", "items": [{"id": "a"}]}}}},
        {"kind": "Overlay", "models": {"m": {"api_key": {"secret": {}}}}},
        {"kind": "Overlay", "extends": "base.yaml"},
    ],
)
def test_what_both_refuse(tree: Any) -> None:
    assert not JUDGE(tree)
    assert codes(tree)


def directed(tree: Any, source: random.Random) -> Any:
    """A tree with directives at random places where they may stand."""
    if not isinstance(tree, dict) or "secret" in tree:
        return tree
    result: dict[str, Any] = {}
    for key, value in tree.items():
        if source.random() < 0.1 and key not in ("kind", "apiVersion"):
            result[key] = {"$delete": True}
        elif isinstance(value, list) and source.random() < 0.5:
            way = source.choice(["append", "replace"])
            result[key] = {"$merge": way, "items": value}
        else:
            result[key] = directed(value, source) if key not in ("config", "parameters", "output_schema") else value
    return result


def part(source: random.Random) -> dict[str, Any]:
    """An overlay with one block of the large one, thinned out."""
    block = source.choice([key for key in WHOLE if isinstance(WHOLE[key], dict)])
    tree = copy.deepcopy({"kind": "Overlay", block: WHOLE[block]})
    for value in tree[block].values():
        if isinstance(value, dict) and block not in ("features",):
            for key in list(value):
                if source.random() < 0.4:
                    del value[key]
    return tree


def test_directives_in_their_places() -> None:
    source = random.Random(3)
    for _ in range(300):
        tree = directed(part(source), source)
        assert JUDGE(tree), tree
        assert codes(tree) == set(), tree


def test_changes_of_overlays() -> None:
    source = random.Random(4)
    for _ in range(1000):
        tree = mutated(directed(part(source), source), source)
        if not isinstance(tree, dict) or tree.get("kind") != "Overlay":
            continue
        found = codes(tree)
        if JUDGE(tree):
            assert found <= STRICTER | DIRECTIVES_ANYWHERE, (tree, found)
        else:
            assert found, tree


def test_the_schema_is_in_the_checkout() -> None:
    assert (CHECKOUT / "schemas" / "overlay.v1.schema.json").is_file()
