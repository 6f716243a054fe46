"""Where a condition lets a plugin run, and the dispatch table that comes of it."""

from __future__ import annotations

import pytest

from adk_decl.plan.conditions import longest_ms, named_tools, when_text
from adk_decl.plan.dispatch import dispatch_table, tool_chains
from adk_decl.plan.model import AgentPlan, When
from adk_decl.plan.phases import PHASES
from tests.cli.plans import plan, plugin, runner

EVERY_PHASE = tuple(name for name in PHASES if name != "on_error")


def _agent() -> AgentPlan:
    """An agent `support` with model `fast` and tools `lookup_order` and `refund`."""
    return plan().agents["support"].replace(plugins=(), callbacks=plan().agents["support"].callbacks.__class__())


def _phases(when: When) -> set[str]:
    """The phases in which a runner plugin of every phase stands under this condition."""
    table = dispatch_table(runner("desk", plugin("p", *EVERY_PHASE).replace(when=when)), _agent())
    return {phase for phase, chain in table.items() if chain}


def _of_level(*levels: str) -> set[str]:
    return {name for name in EVERY_PHASE if PHASES[name].level in levels}


@pytest.mark.parametrize(
    ("when", "missing"),
    [
        (When(), set()),
        (When(agents=("support",)), set()),
        (When(agents=("other",)), _of_level("agent", "model", "tool")),
        (When(models=("fast",)), set()),
        (When(models=("other",)), _of_level("model")),
        (When(tools=("refund",)), set()),
        (When(tools=("other",)), _of_level("tool")),
        (When(agents=("support",), models=("other",), tools=("other",)), _of_level("model", "tool")),
    ],
)
def test_a_condition_keeps_a_plugin_out_of_its_own_phases(when: When, missing: set[str]) -> None:
    assert set(EVERY_PHASE) - _phases(when) == missing


def test_a_table_without_tool_conditions_has_no_chains_of_tools() -> None:
    assert not tool_chains(dispatch_table(runner("desk", plugin("p", "before_tool")), _agent()))


def test_each_tool_has_its_own_chain_in_order() -> None:
    a, b, c = (plugin(name, "before_tool", "after_tool") for name in "abc")
    desk = runner("desk", a.replace(when=When(tools=("refund",))), b, c.replace(when=When(tools=("lookup_order",))))
    found = tool_chains(dispatch_table(desk, _agent()))
    assert set(found) == {"before_tool", "after_tool"}
    names = {tool: [p.id for p in chain] for tool, chain in found["before_tool"].items()}
    assert names == {"": ["b"], "lookup_order": ["b", "c"], "refund": ["a", "b"]}


def test_the_longest_way_is_that_of_one_tool() -> None:
    a = plugin("a", "before_tool").replace(timeout_ms=100, when=When(tools=("x",)))
    b = plugin("b", "before_tool").replace(timeout_ms=70, when=When(tools=("y",)))
    c = plugin("c", "before_tool").replace(timeout_ms=5)
    assert longest_ms((a, b, c)) == 105
    assert longest_ms(()) == 0
    assert named_tools((a, b, c)) == ("x", "y")


def test_a_condition_in_words() -> None:
    assert when_text(None) == when_text(When()) == ""
    assert when_text(When(agents=("a", "b"), tools=("t",))) == "agents a, b; tools t"
