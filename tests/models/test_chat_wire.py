"""Requests and responses of chat completions."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adk_decl.errors import ModelError
from adk_decl.models import GenerationSettings, Message, ModelRequest, Text, ToolCallPart, ToolSpec, Usage
from adk_decl.models.chat_wire import fits_strict, parse_completion, request_body
from tests.models.conversation import ANSWER_SCHEMA, ORDER_TOOL, called, failed, request, returned, said, user


def body(req: ModelRequest, **options: Any) -> Any:
    return json.loads(request_body(req, **options))


def completion(message: Any, **fields: Any) -> bytes:
    choice = {"index": 0, "message": message, "finish_reason": fields.pop("finish_reason", "stop")}
    return json.dumps({"id": "x", "choices": [choice]} | fields).encode()


def test_the_smallest_request() -> None:
    assert body(request(user("Hi"))) == {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}


def test_a_whole_conversation() -> None:
    req = request(user("Where?"), called(order_id="1"), returned({"a": 1}), said("There."), instruction="Be kind.")
    arguments = json.dumps({"order_id": "1"}, separators=(",", ":"))
    call = {"id": "c1", "type": "function", "function": {"name": "lookup_order", "arguments": arguments}}
    assert body(req)["messages"] == [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": "Where?"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": '{"success":true,"result":{"a":1}}'},
        {"role": "assistant", "content": "There."},
    ]


def test_parallel_results_are_messages_of_their_own() -> None:
    both = Message(role="tool", parts=(*returned(1, "c1").parts, *failed("X", "c2").parts))
    assert [m["tool_call_id"] for m in body(request(both))["messages"]] == ["c1", "c2"]


def test_tools_settings_and_schema() -> None:
    settings = GenerationSettings(temperature=0.0, top_p=0.5, max_output_tokens=9, stop=("x",), seed=7)
    tools = (ORDER_TOOL, ToolSpec(name="now"))
    sent = body(request(generation=settings, tools=tools, output_schema=ANSWER_SCHEMA))
    assert sent["tools"][0]["function"]["parameters"] == ORDER_TOOL.parameters
    assert sent["tools"][1]["function"]["parameters"] == {"type": "object", "properties": {}}
    picked = {key: sent[key] for key in ("temperature", "top_p", "max_tokens", "stop", "seed")}
    assert picked == {"temperature": 0.0, "top_p": 0.5, "max_tokens": 9, "stop": ["x"], "seed": 7}
    described = {"name": "answer", "schema": ANSWER_SCHEMA, "strict": True}
    assert sent["response_format"] == {"type": "json_schema", "json_schema": described}


def test_the_key_of_the_output_limit_can_differ() -> None:
    sent = body(request(generation=GenerationSettings(max_output_tokens=9)), limit_key="max_completion_tokens")
    assert (sent["max_completion_tokens"], "max_tokens" in sent) == (9, False)


def test_usage_is_asked_for_when_streaming() -> None:
    sent = body(request(stream=True))
    assert (sent["stream"], sent["stream_options"]) == (True, {"include_usage": True})


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        (ANSWER_SCHEMA, True),
        ({"type": "string"}, True),
        ({**ANSWER_SCHEMA, "required": ["status"]}, False),
        ({**ANSWER_SCHEMA, "additionalProperties": True}, False),
        ({"type": "array", "items": {"type": "object"}}, False),
        ({"anyOf": [ANSWER_SCHEMA, {"type": "object", "properties": {}}]}, False),
    ],
)
def test_strict_only_where_it_is_possible(schema: Any, expected: bool) -> None:
    assert fits_strict(schema) is expected


def test_an_answer() -> None:
    usage = {"prompt_tokens": 5, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 3}}
    response = parse_completion(completion({"content": "Hi"}, usage=usage, model="big"), request())
    assert (response.content, response.finish_reason, response.model) == ((Text("Hi"),), "stop", "big")
    assert response.usage == Usage(input_tokens=5, output_tokens=2, cached_tokens=3)


def test_tool_calls() -> None:
    calls = [
        {"id": "a", "type": "function", "function": {"name": "x", "arguments": '{"n": 1}'}},
        {"id": "a", "type": "function", "function": {"name": "y", "arguments": ""}},
        {"type": "function", "function": {"name": "z"}},
    ]
    response = parse_completion(completion({"content": None, "tool_calls": calls}), request())
    assert response.tool_calls == (
        ToolCallPart(name="x", args={"n": 1}, call_id="a"),
        ToolCallPart(name="y", args={}, call_id="call_2"),
        ToolCallPart(name="z", args={}, call_id="call_3"),
    )
    assert (response.content, response.finish_reason) == ((), "tool_calls")


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        ("stop", "stop"),
        ("length", "length"),
        ("tool_calls", "tool_calls"),
        ("function_call", "tool_calls"),
        ("content_filter", "content_filter"),
        ("eos", "other"),
        (None, "other"),
    ],
)
def test_finish_reasons(sent: str | None, expected: str) -> None:
    assert parse_completion(completion({"content": "x"}, finish_reason=sent), request()).finish_reason == expected


def test_a_refusal_is_its_text_and_a_filter() -> None:
    response = parse_completion(completion({"content": None, "refusal": "No."}), request())
    assert (response.text, response.finish_reason) == ("No.", "content_filter")


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"null",
        b"[]",
        b"<html><body>Bad gateway</body></html>",
        b'{"choices": [{"message": {"content": "ha',
        b'{"choices": []}',
        b'{"choices": {}}',
        b'{"object": "chat.completion"}',
        completion({"content": 7}),
        completion({"content": [{"type": "text"}]}),
        completion("text"),
        completion({"tool_calls": [{"id": "a"}]}),
        completion({"tool_calls": [{"id": "a", "function": {"name": 1}}]}),
        completion({"content": "x"}, usage={"prompt_tokens": "many"}),
        completion({"content": "x"}, usage={"prompt_tokens": -1}),
        completion({"content": "x"}, finish_reason=3),
        b'{"choices":' + b"[" * 100_000,
        b"\xff\xfe",
    ],
)
def test_anything_else_is_invalid(data: bytes) -> None:
    with pytest.raises(ModelError, match="invalid_response") as caught:
        parse_completion(data, request())
    assert caught.value.__context__ is None


@pytest.mark.parametrize("arguments", ["{", "[]", "1", "null", '"x"', "{]", '{"a":' * 5000, "\ud800"])
def test_arguments_that_are_no_object(arguments: str) -> None:
    calls = [{"id": "a", "function": {"name": "x", "arguments": arguments}}]
    try:
        data = completion({"tool_calls": calls})
        parse_completion(data, request())
    except ModelError as error:
        assert error.reason in ("invalid_model_result", "invalid_response")  # noqa: PT017
    else:
        pytest.fail("accepted")


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda v: (
            st.lists(v)
            | st.dictionaries(
                st.sampled_from(["choices", "message", "content", "tool_calls", "usage", "function", "name"]), v
            )
        ),
        max_leaves=12,
    )
)
def test_any_json_is_a_response_or_a_typed_error(value: Any) -> None:
    try:
        parse_completion(json.dumps(value).encode(), request())
    except ModelError as error:
        assert error.reason in ("invalid_response", "invalid_model_result")  # noqa: PT017
