"""Hooks run for tests as runners run them, and what only a test is told."""

from __future__ import annotations

from typing import Any

import pytest

from adk_decl.plugins import Failure, Message, ModelRequest, Plugin, ToolCall, ToolCallPart
from adk_decl.plugins.testing import ChangedInPlace, LogRecord, Use, run_chain, run_hook
from tests.testing.sample_plugins import Answers, Clamp, Fails, InPlace

REQUEST = ModelRequest(
    model="m",
    messages=(Message(role="assistant", parts=(ToolCallPart(name="t", args={"a": 1}, call_id="c"),), id="1"),),
)


def _call(amount: int, name: str = "refund") -> ToolCall:
    return ToolCall(name, {"amount": amount}, "c1")


@pytest.mark.parametrize(
    "plugin", [Clamp, "tests.testing.sample_plugins:Clamp", "python:tests.testing.sample_plugins:Clamp"]
)
def test_a_hook_amends_with_its_defaults(plugin: Any) -> None:
    result = run_hook(plugin, "before_tool", _call(80))
    assert (result.outcome, result.disposition) == ("amended", "amended")
    assert isinstance(result.value, ToolCall)
    assert result.value.args == {"amount": 50}
    assert result.logs == (LogRecord("Clamp", "warning", "clamped", {"most": 50}),)
    assert run_hook(plugin, "before_tool", _call(80), config={"most": 90}).outcome == "observed"


def test_a_halt_has_its_reason() -> None:
    result = run_hook(Clamp, "before_tool", _call(-1))
    assert (result.outcome, result.disposition, result.reason) == ("halted", "halted", {"negative": True})


def test_modes_count() -> None:
    assert run_hook(Clamp, "before_tool", _call(80), mode="observe").outcome == "observer_cannot_amend"
    shadow = run_hook(Clamp, "before_tool", _call(80), mode="shadow")
    assert (shadow.outcome, shadow.trace[0].changed, shadow.value) == ("would_amend", ("args.amount",), _call(80))


def test_the_legacy_hook_serves_its_phases() -> None:
    failure = Failure(component="model", operation="generate", error_class="error", reason="r")
    assert [record.facts for record in run_hook(Clamp, "on_run_error", failure).logs] == [{"phase": "on_run_error"}]


def test_facts_about_the_run_can_be_given() -> None:
    result = run_hook(Answers, "before_model", REQUEST, meta={"agent": "support"})
    assert result.outcome == "returned"
    assert result.value.text == "support"  # type: ignore[attr-defined]


async def test_it_runs_inside_an_event_loop_too() -> None:
    assert run_hook(Answers, "before_model", REQUEST).outcome == "returned"
    with pytest.raises(ChangedInPlace):
        run_hook(InPlace, "before_tool", _call(5))


def test_a_failed_hook_shows_its_author_why() -> None:
    result = run_hook(Fails, "before_tool", _call(1))
    assert (result.outcome, result.disposition) == ("exception", "continue")
    assert isinstance(result.raised, ValueError)
    refused = run_hook(Fails, "before_tool", _call(1, "nonsense"))
    assert refused.outcome == "invalid_result"
    assert "`int` is no outcome" in str(refused.raised)


def test_a_chain_runs_in_order_until_it_ends() -> None:
    chain: list[Use | type[Plugin]] = [Use(plugin=Clamp, id="a", config={"most": 60}), Use(plugin=Clamp, id="b"), Clamp]
    result = run_chain(chain, "before_tool", _call(80))
    assert result.outcomes == ["amended", "amended", "observed"]
    assert result.value.args == {"amount": 50}  # type: ignore[attr-defined]
    closed = run_chain([Use(plugin=Fails, failure_policy="closed"), Clamp], "before_tool", _call(80))
    assert (closed.outcomes, closed.disposition, closed.value) == (["exception"], "failed", _call(80))
    assert run_chain([], "before_tool", _call(1)).outcome == "observed"


def test_limits_of_the_descriptor_count() -> None:
    assert run_chain([Use(plugin=Clamp, max_result_bytes=3)], "before_tool", _call(80)).outcome == "result_too_large"


def test_a_hook_does_not_see_what_is_hidden_from_plugins() -> None:
    result = run_hook(Clamp, "before_tool", ToolCall("refund", {"amount": 80, "api_key": "k"}, "c"))
    assert result.value.args == {"amount": 50, "api_key": "k"}  # type: ignore[attr-defined]


def test_a_change_in_place_fails_the_test() -> None:
    with pytest.raises(ChangedInPlace, match=r"InPlace\.before_tool changed args .* amend\(args=\.\.\.\)"):
        run_hook(InPlace, "before_tool", _call(5))
    with pytest.raises(ChangedInPlace, match="messages"):
        run_hook(InPlace, "before_model", REQUEST)
    with pytest.raises(ChangedInPlace):
        run_chain([Clamp, InPlace, Clamp], "before_tool", _call(5))


def test_a_change_that_is_amended_or_thrown_away_is_none() -> None:
    assert run_hook(InPlace, "before_tool", _call(5, "amends")).value.args == {"amount": 1}  # type: ignore[attr-defined]
    assert run_hook(InPlace, "before_tool", _call(5, "halts")).outcome == "halted"
    assert run_hook(InPlace, "before_tool", _call(1)).outcome == "observed"


@pytest.mark.parametrize(
    ("plugin", "phase", "value", "said"),
    [
        (Clamp, "before_model", REQUEST, "Clamp has no hook before_model; it has before_tool, on_error"),
        (Clamp, "before_tool", REQUEST, "before_tool takes ToolCall, not ModelRequest"),
        (Clamp, "before_tools", REQUEST, "before_tools is no phase"),
        (Plugin, "before_tool", _call(1), "it has none"),
        (int, "before_tool", _call(1), "no subclass of Plugin"),
        ("sample_plugins", "before_tool", _call(1), "no `module:Class`"),
    ],
)
def test_what_is_no_hook(plugin: Any, phase: str, value: Any, said: str) -> None:
    with pytest.raises(TypeError, match=said):
        run_hook(plugin, phase, value)
