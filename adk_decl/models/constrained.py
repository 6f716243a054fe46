"""Tool calls for models that have none of their own: an answer constrained to "call a tool, or answer".

The endpoint enforces the schema, so a small model can't miss the form. What it can do is ask for the same call
for ever; a call that was already answered is therefore asked again with nothing left but to answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from adk_decl.errors import ModelError
from adk_decl.models.chat_wire import next_call_id
from adk_decl.values import Message, ModelRequest, ModelResponse, Text, ToolCallPart, ToolResultPart, ToolSpec
from adk_decl.wire import WireError, decode, encode

_SKETCH_DEPTH = 4


def constrain(request: ModelRequest) -> ModelRequest:
    """The same request for a model without tools: forms in the instruction, results as text, a schema of all forms."""
    return request.replace(
        instruction=_join(request.instruction, _forms(request.tools, request.output_schema)),
        messages=_merged(_as_text(message) for message in request.messages),
        tools=(),
        output_schema=union_schema(request.tools, request.output_schema),
        stream=False,
    )


def answer_only(request: ModelRequest) -> ModelRequest:
    """The same request with nothing left but to answer: neither tools nor the calls that were made."""
    plain = [_as_text(m) for m in request.messages if not (m.role == "assistant" and _calls(m))]
    plain.append(Message(role="user", parts=(Text("Answer the question with this result."),)))
    return request.replace(messages=_merged(plain), tools=(), stream=False)


def union_schema(tools: Sequence[ToolSpec], output_schema: Mapping[str, Any] | None) -> dict[str, Any]:
    """JSON Schema of `{tool, arguments}` for each tool, or `{answer}`."""
    definitions: dict[str, Any] = {}
    calls = [
        _closed(tool={"const": tool.name}, arguments=_hoisted(_parameters(tool), f"tool{index}", definitions))
        for index, tool in enumerate(tools)
    ]
    answer = {"type": "string"} if output_schema is None else _hoisted(output_schema, "answer", definitions)
    union: dict[str, Any] = {"anyOf": [*calls, _closed(answer=answer)]}
    return union | {"$defs": definitions} if definitions else union


def read_reply(response: ModelResponse, request: ModelRequest) -> ModelResponse:
    """A constrained response as the tool call or the answer it stands for.

    Raises `ModelError("invalid_model_result")` when the endpoint did not keep to the schema.
    """
    reply = _object(response.text)
    names = {tool.name for tool in request.tools}
    if reply.get("tool") in names and isinstance(reply.get("arguments"), dict):
        call = ToolCallPart(name=reply["tool"], args=reply["arguments"], call_id=next_call_id(request))
        return response.replace(content=(), tool_calls=(call,), finish_reason="tool_calls")
    answer = reply.get("answer")
    if request.output_schema is not None and "answer" in reply:
        return response.replace(content=(Text(encode(answer).decode()),))
    if isinstance(answer, str):
        return response.replace(content=(Text(answer),) if answer else ())
    raise ModelError("invalid_model_result")


def repeats(response: ModelResponse, request: ModelRequest) -> bool:
    """Whether the response asks for a call that succeeded since the user last spoke."""
    calls: dict[str, ToolCallPart] = {}
    succeeded: list[tuple[str, dict[str, Any]]] = []
    for message in _since_user(request.messages):
        for part in message.parts:
            if isinstance(part, ToolCallPart):
                calls[part.call_id] = part
            elif isinstance(part, ToolResultPart) and part.body.get("success") is True and part.call_id in calls:
                succeeded.append((part.name, calls[part.call_id].args))
    return any((call.name, call.args) in succeeded for call in response.tool_calls)


def sketch(schema: Any, depth: int = _SKETCH_DEPTH) -> str:
    """A schema in the fewest words that a small model follows: `{"order_id": string, "tags": [string]}`."""
    if not isinstance(schema, Mapping) or not depth:
        return "any"
    if "enum" in schema:
        return " or ".join(encode(value).decode() for value in schema["enum"])
    kind = schema.get("type")
    if kind == "object" or "properties" in schema:
        inner = ", ".join(f'"{name}": {sketch(s, depth - 1)}' for name, s in schema.get("properties", {}).items())
        return "{" + inner + "}"
    if kind == "array":
        return f"[{sketch(schema.get('items'), depth - 1)}]"
    return " or ".join(kind) if isinstance(kind, list) else str(kind or "any")


def _forms(tools: Sequence[ToolSpec], output_schema: Mapping[str, Any] | None) -> str:
    answer = "string" if output_schema is None else sketch(output_schema)
    lines = ["Reply with one JSON object, in one of these forms:"]
    for tool in tools:
        about = tool.description.partition("\n")[0]
        lines.append(f'{{"tool": "{tool.name}", "arguments": {sketch(_parameters(tool))}}} - {about}'.rstrip(" -"))
    lines.append(f'{{"answer": {answer}}} - The final answer, once the needed results are there.')
    return "\n".join(lines)


def _parameters(tool: ToolSpec) -> Mapping[str, Any]:
    return tool.parameters or {"type": "object", "properties": {}, "additionalProperties": False}


def _closed(**properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _hoisted(schema: Mapping[str, Any], prefix: str, definitions: dict[str, Any]) -> Any:
    """A schema to stand inside another one: its `$defs` move to `definitions` and its references follow."""
    own = schema.get("$defs", {})
    definitions.update({f"{prefix}.{name}": _renamed(item, prefix) for name, item in own.items()})
    return _renamed({key: item for key, item in schema.items() if key not in ("$defs", "$schema", "$id")}, prefix)


def _renamed(schema: Any, prefix: str) -> Any:
    if isinstance(schema, list):
        return [_renamed(item, prefix) for item in schema]
    if not isinstance(schema, Mapping):
        return schema
    renamed = {key: _renamed(item, prefix) for key, item in schema.items()}
    reference = renamed.get("$ref")
    if isinstance(reference, str) and reference.startswith("#/$defs/"):
        renamed["$ref"] = f"#/$defs/{prefix}." + reference.removeprefix("#/$defs/")
    return renamed


def _as_text(message: Message) -> Message:
    """A message with calls and results written out, since the endpoint knows of neither."""
    if message.role == "tool":
        text = "\n".join(_result(p) for p in message.parts if isinstance(p, ToolResultPart))
        return Message(role="user", parts=(Text(text),))
    calls = _calls(message)
    if not calls:
        return message
    texts = [encode({"tool": call.name, "arguments": call.args}).decode() for call in calls]
    return Message(role=message.role, parts=(Text("\n".join(filter(None, [message.text, *texts]))),))


def _calls(message: Message) -> list[ToolCallPart]:
    return [part for part in message.parts if isinstance(part, ToolCallPart)]


def _result(part: ToolResultPart) -> str:
    shown = part.body.get("result") if part.body.get("success") is True else part.body
    return f"Result of {part.name}: {encode(shown).decode()}"


def _merged(messages: Iterable[Message]) -> tuple[Message, ...]:
    """Neighbours of one role become one message: many chat templates refuse two in a row."""
    merged: list[Message] = []
    for message in messages:
        if merged and merged[-1].role == message.role:
            joined = Text(_join(merged[-1].text, message.text))
            merged[-1] = Message(role=message.role, parts=(joined,))
        else:
            merged.append(message)
    return tuple(merged)


def _since_user(messages: Sequence[Message]) -> Sequence[Message]:
    starts = [index for index, message in enumerate(messages) if message.role == "user"]
    return messages[starts[-1] + 1 :] if starts else messages


def _object(text: str) -> dict[str, Any]:
    try:
        value = decode(text.encode())
    except (WireError, UnicodeEncodeError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise ModelError("invalid_model_result")
    return value


def _join(first: str | None, second: str) -> str:
    return f"{first}\n\n{second}" if first else second
