"""Conversations made from stored events."""

from __future__ import annotations

from adk_decl.runtime.clock import SystemClock
from adk_decl.runtime.events import EventFactory, conversation, new_id, text_of, tool_result_part
from adk_decl.values.content import Part, Text, ToolCallPart, ToolError, ToolResultPart
from adk_decl.values.phase_values import ToolResult

FACTORY = EventFactory("inv", SystemClock())


def test_ids_are_prefixed_and_unique() -> None:
    assert new_id("run").startswith("run-")
    assert len({new_id("x") for _ in range(100)}) == 100


def test_roles_follow_the_author_and_chunks_are_left_out() -> None:
    events = [
        FACTORY.make("user", (Text("a"),)),
        FACTORY.make("helper", (Text("b"),), partial=True),
        FACTORY.make("helper", (Text("c"),), is_final=True),
    ]
    messages = conversation(events)
    assert [(m.role, m.text) for m in messages] == [("user", "a"), ("assistant", "c")]
    assert messages[0].id == events[0].id


def test_a_call_without_a_result_is_answered_before_the_next_message() -> None:
    call = ToolCallPart(name="t", args={}, call_id="c")
    messages = conversation([FACTORY.make("helper", (call,)), FACTORY.make("user", (Text("again"),))])
    assert [m.role for m in messages] == ["assistant", "tool", "user"]
    part = messages[1].parts[0]
    assert isinstance(part, ToolResultPart)
    assert part.body["error"]["reason"] == "interrupted"


def test_an_open_call_at_the_end_is_closed_when_nothing_follows() -> None:
    event = FACTORY.make("helper", (ToolCallPart(name="t", args={}, call_id="c"),))
    assert [m.role for m in conversation([event])] == ["assistant"]
    assert [m.role for m in conversation([event], ended=True)] == ["assistant", "tool"]


def test_answered_calls_are_left_alone() -> None:
    parts: list[tuple[str, Part]] = [
        ("helper", ToolCallPart(name="t", args={}, call_id="c")),
        ("tool", ToolResultPart(name="t", call_id="c", body={"success": True, "result": 1})),
    ]
    messages = conversation([FACTORY.make(author, (part,)) for author, part in parts], ended=True)
    assert len(messages) == 2


def test_an_open_call_is_closed_though_its_id_was_answered_before() -> None:
    called, answered = (
        FACTORY.make("helper", (ToolCallPart(name="t", args={}, call_id="c"),)),
        FACTORY.make("tool", (ToolResultPart(name="t", call_id="c", body={"success": True, "result": 1}),)),
    )
    again = FACTORY.make("user", (Text("again"),))
    messages = conversation([called, answered, again, called, again, called], ended=True)
    assert [m.role for m in messages] == ["assistant", "tool", "user", "assistant", "tool", "user", "assistant", "tool"]
    assert messages[4].id != messages[7].id


def test_a_result_is_told_as_success_and_result() -> None:
    assert tool_result_part(ToolResult(name="t", call_id="c", result=[1])).body == {"success": True, "result": [1]}


def test_an_error_is_told_without_its_text() -> None:
    result = ToolResult(name="t", call_id="c", error=ToolError(reason="KeyError", error_class="exception"))
    assert tool_result_part(result).body == {
        "success": False,
        "error": {"component": "tool", "operation": "execute", "class": "exception", "reason": "KeyError"},
    }


def test_text_of_joins_text_parts_only() -> None:
    assert text_of((Text("a"), ToolCallPart(name="t", args={}, call_id="c"), Text("b"))) == "ab"
