"""`logging`: facts of each hook, and never content."""

from __future__ import annotations

from typing import Any

import pytest

from adk_decl.plan.phases import PHASES
from adk_decl.plugins import (
    Event,
    Failure,
    Message,
    ModelRequest,
    ModelResponse,
    Text,
    ToolCall,
    ToolCallPart,
    ToolError,
    ToolResult,
    ToolSpec,
    Usage,
    UserMessage,
)
from adk_decl.plugins.outcomes import text_content
from plugins_builtin.logging import Logging
from tests.plugins_builtin.hook_calls import build, context

SECRET = "canary of content"
SERVED = [name for name in PHASES if callable(getattr(Logging, name, None))]
CALL = ToolCallPart(name="look", args={"q": SECRET}, call_id="c1")
FAILURE = Failure("model", "generate", "error", "server_error", status=503)

VALUES: dict[str, Any] = {
    "on_user_message": UserMessage((Text(SECRET),)),
    "before_run": UserMessage((Text(SECRET),)),
    "on_event": Event("e1", "i1", "support", (Text(SECRET), CALL), {"x": SECRET}, 5, partial=True),
    "before_model": ModelRequest("m", SECRET, (Message(role="user", parts=(Text(SECRET),)),), (ToolSpec(name="t"),)),
    "after_model": ModelResponse(
        (Text(SECRET),), (CALL,), Usage(input_tokens=3, output_tokens=2, cached_tokens=1), "tool_calls", SECRET
    ),
    "on_model_error": FAILURE,
    "before_tool": ToolCall("look", {"q": SECRET, "n": 1}, "c1"),
    "after_tool": ToolResult("look", "c1", {"q": SECRET}, SECRET, duration_ms=7),
    "after_run": text_content(SECRET),
    "on_agent_error": FAILURE,
    "on_run_error": FAILURE,
}
FAILED = {
    "component": "model",
    "operation": "generate",
    "reason": "server_error",
    "error_class": "error",
    "status": 503,
}
FACTS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "on_user_message": ("info", "user_message", {"parts": 1, "characters": 17}),
    "before_run": ("info", "run_started", {"user_id": "u1", "session_id": "s1"}),
    "on_event": (
        "info",
        "event",
        {"id": "e1", "author": "support", "partial": True, "final": False, "tool_calls": 1, "characters": 17},
    ),
    "before_model": ("info", "model_call_started", {"model": "gpt", "messages": 1, "tools": 1, "stream": False}),
    "after_model": (
        "info",
        "model_call_ended",
        {
            "ok": True,
            "model": "gpt",
            "duration_ms": 42,
            "finish_reason": "tool_calls",
            "tool_calls": 1,
            "characters": 17,
            "input_tokens": 3,
            "output_tokens": 2,
            "cached_tokens": 1,
        },
    ),
    "on_model_error": ("warning", "model_call_ended", {"ok": False, "model": "gpt", "duration_ms": 42} | FAILED),
    "before_tool": ("info", "tool_call_started", {"tool": "look", "call_id": "c1", "arguments": 2}),
    "after_tool": ("info", "tool_call_ended", {"ok": True, "tool": "look", "call_id": "c1", "duration_ms": 7}),
    "after_run": ("info", "run_ended", {"ok": True, "duration_ms": 42, "characters": 17}),
    "on_agent_error": ("warning", "agent_failed", FAILED),
    "on_run_error": ("warning", "run_ended", {"ok": False, "duration_ms": 42} | FAILED),
}


def records(phase: str, value: Any, meta: dict[str, Any] | None = None, **config: Any) -> list[list[Any]]:
    facts: dict[str, Any] = {"phase": phase, "model": "gpt", "duration_ms": 42} | (meta or {})
    ctx = context(**facts)
    assert getattr(build(Logging, **config), phase)(ctx, value) is None
    assert ctx.log.dropped == 0
    return ctx.log.records


def test_every_hook_has_an_example() -> None:
    assert set(SERVED) == set(VALUES) == set(FACTS)


@pytest.mark.parametrize("phase", SERVED)
def test_facts_and_no_content(phase: str) -> None:
    level, event, facts = FACTS[phase]
    found = records(phase, VALUES[phase])
    assert found == [[level, event, {"run_id": "r1", "agent": "support", "plugin_id": "p"} | facts]]
    assert SECRET not in str(found)


def test_a_failed_tool_call_is_a_warning() -> None:
    error = ToolError(reason="KeyError", error_class="exception", details={"x": SECRET})
    ((level, event, facts),) = records("after_tool", ToolResult("look", "c1", error=error, duration_ms=7))
    assert (level, event) == ("warning", "tool_call_ended")
    assert (facts["ok"], facts["reason"], facts["component"], facts["error_class"]) == (
        False,
        "KeyError",
        "tool",
        "exception",
    )


@pytest.mark.parametrize("reason", [SECRET, "a b", "", "x" * 65, "é", "a\nb", "<x>"])
def test_a_reason_that_is_no_symbol_could_be_content(reason: str) -> None:
    ((_, _, facts),) = records("after_tool", ToolResult("look", error=ToolError(reason=reason)))
    assert facts["reason"] == "other"
    ((_, _, facts),) = records("on_run_error", Failure("a", "b", "error", reason))
    assert facts["reason"] == "other"


@pytest.mark.parametrize("level", ["debug", "info", "notice", "warning"])
def test_the_level_is_that_asked_for(level: str) -> None:
    assert [record[0] for record in records("after_run", VALUES["after_run"], log_level=level)] == [level]


@pytest.mark.parametrize("letter", ["x", "é", "🜁"])
@pytest.mark.parametrize("phase", ["on_event", "after_model", "after_tool", "before_run"])
def test_long_names_are_cut_so_that_the_record_fits(phase: str, letter: str) -> None:
    long = letter * 3000
    meta = dict.fromkeys(("run_id", "agent", "model", "user_id", "session_id"), long)
    values = {
        "on_event": Event(long, long, long, (), {}, 1),
        "after_tool": ToolResult(long, long, error=ToolError(reason=long, component=long)),
    }
    assert len(records(phase, values.get(phase, VALUES[phase]), meta)) == 1
