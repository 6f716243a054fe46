"""Messages and their parts: what a user, a model and a tool say. Frozen; their JSON is decoded anew for each reader."""

from __future__ import annotations

from typing import Any, Literal

from adk_decl.wire import Struct, field

Role = Literal["user", "assistant", "tool"]


class Text(Struct, frozen=True, kw_only=False, tag="text", omit_defaults=True):
    """A piece of text."""

    text: str


class ToolCallPart(Struct, frozen=True, kw_only=True, tag="tool_call", omit_defaults=True):
    """A tool call that a model asked for: name, arguments (a JSON object) and its id."""

    name: str
    args: dict[str, Any] = field(default_factory=dict)
    call_id: str


class ToolResultPart(Struct, frozen=True, kw_only=True, tag="tool_result", omit_defaults=True):
    """What the model is told about a tool call: `body` is `{success: true, result}` or `{success: false, error}`."""

    name: str
    call_id: str
    body: dict[str, Any] = field(default_factory=dict)


Part = Text | ToolCallPart | ToolResultPart


class Message(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One message of a conversation. `id` is given by the host and unique in a request; a plugin leaves it empty."""

    role: Role
    parts: tuple[Part, ...] = ()
    id: str = ""

    @property
    def text(self) -> str:
        """The text parts joined."""
        return "".join(part.text for part in self.parts if isinstance(part, Text))


class ToolSpec(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A tool as the model is told of it: `parameters` is a JSON Schema of type object."""

    name: str
    description: str = ""
    parameters: dict[str, Any] = field(default_factory=dict)


class GenerationSettings(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Sampling settings of one request; None leaves the choice to the model."""

    temperature: float | None = None
    top_p: float | None = None
    max_output_tokens: int | None = None
    stop: tuple[str, ...] = ()
    seed: int | None = None


class Usage(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Tokens of one model call or a sum of several. `cached_tokens` are part of `input_tokens`."""

    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cached_tokens=self.cached_tokens + other.cached_tokens,
        )


class ToolError(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Why a tool call failed, without its text: `reason` is a registered code or the exception's class name.

    `details` holds facts that are safe to show the model, such as the path of an argument that does not fit.
    """

    reason: str
    component: str = "tool"
    operation: str = "execute"
    error_class: Literal["error", "exit", "throw", "exception", "external"] = "error"
    details: dict[str, Any] = field(default_factory=dict)
