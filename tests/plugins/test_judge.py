"""What a hook may answer, phase by phase, and in which order it is judged."""

from __future__ import annotations

import time
from typing import Any

import pytest

from adk_decl.plugins import (
    Amend,
    Content,
    Event,
    Failure,
    GenerationSettings,
    Message,
    ModelRequest,
    ModelResponse,
    Observe,
    Text,
    ToolCall,
    ToolCallPart,
    ToolResult,
    ToolResultPart,
    Usage,
    UserMessage,
    amend,
    halt,
    keep,
    observe,
    replace,
    ret,
    text_content,
    text_response,
    tool_error,
    tool_response,
)
from tests.plugins.run_hooks import outcome

HI = UserMessage((Text("hi"),))
REQUEST = ModelRequest(
    model="m",
    instruction="be kind",
    messages=(
        Message(role="user", parts=(Text("a"),), id="m1"),
        Message(role="assistant", parts=(Text("b"),), id="m2"),
    ),
)
RESPONSE = ModelResponse(content=(Text("a"),), usage=Usage(input_tokens=3), model="m")
CALL = ToolCall("t", {"x": 1}, "c")
RESULT = ToolResult("t", "c", {"x": 1}, {"ok": 1}, None, 5)
FAILED = Failure("model", "call", "error", "timeout")
CONTENT = Content((Text("done"),))


def event(*parts: Any, **fields: Any) -> Event:
    """An event that is not final unless said."""
    return Event("e", "i", "support", parts, {"a": 1}, 5, **fields)


def nested(levels: int) -> Any:
    """Lists in lists."""
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


class Shout(str):
    """A string that is not plain."""


ANSWERS: list[tuple[str, Any, Any, str]] = [
    # Shapes
    ("before_run", HI, None, "observed"),
    ("before_run", HI, observe(), "observed"),
    ("before_run", HI, Observe(), "observed"),
    ("before_run", HI, "observe", "observed"),
    ("before_run", HI, "continue", "observed"),
    ("before_run", HI, "ok", "observed"),
    ("before_run", HI, "amend", "invalid_result"),
    ("before_run", HI, 42, "invalid_result"),
    ("before_run", HI, True, "invalid_result"),
    ("before_run", HI, HI, "invalid_result"),
    ("before_run", HI, Amend(), "invalid_result"),
    ("before_run", HI, Amend(HI, {"parts": ()}), "invalid_result"),
    ("before_run", HI, Amend(None, [1]), "invalid_result"),  # type: ignore[arg-type]
    # Amendments
    ("before_run", HI, amend(parts=(Text("x"),)), "amended"),
    ("before_run", HI, amend(parts=[Text("x")]), "amended"),
    ("before_run", HI, amend(HI.replace(parts=(Text("x"),))), "amended"),
    ("before_run", HI, amend(CONTENT), "invalid_result"),
    ("before_run", HI, amend(parts="x"), "invalid_result"),
    ("before_run", HI, amend(parts=(1,)), "invalid_result"),
    ("before_run", HI, amend(text="x"), "invalid_result"),
    ("before_model", REQUEST, amend(instruction=None), "amended"),
    ("before_model", REQUEST, amend(instruction=5), "invalid_result"),
    ("before_model", REQUEST, amend(model="other"), "invalid_result"),
    ("before_model", REQUEST, amend(stream=True), "invalid_result"),
    ("before_model", REQUEST, amend(REQUEST.replace(model="other")), "invalid_result"),
    ("before_model", REQUEST, lambda seen: amend(seen.replace(instruction="new")), "amended"),
    ("before_model", REQUEST, amend(generation=GenerationSettings(temperature=0.5)), "amended"),
    ("before_model", REQUEST, amend(output_schema={"type": "object"}), "amended"),
    ("before_model", REQUEST, amend(messages=keep(["m2"])), "amended"),
    ("before_model", REQUEST, amend(messages=keep(["m3"])), "invalid_result"),
    ("before_model", REQUEST, amend(messages=keep(["m1", "m1"])), "invalid_result"),
    ("before_model", REQUEST, amend(messages=keep(["m1"], replace={"m9": REQUEST.messages[0]})), "invalid_result"),
    ("before_model", REQUEST, amend(messages=keep([], append=[Message(role="boss")])), "invalid_result"),  # type: ignore[arg-type]
    ("before_model", REQUEST, amend(messages=keep([], append=["x"])), "invalid_result"),  # type: ignore[list-item]
    ("before_model", REQUEST, amend(messages=()), "amended"),
    ("before_model", REQUEST, amend(messages=5), "invalid_result"),
    ("after_model", RESPONSE, amend(content=(Text("b"),)), "amended"),
    ("after_model", RESPONSE, amend(text_response("b")), "amended"),
    ("after_model", RESPONSE, amend(usage=Usage()), "invalid_result"),
    ("after_model", RESPONSE, amend(RESPONSE.replace(usage=Usage(input_tokens=9))), "invalid_result"),
    ("after_model", RESPONSE, amend(finish_reason="bored"), "invalid_result"),
    ("on_model_error", FAILED, amend(reason="other"), "amended"),
    ("on_model_error", FAILED, amend(content=()), "invalid_result"),
    ("before_tool", CALL, amend(args={"x": 2}), "amended"),
    ("before_tool", CALL, amend(args=[1]), "invalid_result"),
    ("before_tool", CALL, amend(name="u"), "invalid_result"),
    ("after_tool", RESULT, amend(result={"y": 1}), "amended"),
    ("after_tool", RESULT, amend(result=None), "amended"),
    ("after_tool", RESULT, amend(tool_error("bad")), "amended"),
    ("after_tool", RESULT, amend(name="u"), "invalid_result"),
    ("after_agent", CONTENT, amend(parts=()), "amended"),
    # Returns
    ("before_run", HI, ret(CONTENT), "returned"),
    ("before_run", HI, replace(CONTENT), "returned"),
    ("before_run", HI, ret(HI), "invalid_result"),
    ("before_run", HI, ret("x"), "invalid_result"),  # type: ignore[arg-type]
    ("before_model", REQUEST, ret(text_response("x")), "returned"),
    ("before_model", REQUEST, ret(ModelResponse(content="x")), "invalid_result"),  # type: ignore[arg-type]
    ("on_model_error", FAILED, ret(text_response("x")), "returned"),
    ("before_tool", CALL, ret(tool_response({"a": 1})), "returned"),
    ("before_tool", CALL, ret(tool_error("bad")), "returned"),
    ("after_tool", RESULT, lambda seen: ret(seen), "returned"),
    ("after_agent", CONTENT, ret(text_content("x")), "returned"),
    ("before_run", HI, ret(Content.from_encoded([b"nonsense"])), "invalid_result"),
    # Halts
    ("before_run", HI, halt("x"), "halted"),
    ("before_run", HI, halt({"a": [1, None, 0.5]}), "halted"),
    ("before_run", HI, halt(object()), "invalid_result_type"),
    # Leaves and depth
    ("before_tool", CALL, amend(args={"x": (1, 2)}), "invalid_result_type"),
    ("before_tool", CALL, amend(args={"x": {1}}), "invalid_result_type"),
    ("before_tool", CALL, amend(args={"x": b"1"}), "invalid_result_type"),
    ("before_tool", CALL, amend(args={1: 2}), "invalid_result_type"),
    ("before_tool", CALL, amend(args={"x": float("nan")}), "invalid_result_type"),
    ("before_tool", CALL, amend(args={"x": float("inf")}), "invalid_result_type"),
    ("before_tool", CALL, amend(args={"x": Shout("a")}), "invalid_result_type"),
    ("before_tool", CALL, amend(args={"x": "\ud800"}), "invalid_result_type"),
    ("before_run", HI, amend(parts=(object(),)), "invalid_result_type"),
    ("after_tool", RESULT, amend(result=nested(64)), "amended"),
    ("after_tool", RESULT, amend(result=nested(65)), "invalid_result_type"),
    ("after_tool", RESULT, amend(result=nested(100_000)), "invalid_result_type"),
    # Notifications
    ("after_run", CONTENT, None, "observed"),
    ("after_run", CONTENT, halt("x"), "notification_result_ignored"),
    ("after_run", CONTENT, amend(parts=()), "notification_result_ignored"),
    ("after_run", CONTENT, ret(CONTENT), "notification_result_ignored"),
    ("after_run", CONTENT, 42, "notification_result_ignored"),
    ("after_run", CONTENT, amend(parts=("x" * 20_000,)), "result_too_large"),
    ("after_run", CONTENT, halt(object()), "invalid_result_type"),
    # Events
    ("on_event", event(Text("a")), amend(content=(Text("b"),)), "amended"),
    ("on_event", event(Text("a")), amend(content=(Text("b"), Text("c"))), "event_invariant_violation"),
    ("on_event", event(Text("a")), amend(content=()), "event_invariant_violation"),
    ("on_event", event(Text("a")), amend(id="x"), "event_invariant_violation"),
    ("on_event", event(Text("a")), amend(colour="x"), "invalid_result"),
    ("on_event", event(Text("a"), is_final=True), amend(content=(Text("b"),)), "event_invariant_violation"),
    ("on_event", event(Text("a"), is_final=True), amend(content=(Text("a"),)), "amended"),
    ("on_event", event(Text("a")), lambda seen: amend(seen.replace(timestamp_ms=6)), "event_invariant_violation"),
    ("on_event", event(Text("a")), lambda seen: ret(seen.replace(content=(Text("b"),))), "returned"),
    ("on_event", event(Text("a")), lambda seen: ret(seen.replace(partial=True)), "event_invariant_violation"),
    ("on_event", event(Text("a")), lambda seen: ret(seen.replace(actions={})), "event_invariant_violation"),
    ("on_event", event(Text("a")), ret(CONTENT), "invalid_result"),
]


@pytest.mark.parametrize(("phase", "value", "answer", "expected"), ANSWERS)
def test_an_answer_has_its_outcome(phase: str, value: Any, answer: Any, expected: str) -> None:
    assert outcome(phase, value, answer) == expected


PARTS = [
    (ToolCallPart(name="t", args={"x": 1}, call_id="c"), ToolCallPart(name="t", args={"x": 2}, call_id="c"), True),
    (ToolCallPart(name="t", args={}, call_id="c"), ToolCallPart(name="u", args={}, call_id="c"), False),
    (ToolCallPart(name="t", args={}, call_id="c"), ToolCallPart(name="t", args={}, call_id="d"), False),
    (ToolCallPart(name="t", args={}, call_id="c"), Text("x"), False),
    (
        ToolResultPart(name="t", call_id="c", body={"success": True, "result": 1}),
        ToolResultPart(name="t", call_id="c", body={"success": True, "result": 2}),
        True,
    ),
    (
        ToolResultPart(name="t", call_id="c", body={"success": True, "result": 1}),
        ToolResultPart(name="t", call_id="c", body={"success": False, "error": {}}),
        False,
    ),
    (ToolResultPart(name="t", call_id="c"), ToolResultPart(name="u", call_id="c"), False),
    (Text("x"), ToolCallPart(name="t", args={}, call_id="c"), False),
]


@pytest.mark.parametrize(("before", "after", "allowed"), PARTS)
def test_tools_of_an_event_keep_their_identity(before: Any, after: Any, allowed: bool) -> None:
    expected = "amended" if allowed else "event_invariant_violation"
    assert outcome("on_event", event(before), amend(content=(after,))) == expected
    assert outcome("on_event", event(before, before), amend(content=(before, after))) == expected


def late(seen: Any) -> Any:
    """Answers after its time."""
    time.sleep(0.003)
    return amend(parts=(Text("x"),))


ORDER: list[tuple[Any, dict[str, Any], str]] = [
    (amend(parts=(Text("x" * 500),)), {"intervenes": False, "max_result_bytes": 100}, "result_too_large"),
    (amend(parts=(object(),)), {"intervenes": False, "max_result_bytes": 1}, "invalid_result_type"),
    (amend(parts=(Text("x"),)), {"intervenes": False}, "observer_cannot_amend"),
    (ret(CONTENT), {"intervenes": False}, "observer_cannot_return"),
    (halt("x"), {"intervenes": False}, "observer_cannot_halt"),
    (late, {"intervenes": False, "timeout_ms": 1}, "timeout"),
    (late, {"max_result_bytes": 1, "timeout_ms": 1}, "result_too_large"),
]


@pytest.mark.parametrize(("answer", "limits", "expected"), ORDER)
def test_checks_come_in_their_order(answer: Any, limits: dict[str, Any], expected: str) -> None:
    assert outcome("before_run", HI, answer, **limits) == expected


def test_an_observer_that_breaks_an_event_is_first_an_observer() -> None:
    assert outcome("on_event", event(Text("a")), amend(id="x"), intervenes=False) == "observer_cannot_amend"


def test_only_what_is_sent_back_counts() -> None:
    large = ModelRequest(model="m", instruction="x" * 50_000, messages=REQUEST.messages)
    assert (
        outcome("before_model", large, lambda seen: amend(messages=seen.messages[:1]), max_result_bytes=100)
        == "amended"
    )
    assert outcome("before_model", large, amend(instruction="y" * 90), max_result_bytes=100) == "amended"
    assert outcome("before_model", large, amend(instruction="y" * 200), max_result_bytes=100) == "result_too_large"


def test_the_size_is_exact() -> None:
    exact = amend(instruction="y" * 98)
    assert outcome("before_model", REQUEST, exact, max_result_bytes=100) == "amended"
    assert outcome("before_model", REQUEST, exact, max_result_bytes=99) == "result_too_large"
