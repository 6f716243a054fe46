"""An OpenAI-compatible endpoint that works, and one that does not."""

from __future__ import annotations

import asyncio
import json
import logging
import socket
import time
import traceback
from typing import Any

import pytest

from adk_decl.errors import ModelError, StartError
from adk_decl.models import ModelRequest, ModelResponse, TextDelta, ToolCallPart, Usage
from adk_decl.models.limits import CallLimits
from adk_decl.models.openai_chat import Endpoint, OpenAIChatModel
from adk_decl.transport.retry import Clock, RetryPolicy
from tests.models.conversation import (
    ANSWER_SCHEMA,
    ORDER_TOOL,
    answer,
    call,
    called,
    outputs,
    request,
    returned,
    user,
)
from tests.transport.loopback import Answer, LoopbackServer, endless, events, hang, json_reply, raw, reset, whole

KEY = "sk-canary-key-0123456789"
PROMPT = "canary-prompt"
REPLY = "canary-reply"
STREAM_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
PAGE = f"<html><body>{REPLY}</body></html>".encode()


def completion(content: str | None = "Hi", *, usage: tuple[int, int] = (5, 2), **message: Any) -> dict[str, Any]:
    choice = {"message": {"content": content} | message, "finish_reason": "stop"}
    return {"choices": [choice], "usage": {"prompt_tokens": usage[0], "completion_tokens": usage[1]}}


def chunk(content: str | None = None, finish: str | None = None) -> str:
    return json.dumps({"choices": [{"delta": {"content": content}, "finish_reason": finish}]})


class Waits:
    """A clock that notes how long somebody wanted to sleep, and does not."""

    def __init__(self) -> None:
        self.seconds: list[float] = []
        self.clock = Clock(sleep=self.sleep, chance=lambda: 0.0)

    async def sleep(self, seconds: float) -> None:
        self.seconds.append(seconds)


class Talk:
    """A model opened against a server with these answers."""

    def __init__(self, *answers: Answer, attempts: int = 1, limits: CallLimits | None = None, **endpoint: Any) -> None:
        self.server = LoopbackServer(*answers)
        self.waits = Waits()
        self._attempts = attempts
        self._limits = limits
        self._endpoint: dict[str, Any] = {"name": "m", "model": "real-name", "api_key": KEY} | endpoint

    async def __aenter__(self) -> OpenAIChatModel:
        await self.server.__aenter__()
        endpoint = Endpoint(**({"base_url": f"{self.server.url}/v1"} | self._endpoint))
        retries = RetryPolicy(max_attempts=self._attempts, base_delay_ms=100, max_delay_ms=1000)
        self.model = OpenAIChatModel(endpoint, retries=retries, limits=self._limits, clock=self.waits.clock)
        await self.model.open()
        return self.model

    async def __aexit__(self, *error: Any) -> None:
        await self.model.close()
        await self.server.__aexit__(None, None, None)


async def failure(talk: Talk, req: ModelRequest | None = None, *, within_s: float = 5.0) -> ModelError:
    async with talk as model:
        with pytest.raises(ModelError) as caught:
            await answer(model, req or request(user(PROMPT)), call(within_s=within_s))
    text = "".join(traceback.format_exception(caught.value)) + repr(caught.value.to_dict())
    assert not [canary for canary in (KEY, PROMPT, REPLY) if canary in text]
    assert caught.value.__context__ is None
    return caught.value


async def test_an_answer() -> None:
    talk = Talk(json_reply(completion()))
    async with talk as model:
        response = await answer(model, request(user("Hello")), call(headers={"traceparent": "00-1"}))
    assert (response.text, response.usage) == ("Hi", Usage(input_tokens=5, output_tokens=2))
    received = talk.server.requests[0]
    assert received.path == "/v1/chat/completions"
    assert received.json == {"model": "real-name", "messages": [{"role": "user", "content": "Hello"}]}
    sent = {name: received.headers[name] for name in ("authorization", "content-type", "traceparent")}
    assert sent == {"authorization": f"Bearer {KEY}", "content-type": "application/json", "traceparent": "00-1"}


async def test_the_key_is_optional() -> None:
    talk = Talk(json_reply(completion()), api_key=None)
    async with talk as model:
        await answer(model, request())
    assert "authorization" not in talk.server.requests[0].headers


@pytest.mark.parametrize(("asked", "sent"), [("m", "real-name"), ("", "real-name"), ("other", "other")])
async def test_a_plugin_may_choose_another_model(asked: str, sent: str) -> None:
    talk = Talk(json_reply(completion()))
    async with talk as model:
        await answer(model, request(model=asked))
    assert talk.server.requests[0].json["model"] == sent


@pytest.mark.parametrize("pieces", [0, 1, 7])
async def test_a_stream(pieces: int) -> None:
    usage = json.dumps({"choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": 2}})
    sent = events([chunk("Hé"), chunk("llo"), chunk(finish="stop"), usage], pieces=pieces)
    async with Talk(sent) as model:
        *deltas, response = await outputs(model, request(stream=True))
    assert deltas == [TextDelta(text="Hé"), TextDelta(text="llo")]
    assert isinstance(response, ModelResponse)
    assert (response.text, response.usage) == ("Héllo", Usage(input_tokens=5, output_tokens=2))


async def test_an_endpoint_that_does_not_stream_is_understood() -> None:
    async with Talk(json_reply(completion())) as model:
        assert len(await outputs(model, request(stream=True))) == 1


async def test_a_stream_that_said_why_it_ended_is_whole() -> None:
    async with Talk(events([chunk("Hi"), chunk(finish="stop")], done=False)) as model:
        assert (await answer(model, request(stream=True))).text == "Hi"


@pytest.mark.parametrize(
    ("given", "reason", "status"),
    [
        (whole(PAGE, status=400), "request_refused", 400),
        (
            json_reply({"error": {"message": REPLY, "code": "context_length_exceeded"}}, status=400),
            "context_exceeded",
            400,
        ),
        (json_reply({"error": {"type": "exceed_context_size_error"}}, status=400), "context_exceeded", 400),
        (whole(b"x" * 70_000, status=400), "request_refused", 400),
        (json_reply({"error": {"message": KEY}}, status=401), "authentication_failed", 401),
        (whole(b"", status=403), "authentication_failed", 403),
        (whole(PAGE, status=404), "request_refused", 404),
        (whole(b"", status=429), "rate_limited", 429),
        (whole(PAGE, status=500), "server_error", 500),
        (whole(b"", status=503), "server_error", 503),
        (whole(b"", status=307, Location="/elsewhere"), "redirect_refused", None),
        (whole(PAGE, content_type="text/html"), "invalid_response", None),
        (whole(b'{"choices": [{"message": {"content": "canary-reply'), "invalid_response", None),
        (json_reply({"choices": "canary-reply"}), "invalid_response", None),
        (whole(b""), "invalid_response", None),
        (raw(b""), "connection_lost", None),
        (reset(), "connection_lost", None),
        (raw(b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{"), "connection_lost", None),
        (endless(b"HTTP/1.1 200 OK\r\n\r\n", b" " * 65_536, at_most=64 * 2**20), "response_too_large", None),
    ],
)
async def test_faults(given: Answer, reason: str, status: int | None) -> None:
    error = await failure(Talk(given))
    assert (error.reason, error.status) == (reason, status)


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (events([chunk(REPLY)], done=False), "stream_incomplete"),
        (events([chunk(REPLY)]), "stream_incomplete"),
        (events([]), "stream_incomplete"),
        (raw(STREAM_HEAD), "stream_incomplete"),
        (reset(STREAM_HEAD + b"data: {"), "connection_lost"),
        (events([REPLY]), "invalid_response"),
        (events([chunk(REPLY), json.dumps({"error": {"message": REPLY}})]), "server_error"),
        (whole(PAGE, content_type="text/html"), "invalid_response"),
        (endless(STREAM_HEAD + b"data: ", b"x" * 65_536, at_most=64 * 2**20), "response_too_large"),
        (endless(STREAM_HEAD, b": ping\n\n" * 8192, at_most=64 * 2**20), "response_too_large"),
    ],
)
async def test_faults_of_a_stream(given: Answer, reason: str) -> None:
    assert (await failure(Talk(given), request(user(PROMPT), stream=True))).reason == reason


@pytest.mark.parametrize("head", [b"", STREAM_HEAD, STREAM_HEAD + f"data: {chunk(REPLY)}\n\n".encode()])
async def test_a_slow_endpoint_ends_at_the_deadline(head: bytes) -> None:
    started = time.monotonic()
    error = await failure(Talk(hang(head), attempts=3), request(user(PROMPT), stream=True), within_s=0.2)
    assert error.reason == "timeout"
    assert time.monotonic() - started < 2


async def test_nobody_listens() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        talk = Talk(raw(b""), attempts=3, base_url=f"http://127.0.0.1:{unused.getsockname()[1]}")
        assert (await failure(talk)).reason == "connection_failed"
    assert talk.waits.seconds == [0.1, 0.1]


@pytest.mark.parametrize("status", [429, 500, 502, 503])
async def test_attempts_are_repeated_before_the_first_byte(status: int) -> None:
    talk = Talk(whole(b"", status=status), whole(b"", status=status), json_reply(completion()), attempts=3)
    async with talk as model:
        assert (await answer(model, request())).text == "Hi"
    assert len(talk.server.requests) == 3


@pytest.mark.parametrize("status", [400, 401, 404])
async def test_refusals_are_not_repeated(status: int) -> None:
    talk = Talk(whole(b"", status=status), attempts=3)
    await failure(talk)
    assert len(talk.server.requests) == 1


@pytest.mark.parametrize("given", [events([chunk("x")], done=False), reset(STREAM_HEAD), whole(PAGE), reset()])
async def test_nothing_is_repeated_after_the_first_byte(given: Answer) -> None:
    talk = Talk(given, attempts=3)
    await failure(talk, request(stream=True))
    assert len(talk.server.requests) == 1


async def test_retry_after_is_kept_to() -> None:
    talk = Talk(whole(b"", status=429, Retry_After="3"), json_reply(completion()), attempts=3)
    async with talk as model:
        await answer(model, request())
    assert talk.waits.seconds == [3.0]


async def test_retry_after_beyond_the_deadline_ends_the_call_at_once() -> None:
    talk = Talk(whole(b"", status=429, Retry_After="3600"), attempts=3)
    error = await failure(talk)
    assert (error.reason, error.retry_after_ms, talk.waits.seconds) == ("rate_limited", 3_600_000, [])


async def test_repeated_attempts_count_as_requests() -> None:
    limits = CallLimits(max_concurrency=1, requests_per_minute=1)
    talk = Talk(whole(b"", status=500), attempts=5, limits=limits)
    assert (await failure(talk)).reason == "rate_limited"
    assert len(talk.server.requests) == 2


async def test_cancelling_closes_the_connection() -> None:
    talk = Talk(hang(STREAM_HEAD))
    async with talk as model:
        task = asyncio.create_task(answer(model, request(stream=True)))
        await talk.server.requested.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        async with asyncio.timeout(5):
            await talk.server.client_gone.wait()


async def test_leaving_a_stream_early_closes_the_connection() -> None:
    talk = Talk(hang(STREAM_HEAD + f"data: {chunk('x')}\n\n".encode()))
    async with talk as model:
        generator = model.generate(request(stream=True), call())
        assert await anext(generator) == TextDelta(text="x")
        await generator.aclose()
        async with asyncio.timeout(5):
            await talk.server.client_gone.wait()


@pytest.mark.parametrize(
    "endpoint",
    [
        {"base_url": "http://example.com/v1"},
        {"base_url": "https://user:canary@example.com"},
        {"base_url": "nonsense"},
        {"api_key": "canary key"},
        {"api_key": "canary\n"},
        {"api_key": "канарейка"},
    ],
)
async def test_what_can_not_be_used_is_refused_at_the_start(endpoint: dict[str, Any]) -> None:
    facts = {"name": "m", "model": "x", "base_url": "https://example.com"} | endpoint
    model = OpenAIChatModel(Endpoint(**facts), retries=RetryPolicy(1, 0, 0))
    with pytest.raises(StartError, match="model 'm': ") as caught:
        await model.open()
    await model.close()
    assert not [text for text in ("canary", "example.com", "канарейка") if text in str(caught.value)]
    assert "canary" not in repr(Endpoint(**facts))


async def test_openai_itself_gets_its_own_spelling_of_the_limit() -> None:
    own = OpenAIChatModel(
        Endpoint(name="m", model="x", base_url="https://api.openai.com/v1"), retries=RetryPolicy(1, 0, 0)
    )
    assert own.limit_key == "max_completion_tokens"


async def test_nothing_is_logged_that_is_not_ours_to_tell(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    await failure(Talk(json_reply({"error": {"message": REPLY}}, status=500), attempts=2))
    async with Talk(events([chunk(REPLY), chunk(finish="stop")])) as model:
        await answer(model, request(user(PROMPT), stream=True))
    assert not [canary for canary in (KEY, PROMPT, REPLY) if canary in caplog.text]


CALL = json.dumps({"tool": "lookup_order", "arguments": {"order_id": "1042"}})


def constrained(*answers: Answer) -> Talk:
    return Talk(*answers, tool_calling="json_schema")


async def test_a_constrained_call() -> None:
    talk = constrained(json_reply(completion(CALL)))
    async with talk as model:
        *deltas, response = await outputs(model, request(user("Where is 1042?"), tools=(ORDER_TOOL,), stream=True))
    assert isinstance(response, ModelResponse)
    assert response.tool_calls == (ToolCallPart(name="lookup_order", args={"order_id": "1042"}, call_id="call_1"),)
    sent = talk.server.requests[0].json
    assert (deltas, "tools" in sent, "stream" in sent) == ([], False, False)
    assert sent["response_format"]["type"] == "json_schema"


async def test_a_constrained_answer_is_one_piece_of_a_stream() -> None:
    async with constrained(json_reply(completion('{"answer": "There."}'))) as model:
        *deltas, _ = await outputs(model, request(tools=(ORDER_TOOL,), stream=True))
    assert deltas == [TextDelta(text="There.")]


async def test_a_repeated_call_is_asked_again_for_an_answer_only() -> None:
    talk = constrained(json_reply(completion(CALL)), json_reply(completion('{"order_id":"1042","status":"sent"}')))
    conversation = (user("Where is 1042?"), called(order_id="1042"), returned({"status": "sent"}))
    async with talk as model:
        req = request(*conversation, tools=(ORDER_TOOL,), output_schema=ANSWER_SCHEMA)
        response = await answer(model, req)
    assert (response.text, response.tool_calls) == ('{"order_id":"1042","status":"sent"}', ())
    assert response.usage == Usage(input_tokens=10, output_tokens=4)
    second = talk.server.requests[1].json
    assert second["response_format"]["json_schema"]["schema"] == ANSWER_SCHEMA
    assert "tool" not in second["messages"][0]["content"]


async def test_an_endpoint_that_ignores_the_schema_is_a_typed_error() -> None:
    error = await failure(constrained(json_reply(completion(REPLY))), request(user(PROMPT), tools=(ORDER_TOOL,)))
    assert error.reason == "invalid_model_result"


async def test_without_tools_nothing_is_constrained() -> None:
    talk = constrained(json_reply(completion("Hi")))
    async with talk as model:
        assert (await answer(model, request())).text == "Hi"
    assert "response_format" not in talk.server.requests[0].json
