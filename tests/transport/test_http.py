"""The HTTP client against a server that misbehaves."""

from __future__ import annotations

import asyncio
import shutil
import socket
import ssl
import subprocess
import time
from collections.abc import AsyncIterator

import pytest

from adk_decl.transport.errors import TransportError
from adk_decl.transport.http import HttpClient, HttpResponse
from tests.transport.loopback import Answer, LoopbackServer, endless, events, hang, raw, reset, whole

OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
SECRET = "sk-canary-0123456789"


@pytest.fixture
async def client() -> AsyncIterator[HttpClient]:
    client = HttpClient(max_connections=4, plain_http=True)
    yield client
    await client.close()


async def post(client: HttpClient, url: str, *, within_s: float = 5.0, max_bytes: int = 1000) -> HttpResponse:
    headers = {"authorization": f"Bearer {SECRET}"}
    deadline = time.monotonic() + within_s
    return await client.post(url, body=b"{}", headers=headers, deadline=deadline, max_bytes=max_bytes)


async def failure(client: HttpClient, answer: Answer, *, within_s: float = 5.0) -> TransportError:
    async with LoopbackServer(answer) as server:
        with pytest.raises(TransportError) as caught:
            await post(client, server.url, within_s=within_s)
    assert SECRET not in repr(caught.value)
    assert caught.value.__context__ is None
    return caught.value


async def test_a_response_is_read_whole_whatever_its_status(client: HttpClient) -> None:
    async with LoopbackServer(whole(b"busy", status=503, Retry_After="2")) as server:
        response = await post(client, server.url + "/x")
    assert (response.status, response.body, response.headers["retry-after"]) == (503, b"busy", "2")
    assert (server.requests[0].method, server.requests[0].path, server.requests[0].body) == ("POST", "/x", b"{}")


async def test_connections_are_used_again(client: HttpClient) -> None:
    async with LoopbackServer(whole(b"1")) as server:
        for _ in range(3):
            await post(client, server.url)
    assert server.connections == 1


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (raw(b""), "connection_lost"),
        (raw(b"HTTP/1.1 200"), "connection_lost"),
        (raw(b"<html>this is no HTTP</html>\r\n\r\n"), "connection_lost"),
        (raw(OK + b"Content-Length: 9\r\n\r\nhalf"), "connection_lost"),
        (raw(CHUNKED + b"5\r\nhal"), "connection_lost"),
        (reset(), "connection_lost"),
        (reset(CHUNKED + b"4\r\nhalf\r\n"), "connection_lost"),
        (whole(b"", status=302, Location="http://127.0.0.1:1/"), "redirect_refused"),
        (whole(b"", status=304), "redirect_refused"),
        (whole(b"x" * 1001), "response_too_large"),
        (endless(CHUNKED, b"400\r\n" + b"x" * 1024 + b"\r\n", at_most=64 * 2**20), "response_too_large"),
        (whole(b"1", X_Long="v" * 70_000), "response_too_large"),
        (endless(OK + b"X: ", b"v" * 1024, at_most=64 * 2**20), "connection_lost"),
        (whole(b"\x1f\x8b", Content_Encoding="gzip"), "invalid_response"),
    ],
)
async def test_faults(client: HttpClient, answer: Answer, reason: str) -> None:
    error = await failure(client, answer)
    assert (error.reason, error.retryable) == (reason, False)


@pytest.mark.parametrize("head", [b"", b"HTTP/1.1 200", OK + b"Content-Length: 9\r\n\r\nhalf"])
async def test_the_deadline_covers_headers_and_body(client: HttpClient, head: bytes) -> None:
    started = time.monotonic()
    error = await failure(client, hang(head), within_s=0.2)
    assert error.reason == "timeout"
    assert time.monotonic() - started < 2


async def test_the_deadline_is_total_not_per_read(client: HttpClient) -> None:
    async def trickle(server: LoopbackServer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(CHUNKED)
        while not server.closing.is_set():
            writer.write(b"1\r\nx\r\n")
            await writer.drain()
            await asyncio.wait({asyncio.ensure_future(server.closing.wait())}, timeout=0.02)

    started = time.monotonic()
    assert (await failure(client, trickle, within_s=0.3)).reason == "timeout"
    assert time.monotonic() - started < 2


async def test_a_deadline_in_the_past_sends_nothing(client: HttpClient) -> None:
    async with LoopbackServer(whole(b"1")) as server:
        with pytest.raises(TransportError, match="timeout"):
            await post(client, server.url, within_s=-1)
    assert server.requests == []


async def test_nobody_listens_is_retryable(client: HttpClient) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}"
        with pytest.raises(TransportError) as caught:
            await post(client, url)
    assert (caught.value.reason, caught.value.retryable) == ("connection_failed", True)


@pytest.mark.parametrize("value", ["a\r\nb: c", "ключ", "a\x00b"])
async def test_a_header_that_can_not_be_sent_is_refused_and_not_quoted(client: HttpClient, value: str) -> None:
    async with LoopbackServer(whole(b"1")) as server:
        with pytest.raises(TransportError, match="request_refused") as caught:
            await client.post(server.url, body=b"", headers={"x": value}, deadline=time.monotonic() + 5, max_bytes=10)
    assert value not in str(caught.value)
    assert caught.value.__context__ is None


async def test_cancelling_closes_the_connection(client: HttpClient) -> None:
    async with LoopbackServer(hang(CHUNKED)) as server:
        task = asyncio.create_task(post(client, server.url, within_s=60))
        await server.requested.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        async with asyncio.timeout(5):
            await server.client_gone.wait()


async def test_events_come_as_they_arrive(client: HttpClient) -> None:
    async with LoopbackServer(events(["a", "b", "ä€"], pieces=1)) as server:
        deadline = time.monotonic() + 5
        async with client.exchange(server.url, body=b"", headers={}, deadline=deadline) as stream:
            assert stream.content_type == "text/event-stream"
            assert [event.data async for event in stream.events(max_bytes=1000)] == ["a", "b", "ä€", "[DONE]"]


async def test_no_proxy_no_netrc_no_cookies(client: HttpClient, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    fresh = HttpClient(max_connections=1, plain_http=True)
    async with LoopbackServer(whole(b"1", Set_Cookie="a=b")) as server:
        await post(fresh, server.url)
        await post(fresh, server.url)
    await fresh.close()
    assert "cookie" not in server.requests[1].headers
    assert server.requests[0].headers["accept-encoding"] == "identity"


async def test_https_needs_a_certificate_that_is_trusted(certificate: tuple[str, ssl.SSLContext]) -> None:
    bundle, tls = certificate
    async with LoopbackServer(whole(b"1"), tls=tls) as server:
        for trusting, bundles in ((False, None), (True, bundle)):
            client = HttpClient(max_connections=1, ca_bundle=bundles)
            if trusting:
                assert (await post(client, server.url)).status == 200
            else:
                with pytest.raises(TransportError, match="connection_failed"):
                    await post(client, server.url)
            await client.close()


async def test_without_certificates_https_is_refused(
    client: HttpClient, certificate: tuple[str, ssl.SSLContext]
) -> None:
    async with LoopbackServer(whole(b"1"), tls=certificate[1]) as server:
        with pytest.raises(TransportError, match="connection_failed"):
            await post(client, server.url)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, ssl.SSLContext]:
    """A self-signed certificate for this machine, and a server's context with it."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("needs the command openssl")
    folder = tmp_path_factory.mktemp("tls")
    key, bundle = folder / "key.pem", folder / "certificate.pem"
    command = [openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
    command += ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(key), "-out", str(bundle)]
    subprocess.run(command, check=True, capture_output=True, timeout=60)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(bundle, key)
    return str(bundle), context


def test_a_bundle_that_is_not_there_is_refused() -> None:
    with pytest.raises(TransportError, match="request_refused"):
        HttpClient(max_connections=1, ca_bundle="/nonexistent.pem")
