"""What is printed as YAML reads back as the same values."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adk_decl.cli.yaml_text import render
from adk_decl.diagnostics.diagnostic import DiagnosticBag
from adk_decl.syntax.read import read_bytes

TEXTS = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"], exclude_characters="\ufeff"), max_size=20)
SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(-(2**60), 2**60), st.floats(-1e6, 1e6), TEXTS, st.just("a\nb")
)
TREES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.from_regex(r"[a-z][a-z_-]{0,8}", fullmatch=True), inner)
    ),
    max_leaves=20,
)


def read(text: str) -> Any:
    bag = DiagnosticBag()
    document = read_bytes(text.encode(), file="f", format="yaml", bag=bag)
    assert not bag.has_errors, (text, bag.sorted())
    assert document is not None
    return document.root.to_plain()


@given(tree=st.dictionaries(st.sampled_from(["a", "b-c", "no", "1x"]), TREES, min_size=1))
def test_the_same_values(tree: dict[str, Any]) -> None:
    assert read(render(tree)) == tree


@pytest.mark.parametrize(
    "text", ["no", "~", "", "1", "1_000", "0x1f", "- a", "a: b", "a #b", "true", "Hello.", "a b", "*x"]
)
def test_texts_stay_texts(text: str) -> None:
    assert read(render({"a": text})) == {"a": text}


def test_the_layout() -> None:
    tree = {"a": {"b": [1, {"c": "x y", "d": []}, ["e"]]}, "f": {}, "g": "10"}
    assert render(tree) == 'a:\n  b:\n    - 1\n    - c: x y\n      d: []\n    - - e\nf: {}\ng: "10"'
