"""The chat-completions format: requests out, responses and stream chunks in, strictly typed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from adk_decl.errors import ModelError
from adk_decl.models.chat_response import Completion, FinalMessage, ReplyCall, ReplyUsage, as_completion
from adk_decl.values import (
    Message,
    ModelRequest,
    ModelResponse,
    Text,
    ToolCallPart,
    ToolResultPart,
    ToolSpec,
    Usage,
)
from adk_decl.values.phase_values import FinishReason
from adk_decl.wire import WireError, decode, encode

_FINISH: dict[str, FinishReason] = {
    "stop": "stop",
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
    "length": "length",
    "content_filter": "content_filter",
}


def request_body(request: ModelRequest, *, limit_key: str = "max_tokens", schema_name: str = "answer") -> bytes:
    """The JSON of one request. `limit_key` names the field of the output limit, which endpoints disagree about."""
    body: dict[str, Any] = {"model": request.model, "messages": _messages(request)}
    if request.tools:
        body["tools"] = [_tool(spec) for spec in request.tools]
    if request.output_schema is not None:
        body["response_format"] = response_format(request.output_schema, name=schema_name)
    settings = request.generation
    optional = {
        "temperature": settings.temperature,
        "top_p": settings.top_p,
        limit_key: settings.max_output_tokens,
        "stop": list(settings.stop) or None,
        "seed": settings.seed,
    }
    body |= {key: value for key, value in optional.items() if value is not None}
    if request.stream:
        body |= {"stream": True, "stream_options": {"include_usage": True}}
    return encode(body)


def response_format(schema: Mapping[str, Any], *, name: str) -> dict[str, Any]:
    """`response_format` for a JSON Schema, strict where the schema allows what endpoints demand for that."""
    described: dict[str, Any] = {"name": name, "schema": schema}
    if fits_strict(schema):
        described["strict"] = True
    return {"type": "json_schema", "json_schema": described}


def fits_strict(schema: Any) -> bool:
    """Whether every object in a schema is closed and has all of its properties required."""
    if isinstance(schema, list):
        return all(fits_strict(item) for item in schema)
    if not isinstance(schema, Mapping):
        return True
    if schema.get("type") == "object" or "properties" in schema:
        closed = schema.get("additionalProperties") is False
        if not closed or set(schema.get("required", ())) != set(schema.get("properties", ())):
            return False
    return all(fits_strict(item) for item in schema.values())


def parse_completion(data: bytes, request: ModelRequest) -> ModelResponse:
    """A whole response. Raises `ModelError("invalid_response")`, or `invalid_model_result` for broken arguments."""
    return to_response(as_completion(data), request)


def to_response(completion: Completion, request: ModelRequest) -> ModelResponse:
    """The first choice as a `ModelResponse`."""
    if not completion.choices:
        raise ModelError("invalid_response")
    choice = completion.choices[0]
    calls = _calls(choice.message.tool_calls or (), request)
    text, refused = _said(choice.message)
    finish = _FINISH.get(choice.finish_reason or "", "other")
    if refused:
        finish = "content_filter"
    elif calls and finish == "stop":
        finish = "tool_calls"
    return ModelResponse(
        content=(Text(text),) if text else (),
        tool_calls=calls,
        usage=to_usage(completion.usage),
        finish_reason=finish,
        model=completion.model or request.model,
    )


def to_usage(usage: ReplyUsage | None) -> Usage:
    """Token counts; zeros when none were sent."""
    if usage is None:
        return Usage()
    cached = usage.prompt_tokens_details.cached_tokens if usage.prompt_tokens_details else 0
    counts = (usage.prompt_tokens, usage.completion_tokens, cached or 0)
    if any(count < 0 for count in counts):
        raise ModelError("invalid_response")
    return Usage(input_tokens=counts[0], output_tokens=counts[1], cached_tokens=counts[2])


def _messages(request: ModelRequest) -> list[dict[str, Any]]:
    system = [{"role": "system", "content": request.instruction}] if request.instruction else []
    return [*system, *(item for message in request.messages for item in _message(message))]


def _message(message: Message) -> Iterable[dict[str, Any]]:
    if message.role == "tool":
        for part in message.parts:
            if isinstance(part, ToolResultPart):
                yield {"role": "tool", "tool_call_id": part.call_id, "content": encode(part.body).decode()}
        return
    calls = [_call(part) for part in message.parts if isinstance(part, ToolCallPart)]
    if calls:
        yield {"role": message.role, "content": message.text or None, "tool_calls": calls}
    else:
        yield {"role": message.role, "content": message.text}


def _call(part: ToolCallPart) -> dict[str, Any]:
    function = {"name": part.name, "arguments": encode(part.args).decode()}
    return {"id": part.call_id, "type": "function", "function": function}


def _tool(spec: ToolSpec) -> dict[str, Any]:
    parameters = spec.parameters or {"type": "object", "properties": {}}
    function = {"name": spec.name, "description": spec.description, "parameters": parameters}
    return {"type": "function", "function": function}


def _said(message: FinalMessage) -> tuple[str, bool]:
    """Text, and whether it is a refusal."""
    if message.refusal and not message.content:
        return message.refusal, True
    return message.content or "", False


def _calls(calls: Iterable[ReplyCall], request: ModelRequest) -> tuple[ToolCallPart, ...]:
    seen: set[str] = set()
    parts: list[ToolCallPart] = []
    for call in calls:
        call_id = call.id if call.id and call.id not in seen else next_call_id(request, len(parts))
        seen.add(call_id)
        parts.append(ToolCallPart(name=call.function.name, args=_arguments(call.function.arguments), call_id=call_id))
    return tuple(parts)


def next_call_id(request: ModelRequest, offset: int = 0) -> str:
    """An id for a call that came without one, unique in the conversation."""
    before = sum(isinstance(part, ToolCallPart) for message in request.messages for part in message.parts)
    return f"call_{before + offset + 1}"


def _arguments(text: str) -> dict[str, Any]:
    try:
        value = decode(text.encode()) if text.strip() else {}
    except (WireError, UnicodeEncodeError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise ModelError("invalid_model_result")
    return value
