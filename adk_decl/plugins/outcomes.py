"""What a hook may answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from adk_decl.values.content import Message, Text, ToolError
from adk_decl.values.payload import Payload
from adk_decl.values.phase_values import Content, ModelResponse, ToolResult
from adk_decl.wire import Struct, field


class Observe(Struct, frozen=True):
    """Keep the value as it is. `None` means the same."""


class Amend(Struct, frozen=True):
    """Change the value and go on with the next plugin: a whole value, or only the changed fields."""

    value: Any = None
    fields: dict[str, Any] = field(default_factory=dict)


class Return(Struct, frozen=True):
    """Finish the phase with this value; later plugins and the operation are skipped."""

    value: Any


class Halt(Struct, frozen=True):
    """Stop the run. The reason is JSON, redacted, at most 1024 bytes."""

    reason: Any


class Keep(Struct, frozen=True):
    """A change of `ModelRequest.messages` by the ids of the messages: see `keep`."""

    ids: tuple[str, ...]
    append: tuple[Message, ...] = ()
    replace: dict[str, Message] = field(default_factory=dict)


Outcome = Observe | Amend | Return | Halt

_OBSERVE = Observe()


def observe() -> Observe:
    """Keep the value as it is; returning `None` does the same."""
    return _OBSERVE


def amend(value: Payload | None = None, /, **fields: Any) -> Amend:
    """Change the value: a whole payload, or only fields, such as `amend(args={...})`.

    Which fields a phase lets change is in the phase table. Only what is given counts against
    `max_result_bytes`. Raises `TypeError` when both or neither are given.
    """
    if (value is None) == (not fields):
        raise TypeError("amend() takes either a value or changed fields")
    return Amend(value, fields)


def ret(value: Payload) -> Return:
    """Finish the phase with `value`, which has the type that the phase table gives under `returns`."""
    return Return(value)


replace = ret
"""Alias of `ret`."""


def halt(reason: Any) -> Halt:
    """Stop the run with a typed error. `reason` is any JSON value."""
    return Halt(reason)


def keep(ids: Sequence[str], *, append: Sequence[Message] = (), replace: Mapping[str, Message] | None = None) -> Keep:
    """New messages for `amend(messages=...)`: those with these ids in this order, some replaced, more at the end.

    What travels back to the host is the change, not the conversation.
    """
    return Keep(tuple(ids), tuple(append), dict(replace or {}))


def text_response(text: str, *, model: str = "") -> ModelResponse:
    """A model response with one text."""
    return ModelResponse(content=(Text(text),), model=model)


def text_content(text: str) -> Content:
    """Final content with one text."""
    return Content(parts=(Text(text),))


def tool_response(result: Any, *, name: str = "", call_id: str = "") -> ToolResult:
    """The result of a tool. Name and call id are filled in by the host when empty."""
    return ToolResult(name=name, call_id=call_id, result=result)


def tool_error(reason: str, *, details: Mapping[str, Any] | None = None) -> ToolResult:
    """A failed tool call with a symbolic reason, as the model is told it."""
    return ToolResult(name="", error=ToolError(reason=reason, component="plugin", details=dict(details or {})))
