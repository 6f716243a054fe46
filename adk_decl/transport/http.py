"""The HTTP client: requests with a total deadline, bounded bodies and headers, no redirects, no proxies, no cookies.

The only module that imports httpx, and the reason why it is imported lazily by those who need it.
"""

from __future__ import annotations

import asyncio
import ssl
import time
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing, asynccontextmanager
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import NamedTuple, cast

import httpx

from adk_decl.plan.limits import LIMITS
from adk_decl.transport.errors import TransportError
from adk_decl.transport.sse import SseEvent, SseParser

_CONNECT_TIMEOUT_S = LIMITS["http.connect_timeout_ms"].default / 1000
_MAX_HEADER_BYTES = LIMITS["http.header_bytes"].default
_MAX_EVENT_BYTES = LIMITS["http.event_bytes"].default
_PLAIN_ENCODINGS = ("", "identity")


class HttpResponse(NamedTuple):
    """A whole response. Header names are lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class HttpStream:
    """A response whose headers have come and whose body is still to be read, once."""

    __slots__ = ("_deadline", "_response", "headers", "status")

    def __init__(self, response: httpx.Response, *, deadline: float) -> None:
        self._response = response
        self._deadline = deadline
        self.status = response.status_code
        self.headers: Mapping[str, str] = {k.lower(): v for k, v in response.headers.items()}

    @property
    def content_type(self) -> str:
        """The media type without its parameters, lower case; empty when none was sent."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()

    async def chunks(self, *, max_bytes: int) -> AsyncGenerator[bytes, None]:
        """The body as it arrives. Raises `TransportError` when it is larger, late or breaks off."""
        if self._declared_bytes() > max_bytes:
            raise TransportError("response_too_large")
        received = 0
        async with aclosing(self._raw()) as raw:
            async for chunk in raw:
                received += len(chunk)
                if received > max_bytes:
                    raise TransportError("response_too_large")
                yield chunk

    async def read(self, *, max_bytes: int) -> bytes:
        """The whole body."""
        async with aclosing(self.chunks(max_bytes=max_bytes)) as chunks:
            return b"".join([chunk async for chunk in chunks])

    async def events(self, *, max_bytes: int) -> AsyncGenerator[SseEvent, None]:
        """The body as server-sent events; an event that the end cuts off is not given."""
        parser = SseParser(max_line_bytes=_MAX_EVENT_BYTES, max_event_bytes=_MAX_EVENT_BYTES)
        async with aclosing(self.chunks(max_bytes=max_bytes)) as chunks:
            async for chunk in chunks:
                for event in parser.feed(chunk):
                    yield event

    def _declared_bytes(self) -> int:
        declared = self.headers.get("content-length", "")
        return int(declared) if declared.isdecimal() and len(declared) < 20 else 0

    async def _raw(self) -> AsyncGenerator[bytes, None]:
        async with aclosing(cast("AsyncGenerator[bytes, None]", self._response.aiter_raw())) as raw:
            while True:
                failure: TransportError | None = None
                try:
                    async with asyncio.timeout(self._deadline - time.monotonic()):
                        chunk = await anext(raw, None)
                except (httpx.HTTPError, httpx.StreamError, TimeoutError) as error:
                    failure = _failure(error)
                if failure is not None:
                    raise failure
                if chunk is None:
                    return
                yield chunk


class HttpClient:
    """One pool of connections. TLS is verified against the certificates of certifi, or of the file `ca_bundle`.

    Every method raises `TransportError` and nothing else but cancellation. Deadlines are monotonic seconds.
    """

    def __init__(self, *, max_connections: int, ca_bundle: str | None = None, plain_http: bool = False) -> None:
        """With `plain_http` no certificates are loaded, which makes https fail and saves their reading."""
        self._client = httpx.AsyncClient(
            verify=_tls_context(ca_bundle, plain_http=plain_http),
            trust_env=False,
            follow_redirects=False,
            limits=httpx.Limits(max_connections=max_connections, max_keepalive_connections=max_connections),
            headers={"user-agent": "adk-decl", "accept-encoding": "identity"},
            cookies=CookieJar(policy=DefaultCookiePolicy(allowed_domains=[])),
        )

    async def close(self) -> None:
        """Close all connections; safe to call twice."""
        await self._client.aclose()

    async def post(
        self, url: str, *, body: bytes, headers: Mapping[str, str], deadline: float, max_bytes: int
    ) -> HttpResponse:
        """Send and read the whole response, whatever its status."""
        async with self.exchange(url, body=body, headers=headers, deadline=deadline) as stream:
            return HttpResponse(stream.status, stream.headers, await stream.read(max_bytes=max_bytes))

    async def get(self, url: str, *, headers: Mapping[str, str], deadline: float, max_bytes: int) -> HttpResponse:
        """Ask for a whole response, whatever its status."""
        async with self.exchange(url, body=None, headers=headers, deadline=deadline) as stream:
            return HttpResponse(stream.status, stream.headers, await stream.read(max_bytes=max_bytes))

    @asynccontextmanager
    async def exchange(
        self, url: str, *, body: bytes | None, headers: Mapping[str, str], deadline: float
    ) -> AsyncIterator[HttpStream]:
        """Send by POST, or by GET without a body, and give the response as soon as its headers are there."""
        response = await self._send(url, body=body, headers=headers, deadline=deadline)
        try:
            _check_head(response)
            yield HttpStream(response, deadline=deadline)
        finally:
            await response.aclose()

    async def _send(
        self, url: str, *, body: bytes | None, headers: Mapping[str, str], deadline: float
    ) -> httpx.Response:
        remaining = deadline - time.monotonic()
        if remaining <= 0:
            raise TransportError("timeout")
        timeout = httpx.Timeout(remaining, connect=min(_CONNECT_TIMEOUT_S, remaining))
        # The failure is raised outside the handler: the text of a foreign exception may hold a header's value.
        try:
            async with asyncio.timeout(remaining):
                method = "GET" if body is None else "POST"
                request = self._client.build_request(method, url, content=body, headers=dict(headers), timeout=timeout)
                return await self._client.send(request, stream=True)
        except (httpx.HTTPError, httpx.InvalidURL, TimeoutError, ValueError) as error:
            failure = _failure(error)
        raise failure


def _tls_context(ca_bundle: str | None, *, plain_http: bool) -> ssl.SSLContext:
    if plain_http:
        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    return httpx.create_ssl_context(verify=True, trust_env=False) if ca_bundle is None else _own_roots(ca_bundle)


def _own_roots(ca_bundle: str) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cafile=ca_bundle)
    except (OSError, ssl.SSLError):
        pass
    raise TransportError("request_refused")


def _check_head(response: httpx.Response) -> None:
    if 300 <= response.status_code < 400:
        raise TransportError("redirect_refused")
    if sum(len(name) + len(value) for name, value in response.headers.raw) > _MAX_HEADER_BYTES:
        raise TransportError("response_too_large")
    # Compressed bodies were not asked for, and a few bytes of them can become any number.
    if response.headers.get("content-encoding", "").strip().lower() not in _PLAIN_ENCODINGS:
        raise TransportError("invalid_response")


def _failure(error: Exception) -> TransportError:
    if isinstance(error, httpx.ConnectError | httpx.ConnectTimeout):
        return TransportError("connection_failed", retryable=True)
    if isinstance(error, httpx.TimeoutException | TimeoutError):
        return TransportError("timeout")
    if isinstance(error, httpx.NetworkError | httpx.RemoteProtocolError | httpx.StreamError):
        return TransportError("connection_lost")
    return TransportError("request_refused")
