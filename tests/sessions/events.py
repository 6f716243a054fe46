"""Events for the tests of session stores."""

from __future__ import annotations

from adk_decl.sessions.protocol import SessionKey
from adk_decl.values import Event, Text, ToolCallPart, ToolResultPart

KEY = SessionKey("support", "u1", "s1")
OTHER = SessionKey("support", "u1", "s2")


def event(number: int, text: str = "hello") -> Event:
    """One event with every kind of part and a number in its id."""
    return Event(
        id=f"e{number}",
        invocation_id="i1",
        author="agent",
        content=(
            Text(text),
            ToolCallPart(
                name="look_up", args={"n": number, "f": 0.1, "deep": [None, {"x": "ü\u0000\n"}]}, call_id="c1"
            ),
            ToolResultPart(name="look_up", call_id="c1", body={"success": True, "result": [1, 2.5, "x"]}),
        ),
        actions={"state": {"k": number}},
        timestamp_ms=1_700_000_000_000 + number,
        is_final=number % 2 == 0,
    )
