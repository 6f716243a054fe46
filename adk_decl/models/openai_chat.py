"""Models behind an OpenAI-compatible endpoint of chat completions."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, aclosing
from typing import TYPE_CHECKING, Literal

from adk_decl.errors import ModelError, StartError
from adk_decl.models.chat_response import ChatStream, error_symbols
from adk_decl.models.chat_wire import parse_completion, request_body, to_response
from adk_decl.models.constrained import answer_only, constrain, read_reply, repeats
from adk_decl.models.limits import CallLimits
from adk_decl.models.protocol import ModelCall, TextDelta
from adk_decl.plan.limits import LIMITS
from adk_decl.transport.errors import TransportError
from adk_decl.transport.retry import RETRYABLE_STATUSES, Clock, RetryPolicy, Verdict, retry_after_ms, with_retries
from adk_decl.transport.urls import check_url
from adk_decl.values import ModelRequest, ModelResponse
from adk_decl.wire import Struct

if TYPE_CHECKING:
    from adk_decl.transport.http import HttpClient, HttpStream

_MAX_BYTES = LIMITS["model.response_bytes"].default
_MAX_ERROR_BYTES = LIMITS["http.error_body_bytes"].default
_CONTEXT_SYMBOLS = {"context_length_exceeded", "exceed_context_size_error"}
_EVENT_STREAM = "text/event-stream"
_OPENAI_HOST = "https://api.openai.com/"


class Endpoint(Struct, frozen=True, kw_only=True):
    """Where a model is and how it is asked. `model` is its name there; `name` its name in the manifest."""

    name: str
    model: str
    base_url: str
    api_key: str | None = None
    tool_calling: Literal["native", "json_schema"] = "native"
    insecure_http: bool = False
    ca_bundle: str | None = None
    max_connections: int = LIMITS["model.max_concurrency"].default

    def __repr__(self) -> str:
        return f"<Endpoint {self.name}>"


class OpenAIChatModel:
    """Asks an endpoint, with retries before the first byte and never after it."""

    def __init__(
        self, endpoint: Endpoint, *, retries: RetryPolicy, limits: CallLimits | None = None, clock: Clock | None = None
    ) -> None:
        """`limits` counts the requests of repeated attempts; the first one is the caller's to count."""
        self._endpoint = endpoint
        self._retries = retries
        self._limits = limits
        self._clock = clock or Clock()
        self._client: HttpClient | None = None
        self._url = ""
        # OpenAI's own models refuse `max_tokens`, and most other servers know nothing else.
        own = endpoint.base_url.startswith(_OPENAI_HOST)
        self.limit_key = "max_completion_tokens" if own else "max_tokens"

    async def open(self) -> None:
        """Check address and key and make the client; no connection yet. Raises `StartError`."""
        from adk_decl.transport.http import HttpClient

        end = self._endpoint
        problem = _key_problem(end.api_key)
        try:
            self._url = check_url(end.base_url, insecure_http=end.insecure_http) + "/chat/completions"
            self._client = HttpClient(
                max_connections=end.max_connections,
                ca_bundle=end.ca_bundle,
                plain_http=self._url.startswith("http:"),
            )
        except TransportError:
            problem = (
                "base_url needs the form https://host/path without credentials and query; http:// is for this "
                "machine, or with config.insecure_http: true"
            )
        if problem:
            raise StartError((f"model {end.name!r}: {problem}",))

    async def close(self) -> None:
        """Close all connections."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    async def generate(self, request: ModelRequest, call: ModelCall) -> AsyncGenerator[TextDelta | ModelResponse, None]:
        """Ask once, or twice in constrained mode when the model repeats itself. Raises `ModelError`."""
        end = self._endpoint
        request = request.replace(model=end.model if request.model in ("", end.name) else request.model)
        if end.tool_calling == "json_schema" and request.tools:
            response = await self._constrained(request, call)
            if request.stream and response.text:
                yield TextDelta(text=response.text)
            yield response
            return
        async with aclosing(self._ask(request, call)) as outputs:
            async for output in outputs:
                yield output

    async def _constrained(self, request: ModelRequest, call: ModelCall) -> ModelResponse:
        first = read_reply(await self._whole(constrain(request), call), request)
        if not repeats(first, request):
            return first
        second = await self._whole(answer_only(request), call)
        return second.replace(usage=first.usage + second.usage)

    async def _whole(self, request: ModelRequest, call: ModelCall) -> ModelResponse:
        async with aclosing(self._ask(request, call)) as outputs:
            async for output in outputs:
                if isinstance(output, ModelResponse):
                    return output
        raise ModelError("internal")

    async def _ask(self, request: ModelRequest, call: ModelCall) -> AsyncGenerator[TextDelta | ModelResponse, None]:
        opened, stream = await self._begin(request_body(request, limit_key=self.limit_key), call)
        async with opened:
            if not request.stream or stream.content_type != _EVENT_STREAM:
                yield parse_completion(await _body(stream), request)
                return
            async with aclosing(_streamed(stream, request)) as outputs:
                async for output in outputs:
                    yield output

    async def _begin(self, body: bytes, call: ModelCall) -> tuple[AsyncExitStack, HttpStream]:
        """A successful response whose body is still to be read, after as many attempts as allowed."""
        attempts = 0

        async def attempt() -> tuple[AsyncExitStack, HttpStream]:
            nonlocal attempts
            attempts += 1
            if attempts > 1 and self._limits is not None:
                await self._limits.admit(call.deadline)
            return await self._exchange(body, call)

        return await with_retries(attempt, _judge, self._retries, deadline=call.deadline, clock=self._clock)

    async def _exchange(self, body: bytes, call: ModelCall) -> tuple[AsyncExitStack, HttpStream]:
        if self._client is None:
            raise ModelError("internal")
        headers = {**call.headers, "content-type": "application/json"}
        if self._endpoint.api_key:
            headers["authorization"] = f"Bearer {self._endpoint.api_key}"
        try:
            async with AsyncExitStack() as stack:
                exchange = self._client.exchange(self._url, body=body, headers=headers, deadline=call.deadline)
                stream = await stack.enter_async_context(exchange)
                if 200 <= stream.status < 300:
                    return stack.pop_all(), stream
                raise await _status_error(stream)
        except TransportError as error:
            failure = ModelError(error.reason, retryable=error.retryable)
        raise failure


def _key_problem(api_key: str | None) -> str | None:
    if api_key is None or (api_key.isascii() and api_key.isprintable() and " " not in api_key):
        return None
    return "api_key holds characters that an HTTP header can't carry"


def _judge(error: Exception) -> Verdict:
    if not isinstance(error, ModelError):
        return Verdict(retry=False)
    return Verdict(retry=error.retryable, retry_after_ms=error.retry_after_ms)


async def _body(stream: HttpStream) -> bytes:
    try:
        return await stream.read(max_bytes=_MAX_BYTES)
    except TransportError as error:
        reason = error.reason
    raise ModelError(reason)


async def _streamed(stream: HttpStream, request: ModelRequest) -> AsyncGenerator[TextDelta | ModelResponse, None]:
    chat = ChatStream()
    reason: str | None = None
    try:
        async with aclosing(stream.events(max_bytes=_MAX_BYTES)) as events:
            async for event in events:
                if event.data.strip() == "[DONE]":
                    break
                if text := chat.add(event.data):
                    yield TextDelta(text=text)
    except TransportError as error:
        reason = error.reason
    # Nothing is missing once the endpoint has said why the answer ended.
    if reason is not None and not chat.finished:
        raise ModelError(reason)
    yield to_response(chat.completion(), request)


async def _status_error(stream: HttpStream) -> ModelError:
    status = stream.status
    symbols: tuple[str, ...] = ()
    if 400 <= status < 500:
        try:
            symbols = error_symbols(await stream.read(max_bytes=_MAX_ERROR_BYTES))
        except TransportError:
            symbols = ()
    return ModelError(
        _status_reason(status, symbols),
        status=status,
        retryable=status in RETRYABLE_STATUSES,
        retry_after_ms=retry_after_ms(stream.headers.get("retry-after"), now=time.time()),
    )


def _status_reason(status: int, symbols: tuple[str, ...]) -> str:
    if status in (401, 403):
        return "authentication_failed"
    if status == 429:
        return "rate_limited"
    if status >= 500:
        return "server_error"
    if _CONTEXT_SYMBOLS.intersection(symbols):
        return "context_exceeded"
    return "request_refused" if status >= 400 else "invalid_response"
