"""Canonical JSON and digests."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adk_decl.plan.canonical import canonical_json, digest
from adk_decl.plan.frozen_json import freeze, thaw
from adk_decl.plan.model import EnvRef, EnvText, SecretRef

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(JSON)
def test_the_value_survives(value: Any) -> None:
    assert json.loads(canonical_json(value)) == value


@given(st.dictionaries(st.text(), JSON, max_size=6))
def test_the_order_of_keys_does_not_count(value: dict[str, Any]) -> None:
    backwards = dict(reversed(list(value.items())))
    assert canonical_json(value) == canonical_json(backwards) == canonical_json(freeze(backwards))


@given(JSON)
def test_freezing_and_thawing_keeps_the_value(value: Any) -> None:
    assert thaw(freeze(value)) == value


def test_a_whole_float_is_the_integer() -> None:
    assert canonical_json([1.0, -0.0, 2.5, 1e300]) == b"[1,0,2.5,1e+300]"


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_what_is_not_finite_is_refused(value: float) -> None:
    with pytest.raises(ValueError, match="JSON"):
        canonical_json(value)


def test_what_is_not_json_is_refused() -> None:
    with pytest.raises(TypeError):
        canonical_json({"a": {1, 2}})


def test_references_are_marked_so_that_no_literal_looks_like_one() -> None:
    text = EnvText(parts=("a", EnvRef(name="N", default=None)))
    assert json.loads(canonical_json(text))["$env"]["parts"] == ["a", {"name": "N", "default": None}]
    assert json.loads(canonical_json(SecretRef(source="env", name="K"))) == {"$secret": {"source": "env", "name": "K"}}


def test_the_digest_is_a_sha256() -> None:
    assert digest(b"") == "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
