from __future__ import annotations

import copy
import pickle

import pytest

import adk_decl.tools
from adk_decl.plan.record import FrozenError
from adk_decl.tools import ToolContext


def test_the_package_gives_the_context_alone() -> None:
    assert adk_decl.tools.__all__ == ["ToolContext"]


def test_an_author_can_build_one_for_a_test() -> None:
    context = ToolContext(config={"limits": [1, {"x": 2}]})
    assert context.user_id == "local"
    assert context.config["limits"] == (1, {"x": 2})


def test_it_is_frozen_and_does_not_print_what_it_holds() -> None:
    context = ToolContext(user_id="canary", config={"k": "canary"})
    with pytest.raises(FrozenError):
        setattr(context, "user_id", "other")  # noqa: B010
    with pytest.raises(TypeError):
        context.config["k"] = "x"
    assert "canary" not in f"{context} {context!r}"
    assert copy.deepcopy(context) is context
    with pytest.raises(TypeError):
        pickle.dumps(context)


def test_time_left_counts_down_to_nothing() -> None:
    now = [10.0]
    context = ToolContext(deadline_ms=500, clock=lambda: now[0])
    assert context.time_left_ms() == 500
    now[0] += 0.25
    assert context.time_left_ms() == 250
    now[0] += 5
    assert context.time_left_ms() == 0
