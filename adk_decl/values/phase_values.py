"""The values of the phases, one class each. The phase table (`adk_decl.plan.phases`) says which phase has which."""

# No `from __future__ import annotations`: decoders are built from these annotations at import.

from typing import Any, Literal

from adk_decl.values.content import (
    GenerationSettings,
    Message,
    Part,
    Text,
    ToolCallPart,
    ToolError,
    ToolSpec,
    Usage,
)
from adk_decl.values.payload import Payload

FinishReason = Literal["stop", "tool_calls", "length", "content_filter", "other"]


class UserMessage(Payload):
    """The message of the user, or what an agent is asked to work on."""

    parts: tuple[Part, ...]

    @property
    def text(self) -> str:
        """The text parts joined."""
        return "".join(part.text for part in self.parts if isinstance(part, Text))


class Content(Payload):
    """The final answer of an agent or a run."""

    parts: tuple[Part, ...]

    @property
    def text(self) -> str:
        """The text parts joined."""
        return "".join(part.text for part in self.parts if isinstance(part, Text))


class ModelRequest(Payload):
    """What is about to be sent to a model. `messages` are oldest first; `instruction` is the system text."""

    model: str
    instruction: str | None = None
    messages: tuple[Message, ...] = ()
    tools: tuple[ToolSpec, ...] = ()
    generation: GenerationSettings = GenerationSettings()
    output_schema: dict[str, Any] | None = None
    stream: bool = False


class ModelResponse(Payload):
    """What a model answered: text content, tool calls, or both."""

    content: tuple[Part, ...] = ()
    tool_calls: tuple[ToolCallPart, ...] = ()
    usage: Usage = Usage()
    finish_reason: FinishReason = "stop"
    model: str = ""

    @property
    def text(self) -> str:
        """The text parts joined."""
        return "".join(part.text for part in self.content if isinstance(part, Text))


class ToolCall(Payload):
    """A tool call that passed admission. Only `args` can be amended."""

    name: str
    args: dict[str, Any]
    call_id: str = ""


class ToolResult(Payload):
    """The outcome of a tool call: `result` (any JSON), or `error`. `duration_ms` is 0 when the tool did not run."""

    name: str
    call_id: str = ""
    args: dict[str, Any] = {}  # noqa: RUF012
    result: Any = None
    error: ToolError | None = None
    duration_ms: int = 0


class Event(Payload):
    """One event of a session: stored, then delivered.

    `author` is `user`, `tool`, `runner` or the name of an agent. `actions` carries what the event does to the
    session. `timestamp_ms` is Unix time in milliseconds. A `partial` event is a chunk of streamed text.
    """

    id: str
    invocation_id: str
    author: str
    content: tuple[Part, ...]
    actions: dict[str, Any]
    timestamp_ms: int
    partial: bool = False
    is_final: bool = False
    schema_version: int = 1

    @property
    def text(self) -> str:
        """The text parts joined."""
        return "".join(part.text for part in self.content if isinstance(part, Text))


class Failure(Payload):
    """A failure without its text: where it arose, its class, and a symbolic reason."""

    component: str
    operation: str
    error_class: Literal["error", "exit", "throw", "exception", "external"]
    reason: str
    status: int | None = None
    correlation: dict[str, str] = {}  # noqa: RUF012


PAYLOAD_TYPES: dict[str, type[Payload]] = {
    cls.__name__: cls
    for cls in (UserMessage, Content, ModelRequest, ModelResponse, ToolCall, ToolResult, Event, Failure)
}
"""Payload classes by the names that the phase table uses."""
