"""A map that is built at its first use is a `FrozenMap` in every other way."""

from __future__ import annotations

import copy
import pickle

import pytest

from adk_decl.plan.record import FrozenError, FrozenMap, LazyMap


def test_it_is_built_once_and_only_when_used() -> None:
    built: list[int] = []

    def build() -> dict[str, int]:
        built.append(1)
        return {"a": 1}

    lazy = LazyMap(build)
    assert built == []
    assert lazy["a"] == 1
    assert (len(lazy), list(lazy), "a" in lazy, lazy.get("b")) == (1, ["a"], True, None)
    assert built == [1]


def test_it_equals_a_map_of_the_same_entries() -> None:
    lazy = LazyMap(lambda: {"a": 1})
    assert lazy == FrozenMap({"a": 1}) == lazy
    assert hash(lazy) == hash(FrozenMap({"a": 1}))


def test_it_travels_as_a_plain_one() -> None:
    lazy = LazyMap(lambda: {"a": 1})
    assert copy.deepcopy(lazy) is lazy
    assert type(pickle.loads(pickle.dumps(lazy))) is FrozenMap


@pytest.mark.parametrize("name", ["_entries", "_build", "_built", "other"])
def test_it_is_frozen(name: str) -> None:
    lazy = LazyMap(lambda: {"a": 1})
    with pytest.raises(FrozenError):
        setattr(lazy, name, {})
    with pytest.raises(FrozenError):
        delattr(lazy, name)


def test_a_builder_that_fails_leaves_it_unbuilt() -> None:
    lazy: FrozenMap[int] = LazyMap(lambda: {"a": 1 // 0})
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            len(lazy)
