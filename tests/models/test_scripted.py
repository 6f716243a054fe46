"""The scripted model."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adk_decl.errors import ModelError, StartError
from adk_decl.models import MODEL_FAILURES, Message, ModelRequest, TextDelta, Usage
from adk_decl.models.script import When
from adk_decl.models.scripted import ScriptedModel, fits
from tests.models.conversation import answer, call, called, failed, outputs, request, returned, said, user


def model(*replies: dict[str, Any]) -> ScriptedModel:
    return ScriptedModel.from_config({"replies": list(replies)})


async def reason(scripted: ScriptedModel, req: ModelRequest, **facts: Any) -> str:
    with pytest.raises(ModelError) as caught:
        await answer(scripted, req, call(**facts))
    return caught.value.reason


async def test_replies_come_in_order_and_end() -> None:
    scripted, run = model({"text": "one"}, {"text": "two"}), call()
    assert [(await answer(scripted, request(), run)).text for _ in range(2)] == ["one", "two"]
    with pytest.raises(ModelError, match="script_exhausted"):
        await answer(scripted, request(), run)


async def test_each_run_begins_anew() -> None:
    scripted = model({"text": "one"}, {"text": "two"})
    assert [(await answer(scripted, request(), call())).text for _ in range(2)] == ["one", "one"]


async def test_a_reply_that_does_not_fit_is_passed_over_for_good() -> None:
    scripted, run = model({"when": {"contains": "42"}, "text": "42"}, {"text": "other"}), call()
    assert (await answer(scripted, request(user("Hello")), run)).text == "other"
    with pytest.raises(ModelError, match="script_exhausted"):
        await answer(scripted, request(user("42")), run)


TALK = (user("Where is 1042?"), called(order_id="1042"), returned({"status": "shipped"}))


@pytest.mark.parametrize(
    ("when", "messages", "expected"),
    [
        ({}, (), True),
        ({"turn": 1}, TALK, True),
        ({"turn": 2}, TALK, False),
        ({"turn": 2}, (*TALK, said("There."), user("And 1043?")), True),
        ({"contains": "1042"}, TALK, True),
        ({"contains": "where"}, TALK, False),
        ({"contains": "1042"}, (*TALK, said("There."), user("And 1043?")), False),
        ({"contains": "x"}, (), False),
        ({"tool_result": "lookup_order"}, TALK, True),
        ({"tool_result": "other"}, TALK, False),
        ({"tool_result": "lookup_order"}, TALK[:2], False),
        ({"tool_result": "lookup_order"}, (*TALK, user("Thanks")), False),
        ({"tool_result": "other"}, (*TALK, returned(1, "c2", "other")), True),
        ({"tool_result": "lookup_order"}, (*TALK, returned(1, "c2", "other")), True),
        ({"turn": 1, "contains": "1042", "tool_result": "lookup_order"}, TALK, True),
        ({"turn": 1, "contains": "1043", "tool_result": "lookup_order"}, TALK, False),
    ],
)
def test_when(when: dict[str, Any], messages: tuple[Message, ...], expected: bool) -> None:
    assert fits(When(**when), messages) is expected


RESULT = {"status": "shipped", "items": [{"name": "lamp"}], "paid": True, "none": None, "a-b": 1.5}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It is <<result.status>>.", "It is shipped."),
        ("<<result.items.0.name>>/<<result.paid>>/<<result.none>>/<<result.a-b>>", "lamp/true/null/1.5"),
        ("<<result.items>>", '[{"name":"lamp"}]'),
        ("<<success>>", "true"),
        ("<< result.status >> <<>> << 1", "<< result.status >> <<>> << 1"),
    ],
)
async def test_text_quotes_the_last_result(text: str, expected: str) -> None:
    response = await answer(model({"text": text}), request(user("?"), called(), returned(RESULT)))
    assert response.text == expected


@pytest.mark.parametrize("path", ["result.missing", "result.items.1", "result.status.0", "error.reason", "result.-1"])
async def test_a_missing_path_is_an_error(path: str) -> None:
    conversation = request(user("?"), called(), returned(RESULT))
    assert await reason(model({"text": f"<<{path}>>"}), conversation) == "script_path_missing"


async def test_a_quote_needs_a_result() -> None:
    assert await reason(model({"text": "<<result>>"}), request(user("?"))) == "script_path_missing"


async def test_a_failure_can_be_quoted() -> None:
    conversation = request(user("?"), called(), failed("OrderNotFound"))
    assert (await answer(model({"text": "<<error.reason>>"}), conversation)).text == "OrderNotFound"


async def test_what_a_tool_returned_is_never_read_as_a_quote() -> None:
    conversation = request(user("?"), called(), returned({"a": "<<result.b>>", "b": "no"}))
    assert (await answer(model({"text": "<<result.a>>"}), conversation)).text == "<<result.b>>"


async def test_the_result_of_the_tool_in_when_is_quoted() -> None:
    messages = (
        user("?"),
        called("c1"),
        called("c2", "other"),
        returned("mine", "c1"),
        returned("other", "c2", "other"),
    )
    reply = {"when": {"tool_result": "lookup_order"}, "text": "<<result>>"}
    assert (await answer(model(reply), request(*messages))).text == "mine"


async def test_tool_calls_get_ids_that_are_new_in_the_conversation() -> None:
    calls = {"tool_calls": [{"name": "a", "args": {"x": 1}}, {"name": "b", "call_id": "mine"}]}
    response = await answer(model(calls), request(user("?"), called("call_1"), returned(1, "call_1")))
    assert [(c.name, c.args, c.call_id) for c in response.tool_calls] == [("a", {"x": 1}, "call_2"), ("b", {}, "mine")]
    assert (response.finish_reason, response.content) == ("tool_calls", ())


async def test_usage_and_model() -> None:
    response = await answer(model({"text": "hi", "usage": {"input_tokens": 3, "output_tokens": 2}}), request())
    assert (response.usage, response.model) == (Usage(input_tokens=3, output_tokens=2), "m")


@pytest.mark.parametrize("stream", [False, True])
async def test_chunks_are_streamed_and_add_up(*, stream: bool) -> None:
    scripted = model({"chunks": ["Hel", "lo"]})
    *deltas, response = await outputs(scripted, request(stream=stream))
    assert deltas == ([TextDelta(text="Hel"), TextDelta(text="lo")] if stream else [])
    assert isinstance(response, type(await answer(model({"text": ""}), request())))
    assert response.text == "Hello"


async def test_text_is_streamed_as_one_piece() -> None:
    *deltas, _ = await outputs(model({"text": "Hello"}), request(stream=True))
    assert deltas == [TextDelta(text="Hello")]


@pytest.mark.parametrize("error", MODEL_FAILURES)
async def test_every_registered_failure_can_be_played(error: str) -> None:
    assert await reason(model({"error": error}), request()) == error


async def test_a_delay_ends_at_the_deadline() -> None:
    started = time.monotonic()
    assert await reason(model({"text": "late", "delay_ms": 60_000}), request(), within_s=0.05) == "timeout"
    assert time.monotonic() - started < 2
    assert (await answer(model({"text": "soon", "delay_ms": 1}), request())).text == "soon"


@pytest.mark.parametrize(
    ("config", "problem"),
    [
        ({}, "config is not a script"),
        ({"replies": [{"text": 1}]}, "config is not a script"),
        ({"replies": [{"txt": "a"}]}, "config is not a script"),
        ({"replies": [{"text": "a", "when": {"turns": 1}}]}, "config is not a script"),
        ({"replies": [{}]}, "exactly one of"),
        ({"replies": [{"text": "a"}, {"text": "a", "error": "timeout"}]}, r"replies\[1\]"),
        ({"replies": [{"error": "nope"}]}, "error is not one of"),
    ],
)
def test_a_config_that_is_no_script_can_not_start(config: dict[str, Any], problem: str) -> None:
    with pytest.raises(StartError, match=problem) as caught:
        ScriptedModel.from_config(config, name="clerk")
    assert all(text.startswith("model 'clerk': ") for text in caught.value.problems)


@given(st.text(max_size=50), st.text(max_size=50))
async def test_any_text_is_answered_or_a_typed_error(text: str, result: str) -> None:
    try:
        response = await answer(model({"text": text}), request(user("?"), called(), returned(result)))
    except ModelError as error:
        assert error.reason == "script_path_missing"  # noqa: PT017
    else:
        assert "<<" in text or response.text == text
