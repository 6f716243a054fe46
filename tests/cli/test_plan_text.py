"""The picture of a plan."""

from __future__ import annotations

import pytest

from adk_decl.cli.plan_text import render_plan
from adk_decl.plan.model import Breaker, When
from adk_decl.plan.record import EMPTY_MAP, FrozenMap
from tests.cli.plans import HIDDEN, plan, plugin, runner
from tests.snapshot import check_snapshot

GLOBAL = (
    plugin("house-style", "before_model", "after_model", use="global_instruction", domain="builtin"),
    plugin("ledger", "after_run", "on_error", mode="observe", failure_policy="open", timeout_ms=1500),
)


@pytest.mark.parametrize("order", ["declared", "priority"])
def test_everything_that_will_run_is_shown(order: str) -> None:
    desk = runner("desk", *GLOBAL, plugin_order=order)
    check_snapshot(f"plan_text/{order}.txt", render_plan(plan(desk), desk, not_enforced=("memory of hooks",)) + "\n")


def test_a_runner_without_plugins() -> None:
    bare = runner("bare")
    made = plan(bare)
    agent = made.agents["support"].replace(plugins=(), callbacks=EMPTY_MAP, tools=())
    body = made.body.replace(agents=FrozenMap({"support": agent}))
    check_snapshot("plan_text/bare.txt", render_plan(made.replace(body=body), bare) + "\n")


def test_no_text_of_config_or_instruction_is_shown() -> None:
    desk = runner("desk", *GLOBAL)
    shown = render_plan(plan(desk), desk)
    assert HIDDEN not in shown
    assert "password" not in shown
    assert "key=x" not in shown


def test_a_condition_has_a_column_and_the_longest_tool_counts() -> None:
    only = plugin("refunds", "before_tool", timeout_ms=700).replace(when=When(tools=("refund",)))
    other = plugin("lookups", "before_tool", timeout_ms=900).replace(when=When(tools=("lookup_order",)))
    desk = runner("desk", only, other)
    made = plan(desk)
    agent = made.agents["support"].replace(plugins=(), callbacks=EMPTY_MAP)
    shown = render_plan(made.replace(body=made.body.replace(agents=FrozenMap({"support": agent}))), desk)
    assert "domain   only for\n" in shown
    assert "tools refund\n" in shown
    assert "before_tool      adds at most 900 ms" in shown


def test_shadow_is_told() -> None:
    desk = runner("desk", plugin("redact", "after_model", mode="shadow"))
    made = plan(desk)
    agent = made.agents["support"].replace(plugins=(), callbacks=EMPTY_MAP)
    shown = render_plan(made.replace(body=made.body.replace(agents=FrozenMap({"support": agent}))), desk)
    assert "shadow (redact): what they would change, return or stop is recorded, not applied" in shown
    assert "--stream" not in shown


def test_a_breaker_is_told() -> None:
    rule = Breaker(failures=1, window_ms=60_000, cooldown_ms=500)
    desk = runner("desk", plugin("redact", "after_model").replace(breaker=rule))
    assert "breaker of redact: off after 1 failure in 1 min, tried again after 500 ms" in render_plan(plan(desk), desk)
