"""Requests and calls for the tests of models."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from typing import Any

from adk_decl.models import (
    GenerationSettings,
    Message,
    Model,
    ModelCall,
    ModelRequest,
    ModelResponse,
    Text,
    TextDelta,
    ToolCallPart,
    ToolResultPart,
    ToolSpec,
)

ORDER_TOOL = ToolSpec(
    name="lookup_order",
    description="Look up one order.\nMore of it.",
    parameters={
        "type": "object",
        "properties": {"order_id": {"type": "string", "pattern": "^[0-9]{4}$"}},
        "required": ["order_id"],
        "additionalProperties": False,
    },
)
ANSWER_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"order_id": {"type": "string"}, "status": {"type": "string"}},
    "required": ["order_id", "status"],
    "additionalProperties": False,
}


def user(text: str) -> Message:
    """What the user said."""
    return Message(role="user", parts=(Text(text),))


def said(text: str) -> Message:
    """What the model said."""
    return Message(role="assistant", parts=(Text(text),))


def called(call_id: str = "c1", name: str = "lookup_order", **args: Any) -> Message:
    """A tool call of the model."""
    return Message(role="assistant", parts=(ToolCallPart(name=name, args=args, call_id=call_id),))


def returned(result: Any, call_id: str = "c1", name: str = "lookup_order") -> Message:
    """A successful result of a tool."""
    body = {"success": True, "result": result}
    return Message(role="tool", parts=(ToolResultPart(name=name, call_id=call_id, body=body),))


def failed(reason: str, call_id: str = "c1", name: str = "lookup_order") -> Message:
    """A failed tool call."""
    body = {"success": False, "error": {"reason": reason}}
    return Message(role="tool", parts=(ToolResultPart(name=name, call_id=call_id, body=body),))


def request(*messages: Message, **fields: Any) -> ModelRequest:
    """A request with these messages, oldest first."""
    return ModelRequest(**({"model": "m", "messages": messages or (user("Hello"),)} | fields))


def call(*, within_s: float = 5.0, scratch: dict[str, Any] | None = None, **fields: Any) -> ModelCall:
    """A call that has to end within so many seconds."""
    facts: dict[str, Any] = {"run_id": "r1", "scratch": {} if scratch is None else scratch} | fields
    return ModelCall(deadline=time.monotonic() + within_s, **facts)


async def outputs(model: Model, req: ModelRequest, facts: ModelCall | None = None) -> list[TextDelta | ModelResponse]:
    """Everything a model yields."""
    return [output async for output in model.generate(req, facts or call())]


async def answer(model: Model, req: ModelRequest, facts: ModelCall | None = None) -> ModelResponse:
    """The response, which is the last thing a model yields."""
    *deltas, response = await outputs(model, req, facts)
    assert isinstance(response, ModelResponse)
    assert all(isinstance(delta, TextDelta) for delta in deltas)
    return response


class FunctionModel:
    """A model made of one async generator function."""

    def __init__(self, function: Any) -> None:
        self._function = function
        self.opened = self.closed = 0

    async def open(self) -> None:
        """Counts."""
        self.opened += 1

    async def close(self) -> None:
        """Counts."""
        self.closed += 1

    def generate(self, req: ModelRequest, facts: ModelCall) -> AsyncIterator[TextDelta | ModelResponse]:
        """Whatever the function yields."""
        result: AsyncIterator[TextDelta | ModelResponse] = self._function(req, facts)
        return result


DETERMINISTIC = GenerationSettings(temperature=0.0, seed=7, max_output_tokens=200)
