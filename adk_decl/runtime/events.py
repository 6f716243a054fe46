"""Events of a run and the conversation they make up."""

from __future__ import annotations

import secrets
from collections.abc import Iterable

from adk_decl.runtime.clock import Clock
from adk_decl.values.content import Message, Part, Role, Text, ToolCallPart, ToolResultPart
from adk_decl.values.phase_values import Event, ToolResult

USER_AUTHOR = "user"
TOOL_AUTHOR = "tool"

INTERRUPTED = "interrupted"
"""Reason given to the model for a tool call of an earlier run that never got a result."""


def new_id(prefix: str) -> str:
    """A random id, `prefix-` and 24 hexadecimal digits."""
    return f"{prefix}-{secrets.token_hex(12)}"


class EventFactory:
    """Makes the events of one invocation."""

    __slots__ = ("_clock", "invocation_id")

    def __init__(self, invocation_id: str, clock: Clock) -> None:
        self.invocation_id = invocation_id
        self._clock = clock

    def make(self, author: str, content: tuple[Part, ...], *, partial: bool = False, is_final: bool = False) -> Event:
        """An event that says this, now."""
        return Event(
            id=new_id("event"),
            invocation_id=self.invocation_id,
            author=author,
            content=content,
            actions={},
            timestamp_ms=self._clock.unix_ms(),
            partial=partial,
            is_final=is_final,
        )


def tool_result_part(result: ToolResult) -> ToolResultPart:
    """What the model and the session see of a tool call: `{success, result}` or `{success, error}`."""
    if result.error is None:
        body = {"success": True, "result": result.result}
    else:
        error = result.error
        body = {
            "success": False,
            "error": {
                "component": error.component,
                "operation": error.operation,
                "class": error.error_class,
                "reason": error.reason,
                **({"details": error.details} if error.details else {}),
            },
        }
    return ToolResultPart(name=result.name, call_id=result.call_id, body=body)


def conversation(events: Iterable[Event], *, ended: bool = False) -> list[Message]:
    """The messages that a model is sent for these events, oldest first; ids are those of the events.

    A tool call without a result, left by a run that was interrupted, gets a failed result, because providers
    refuse a call that is never answered. With `ended` no results will follow, so the last calls get theirs too.
    """
    messages: list[Message] = []
    open_calls: dict[str, ToolCallPart] = {}
    for event in events:
        if event.partial:
            continue
        role = _role(event)
        if role != "tool":
            _close_calls(messages, open_calls)
        for part in event.content:
            if isinstance(part, ToolCallPart):
                open_calls[part.call_id] = part
            elif isinstance(part, ToolResultPart):
                open_calls.pop(part.call_id, None)
        messages.append(Message(role=role, parts=event.content, id=event.id))
    if ended:
        _close_calls(messages, open_calls)
    return messages


def text_of(parts: Iterable[Part]) -> str:
    """The text parts joined."""
    return "".join(part.text for part in parts if isinstance(part, Text))


def _role(event: Event) -> Role:
    if event.author == USER_AUTHOR:
        return "user"
    return "tool" if event.author == TOOL_AUTHOR else "assistant"


def _close_calls(messages: list[Message], open_calls: dict[str, ToolCallPart]) -> None:
    for call in open_calls.values():
        body = {"success": False, "error": {"component": "runner", "reason": INTERRUPTED}}
        part = ToolResultPart(name=call.name, call_id=call.call_id, body=body)
        # Not by the id of the call, which a model may use again.
        messages.append(Message(role="tool", parts=(part,), id=f"{INTERRUPTED}-{len(messages)}"))
    open_calls.clear()
