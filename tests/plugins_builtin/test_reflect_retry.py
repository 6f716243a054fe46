"""`reflect_retry`: scenarios 128 and 129, L50 and L52 as far as the plugin has a part in them."""

from __future__ import annotations

from typing import Any

import pytest

from adk_decl.plugins import Observe, Return, ToolError, ToolResult
from plugins_builtin.reflect_retry import DEFAULT_GUIDANCE, ReflectRetry
from tests.plugins_builtin.hook_calls import build, context

FAILED = ToolError(reason="TimeoutError", operation="execute", error_class="exception", details={"path": "/id"})


def told(attempt: int | None, error: ToolError | None = FAILED, **config: Any) -> ToolResult | None:
    """The result that the plugin returns, or None when it observes."""
    plugin = build(ReflectRetry, **config)
    assert isinstance(plugin, ReflectRetry)
    value = ToolResult("lookup", "c1", {"id": "secret-argument"}, error=error, duration_ms=7)
    outcome = plugin.on_tool_error(context(attempt=attempt, tool="lookup"), value)
    if isinstance(outcome, Observe):
        return None
    assert isinstance(outcome, Return)
    assert isinstance(outcome.value, ToolResult)
    return outcome.value.checked()


def test_keeps_the_failure_a_failure() -> None:
    result = told(1)
    assert result is not None
    assert (result.name, result.call_id, result.result, result.duration_ms) == ("lookup", "c1", None, 7)
    assert result.error is not None
    assert result.error.reason == "TimeoutError"
    assert result.error.details == {
        "path": "/id",
        "adk_retry": {
            "retryable": True,
            "attempt": 1,
            "max_attempts": 1,
            "guidance": DEFAULT_GUIDANCE,
            "error": {"component": "tool", "operation": "execute", "class": "exception", "reason": "TimeoutError"},
        },
    }


def test_masks_the_failure_when_told_to() -> None:
    result = told(1, mask_failure=True, guidance="try again")
    assert result is not None
    assert result.error is None
    assert result.result["adk_retry"]["guidance"] == "try again"
    assert result.result["adk_retry"]["error"]["reason"] == "TimeoutError"


def test_four_failures_with_two_attempts() -> None:
    results = [told(attempt, max_attempts=2) for attempt in (1, 2, 3, 4)]
    attempts = [r and r.error and r.error.details["adk_retry"]["attempt"] for r in results]
    assert attempts == [1, 2, None, None]


@pytest.mark.parametrize(
    ("attempt", "error", "config"),
    [
        (1, FAILED, {"enabled": False}),
        (2, FAILED, {}),
        (None, FAILED, {}),
        (1, None, {}),
        (1, ToolError(reason="plugin_failed", component="plugin"), {}),
        (1, ToolError(reason="runtime_policy_denied", component="policy"), {}),
        (1, ToolError(reason="invalid_plugin_amendment"), {}),
    ],
)
def test_observes(attempt: int | None, error: ToolError | None, config: dict[str, Any]) -> None:
    assert told(attempt, error, **config) is None


@pytest.mark.parametrize("component", ["plugin", "policy"])
def test_tells_of_plugin_errors_when_told_to(component: str) -> None:
    error = ToolError(reason="refused", component=component)
    result = told(1, error, include_plugin_errors=True)
    assert result is not None
    assert result.error is not None
    assert result.error.component == component


def test_sends_no_arguments_back() -> None:
    result = told(1)
    assert result is not None
    assert b"secret-argument" not in result.to_json()
