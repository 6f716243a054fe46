"""Tool calls by a constrained answer."""

from __future__ import annotations

from typing import Any

import pytest

from adk_decl.errors import ModelError
from adk_decl.json_schema import validator
from adk_decl.models import Message, ModelResponse, Text, ToolCallPart, ToolSpec
from adk_decl.models.constrained import answer_only, constrain, read_reply, repeats, sketch, union_schema
from tests.models.conversation import ANSWER_SCHEMA, ORDER_TOOL, called, failed, request, returned, said, user

TOOLS = (ORDER_TOOL, ToolSpec(name="now"))


def response(text: str) -> ModelResponse:
    return ModelResponse(content=(Text(text),))


@pytest.mark.parametrize(
    ("value", "valid"),
    [
        ({"tool": "lookup_order", "arguments": {"order_id": "1042"}}, True),
        ({"tool": "lookup_order", "arguments": {"order_id": "x"}}, False),
        ({"tool": "lookup_order", "arguments": {}}, False),
        ({"tool": "now", "arguments": {}}, True),
        ({"tool": "other", "arguments": {}}, False),
        ({"answer": "text"}, True),
        ({"answer": {"order_id": "1", "status": "x"}}, False),
        ({}, False),
    ],
)
def test_the_schema_admits_calls_and_answers(value: Any, valid: bool) -> None:
    assert (validator(union_schema(TOOLS, None))(value) == []) is valid


def test_the_answer_has_the_declared_schema() -> None:
    check = validator(union_schema(TOOLS, ANSWER_SCHEMA))
    assert check({"answer": {"order_id": "1", "status": "x"}}) == []
    assert check({"answer": "text"}) != []


def test_definitions_of_two_tools_do_not_collide() -> None:
    def tool(name: str, kind: str) -> ToolSpec:
        properties = {"item": {"$ref": "#/$defs/Item"}}
        parameters = {
            "type": "object",
            "properties": properties,
            "required": ["item"],
            "$defs": {"Item": {"type": kind}},
        }
        return ToolSpec(name=name, parameters=parameters)

    check = validator(union_schema((tool("a", "string"), tool("b", "integer")), None))
    assert check({"tool": "a", "arguments": {"item": "x"}}) == []
    assert check({"tool": "b", "arguments": {"item": 1}}) == []
    assert check({"tool": "b", "arguments": {"item": "x"}}) != []


def test_the_instruction_shows_every_form() -> None:
    instruction = constrain(request(instruction="Be kind.", tools=TOOLS, output_schema=ANSWER_SCHEMA)).instruction
    assert instruction == (
        "Be kind.\n\nReply with one JSON object, in one of these forms:\n"
        '{"tool": "lookup_order", "arguments": {"order_id": string}} - Look up one order.\n'
        '{"tool": "now", "arguments": {}}\n'
        '{"answer": {"order_id": string, "status": string}} - The final answer, once the needed results are there.'
    )


def test_calls_and_results_are_written_out() -> None:
    talk = (user("Where?"), called(order_id="1042"), returned({"status": "sent"}), failed("Gone"))
    constrained = constrain(request(*talk, tools=TOOLS))
    assert [(m.role, m.text) for m in constrained.messages] == [
        ("user", "Where?"),
        ("assistant", '{"tool":"lookup_order","arguments":{"order_id":"1042"}}'),
        (
            "user",
            'Result of lookup_order: {"status":"sent"}\n\n'
            'Result of lookup_order: {"success":false,"error":{"reason":"Gone"}}',
        ),
    ]
    assert constrained.tools == ()


def test_an_answer_only_request_has_neither_tools_nor_calls() -> None:
    plain = answer_only(
        request(user("Where?"), called(order_id="1042"), returned(1), tools=TOOLS, instruction="Be kind.")
    )
    expected = "Where?\n\nResult of lookup_order: 1\n\nAnswer the question with this result."
    assert [(m.role, m.text) for m in plain.messages] == [("user", expected)]
    assert (plain.tools, plain.instruction) == ((), "Be kind.")


def test_a_call_is_read() -> None:
    read = read_reply(response('{"tool": "lookup_order", "arguments": {"order_id": "1042"}}'), request(tools=TOOLS))
    assert read.tool_calls == (ToolCallPart(name="lookup_order", args={"order_id": "1042"}, call_id="call_1"),)
    assert (read.content, read.finish_reason) == ((), "tool_calls")


def test_an_answer_is_read() -> None:
    assert read_reply(response('{"answer": "Hi"}'), request(tools=TOOLS)).text == "Hi"
    structured = request(tools=TOOLS, output_schema=ANSWER_SCHEMA)
    assert read_reply(response('{"answer": {"status": "sent"}}'), structured).text == '{"status":"sent"}'


@pytest.mark.parametrize(
    "text",
    ["", "Hi", "[]", "{", "{}", '{"answer": 1}', '{"tool": "other", "arguments": {}}', '{"tool": "now"}', "[" * 99_999],
)
def test_what_does_not_keep_to_the_schema_is_an_error(text: str) -> None:
    with pytest.raises(ModelError, match="invalid_model_result"):
        read_reply(response(text), request(tools=TOOLS))


@pytest.mark.parametrize(
    ("talk", "expected"),
    [
        ((user("?"),), False),
        ((user("?"), called(order_id="1042"), returned(1)), True),
        ((user("?"), called(order_id="1041"), returned(1)), False),
        ((user("?"), called(order_id="1042"), failed("Gone")), False),
        ((user("?"), called(order_id="1042"), returned(1), said("There."), user("Again?")), False),
        ((user("?"), called(order_id="1042"), returned(1), called("c2", order_id="1"), returned(1, "c2")), True),
    ],
)
def test_repeated_calls(talk: tuple[Message, ...], expected: bool) -> None:
    reply = read_reply(response('{"tool": "lookup_order", "arguments": {"order_id": "1042"}}'), request(tools=TOOLS))
    assert repeats(reply, request(*talk, tools=TOOLS)) is expected
    assert not repeats(response("text"), request(*talk, tools=TOOLS))


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "string"}, "string"),
        ({"type": ["string", "null"]}, "string or null"),
        ({"enum": ["a", 1]}, '"a" or 1'),
        ({"type": "array", "items": {"type": "integer"}}, "[integer]"),
        ({"type": "object"}, "{}"),
        ({"$ref": "#/$defs/x"}, "any"),
        (True, "any"),
    ],
)
def test_sketches(schema: Any, expected: str) -> None:
    assert sketch(schema) == expected


def test_a_sketch_ends_however_deep_a_schema_is() -> None:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(50):
        schema = {"type": "array", "items": schema}
    assert sketch(schema) == "[[[[any]]]]"
