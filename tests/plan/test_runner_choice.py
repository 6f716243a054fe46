"""Which runner is meant."""

from __future__ import annotations

import pytest

from adk_decl.plan.runner_choice import RunnerChoiceError, choose_runner
from tests.cli.plans import plan, runner

ONE, TWO, DEFAULT = runner("one"), runner("two"), runner("default")


def test_the_named_one() -> None:
    assert choose_runner(plan(ONE, TWO), "two") == TWO


def test_the_only_one() -> None:
    assert choose_runner(plan(ONE)) == ONE


def test_the_one_called_default() -> None:
    assert choose_runner(plan(ONE, DEFAULT)) == DEFAULT


def test_several_are_listed() -> None:
    with pytest.raises(RunnerChoiceError, match="name a runner; the manifest defines one, two"):
        choose_runner(plan(TWO, ONE))


def test_an_unknown_one_is_named_with_the_list() -> None:
    with pytest.raises(RunnerChoiceError, match="there is no runner 'three'; the manifest defines one, two"):
        choose_runner(plan(ONE, TWO), "three")


def test_none_at_all() -> None:
    with pytest.raises(RunnerChoiceError, match=r"^the manifest defines no runner$"):
        choose_runner(plan())
