"""How the chunks of a stream add up."""

from __future__ import annotations

import json
from typing import Any

import pytest

from adk_decl.errors import ModelError
from adk_decl.models.chat_response import ChatStream, error_symbols
from adk_decl.models.chat_wire import to_response
from adk_decl.models.protocol import MODEL_FAILURES
from adk_decl.values import ModelResponse, ToolCallPart, Usage
from tests.models.conversation import request


def delta(content: str | None = None, *, finish: str | None = None, **fields: Any) -> str:
    return json.dumps({"choices": [{"delta": {"content": content} | fields, "finish_reason": finish}]})


def piece(index: int | None, *, call_id: str | None = None, **function: str) -> str:
    call = {"index": index, "id": call_id, "function": function}
    return delta(tool_calls=[{key: value for key, value in call.items() if value is not None}])


def added(*chunks: str) -> ModelResponse:
    stream = ChatStream()
    for chunk in chunks:
        stream.add(chunk)
    return to_response(stream.completion(), request())


def test_text_adds_up_and_usage_comes_last() -> None:
    usage = json.dumps({"choices": [], "usage": {"prompt_tokens": 4, "completion_tokens": 2}})
    response = added(delta(None, role="assistant"), delta("Hel"), delta("lo"), delta(finish="stop"), usage)
    assert (response.text, response.finish_reason) == ("Hello", "stop")
    assert response.usage == Usage(input_tokens=4, output_tokens=2)


def test_calls_in_pieces_of_any_interleaving() -> None:
    response = added(
        piece(0, call_id="a", name="x", arguments=""),
        piece(1, call_id="b", name="y", arguments='{"n"'),
        piece(0, arguments='{"m": '),
        piece(1, arguments=": 2}"),
        piece(0, arguments="1}"),
        delta(finish="tool_calls"),
    )
    assert response.tool_calls == (
        ToolCallPart(name="x", args={"m": 1}, call_id="a"),
        ToolCallPart(name="y", args={"n": 2}, call_id="b"),
    )


def test_calls_without_index() -> None:
    response = added(
        piece(None, call_id="a", name="x", arguments="{"),
        piece(None, arguments="}"),
        piece(None, call_id="b", name="y"),
        delta(finish="stop"),
    )
    assert [(c.name, c.call_id) for c in response.tool_calls] == [("x", "a"), ("y", "b")]


def test_a_refusal_adds_up() -> None:
    response = added(delta(refusal="N"), delta(refusal="o"), delta(finish="stop"))
    assert (response.text, response.finish_reason) == ("No", "content_filter")


@pytest.mark.parametrize(
    ("chunks", "reason"),
    [
        ((), "stream_incomplete"),
        ((delta("half"),), "stream_incomplete"),
        (("<html>",), "invalid_response"),
        (("{",), "invalid_response"),
        (("[]",), "invalid_response"),
        ((delta(finish="stop", tool_calls=[{"index": "0"}]),), "invalid_response"),
        ((piece(0, call_id="a", arguments="{}"), delta(finish="tool_calls")), "invalid_response"),
        ((piece(0, call_id="a", name="x", arguments="{"), delta(finish="tool_calls")), "invalid_model_result"),
        ((delta("half"), json.dumps({"error": {"message": "canary", "code": 500}})), "server_error"),
        ((delta("half"), json.dumps({"error": "canary"})), "server_error"),
        (tuple(piece(n, call_id=str(n), name="x") for n in range(129)), "response_too_large"),
    ],
)
def test_faults(chunks: tuple[str, ...], reason: str) -> None:
    with pytest.raises(ModelError) as caught:
        added(*chunks)
    assert caught.value.reason == reason
    assert reason in MODEL_FAILURES
    assert "canary" not in repr(caught.value)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (
            b'{"error": {"code": "context_length_exceeded", "type": "x", "message": "m"}}',
            ("context_length_exceeded", "x"),
        ),
        (b'{"error": {"code": 400, "type": "t"}}', ("400", "t")),
        (b'{"error": "text"}', ()),
        (b'{"error": null}', ()),
        (b"{}", ()),
        (b"<html>", ()),
        (b'{"error": {"code": []}}', ()),
    ],
)
def test_symbols_of_an_error_body(data: bytes, expected: tuple[str, ...]) -> None:
    assert error_symbols(data) == expected
