from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adk_decl.plan.canonical import canonical_json
from adk_decl.plan.model import EnvRef, EnvText, Generation, ModelPlan, Origin, RetryPlan, SecretRef
from adk_decl.plan.record import FrozenMap, Record
from adk_decl.runtime.resolve import resolve, resolved_digest

ORIGINS = {
    "/models/fast": Origin(file="a.adk.yaml", line=3, column=3, layer="file"),
    "/models/fast/base_url": Origin(file="a.adk.yaml", line=6, column=15, layer="file"),
}


def ref(name: str, default: str | None = None, **kind: Any) -> EnvText:
    return EnvText(parts=(EnvRef(name=name, default=default),), **kind)


def model(**changes: Any) -> ModelPlan:
    return ModelPlan(
        name="fast",
        use="openai_chat",
        model="gpt",
        base_url=None,
        api_key=SecretRef(source="env", name="KEY"),
        timeout_ms=1000,
        retries=RetryPlan(max_attempts=1, base_delay_ms=0, max_delay_ms=0),
        max_concurrency=1,
        requests_per_minute=0,
        generation=Generation(),
        tool_calling="native",
        price=None,
    ).replace(**changes)


def _resolve(value: Any, **environment: str) -> tuple[Any, tuple[str, ...]]:
    return resolve(value, environment, origins=ORIGINS, pointer="/models/fast")


def test_references_are_filled_in_at_any_depth_and_typed_by_their_field() -> None:
    before = model(
        model=EnvText(parts=("gpt-", EnvRef(name="SIZE"), "-", EnvRef(name="DATE", default="now"))),
        timeout_ms=ref("TIMEOUT", type="integer", minimum=1),
        generation=Generation(temperature=ref("HEAT", "0.5", type="number")),
        config=FrozenMap({"list": ({"x": 1}, ref("ON", type="boolean")), "same": FrozenMap({"a": (1, 2)})}),
    )
    after, problems = _resolve(before, SIZE="mini", TIMEOUT="250", ON="true")
    assert problems == ()
    assert after.model == "gpt-mini-now"
    assert after.timeout_ms == 250
    assert after.generation.temperature == 0.5
    assert after.config["list"][1] is True
    assert after.config["same"] is before.config["same"]
    assert after.api_key == SecretRef(source="env", name="KEY")
    assert isinstance(before.timeout_ms, EnvText)


def test_what_has_no_reference_is_the_same_object() -> None:
    before = model()
    assert _resolve(before)[0] is before


@pytest.mark.parametrize(("value", "expected"), [(None, "d"), ("", "d"), ("v", "v")])
def test_a_default_stands_in_for_what_is_unset_or_empty(value: str | None, expected: str) -> None:
    environment = {} if value is None else {"NAME": value}
    assert _resolve(ref("NAME", "d"), **environment) == (expected, ())


def test_an_empty_default_and_an_empty_variable_are_values() -> None:
    assert _resolve(ref("NAME", "")) == ("", ())
    assert _resolve(ref("NAME"), NAME="") == ("", ())


def test_every_missing_or_ill_typed_variable_is_told_with_its_place_and_without_its_value() -> None:
    before = model(
        base_url=EnvText(parts=(EnvRef(name="HOST"), ":", EnvRef(name="PORT"))),
        timeout_ms=ref("TIMEOUT", type="integer", minimum=1, maximum=9),
        max_concurrency=ref("MANY", type="integer", maximum=9),
        model=ref("CHOICE", choices=("a", "b")),
        requests_per_minute=ref("BYTES"),
    )
    after, problems = _resolve(before, TIMEOUT="canary", MANY="1234567", CHOICE="canary", BYTES="\udcff")
    assert after == before
    assert list(problems) == [
        "a.adk.yaml:3:3: ${env:CHOICE} has a value that does not fit `models.fast.model`: must be one of: a, b",
        "a.adk.yaml:6:15: the environment variable HOST is not set, and `models.fast.base_url` needs it: set it, or"
        " give the reference a default as in ${env:HOST:-default}",
        "a.adk.yaml:6:15: the environment variable PORT is not set, and `models.fast.base_url` needs it: set it, or"
        " give the reference a default as in ${env:PORT:-default}",
        "a.adk.yaml:3:3: ${env:TIMEOUT} has a value that does not fit `models.fast.timeout_ms`:"
        " must be a whole number in decimal digits",
        "a.adk.yaml:3:3: ${env:MANY} has a value that does not fit `models.fast.max_concurrency`: must be at most 9",
        "a.adk.yaml:3:3: the environment variable BYTES is not valid UTF-8",
    ]


def test_a_place_that_is_not_known_is_left_out_and_odd_keys_are_shown_whole() -> None:
    value = FrozenMap({"a/b~c": ref("NAME")})
    (problem,) = resolve(value, {}, origins={}, pointer="/x")[1]
    assert problem.startswith("the environment variable NAME is not set, and `x.a/b~c` needs it")


def test_the_digest_counts_values_and_neither_secrets_nor_spelling() -> None:
    plain = resolved_digest("sha256:1", model(model="x"))
    filled, _ = _resolve(model(model=ref("NAME")), NAME="x")
    assert resolved_digest("sha256:1", filled) == plain
    assert resolved_digest("sha256:2", filled) != plain
    assert resolved_digest("sha256:1", model(model="y")) != plain
    assert plain.startswith("sha256:")


class Box(Record):
    inner: Any


_text = st.text(st.characters(exclude_categories=["Cs"]), max_size=3)
_leaf = st.builds(lambda name: ref(name), st.sampled_from("ABC")) | st.integers() | _text
_tree = st.recursive(
    _leaf,
    lambda inner: (
        st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(_text, inner, max_size=3).map(FrozenMap)
        | inner.map(lambda value: Box(inner=value))
    ),
    max_leaves=10,
)


@given(_tree)
def test_afterwards_there_is_no_reference_left_or_a_problem_for_each_name(tree: Any) -> None:
    filled, problems = resolve(tree, {"A": "1", "B": "2", "C": "3"}, origins={}, pointer="")
    assert problems == ()
    assert b'"$env"' not in canonical_json(filled)
    kept, problems = resolve(tree, {}, origins={}, pointer="")
    assert kept == tree
    assert bool(problems) == (filled != tree)
