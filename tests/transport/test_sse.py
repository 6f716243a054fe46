"""The parser of server-sent events."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adk_decl.transport.errors import TransportError
from adk_decl.transport.sse import SseEvent, SseParser

LINES = st.sampled_from(
    ["data: one", "data:two", "data", "data:", ": comment", "event: ping", "id: 7", "retry: 1", "odd", "data: ä€𝄞", ""]
)
STREAMS = st.lists(st.tuples(LINES, st.sampled_from(["\n", "\r\n", "\r"])), max_size=30).map(
    lambda lines: "".join(line + end for line, end in lines).encode()
)


def parser(*, line: int = 10_000, event: int = 10_000) -> SseParser:
    return SseParser(max_line_bytes=line, max_event_bytes=event)


@pytest.mark.parametrize(
    ("stream", "expected"),
    [
        (b"data: a\n\n", [SseEvent("a")]),
        (b"data: a\r\n\r\n", [SseEvent("a")]),
        (b"data: a\r\r", [SseEvent("a")]),
        (b"data: a\ndata: b\n\n", [SseEvent("a\nb")]),
        (b"data:  a\n\n", [SseEvent(" a")]),
        (b"event: ping\ndata: a\n\ndata: b\n\n", [SseEvent("a", "ping"), SseEvent("b")]),
        (b": keep-alive\n\ndata: a\n\n", [SseEvent("a")]),
        (b"event: lonely\n\n", []),
        (b"data\n\n", [SseEvent("")]),
        (b"\xef\xbb\xbfdata: a\n\n", [SseEvent("a")]),
        (b"data: never ended\n", []),
        ("data: ä€𝄞\n\n".encode(), [SseEvent("ä€𝄞")]),
    ],
)
def test_whole_streams(stream: bytes, expected: list[SseEvent]) -> None:
    assert parser().feed(stream) == expected


@given(STREAMS, st.data())
def test_any_split_gives_the_same_events(stream: bytes, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=10)))
    split = parser()
    events: list[SseEvent] = []
    for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True):
        events += split.feed(stream[start:end])
    once = parser()
    assert events == once.feed(stream)
    assert split.pending == once.pending


@given(st.binary(max_size=200))
def test_any_bytes_give_events_or_a_typed_error(stream: bytes) -> None:
    with contextlib.suppress(TransportError):
        parser(line=50, event=60).feed(stream)


def test_a_line_is_bounded_even_when_it_never_ends() -> None:
    bounded = parser(line=10)
    bounded.feed(b"data: 1234")
    with pytest.raises(TransportError, match="response_too_large"):
        bounded.feed(b"5")


def test_an_event_of_many_lines_is_bounded() -> None:
    bounded = parser(event=10)
    bounded.feed(b"data: 1234\n")
    with pytest.raises(TransportError, match="response_too_large"):
        bounded.feed(b"data: 12345\n")


def test_bytes_that_are_not_utf8_are_refused() -> None:
    with pytest.raises(TransportError, match="invalid_response"):
        parser().feed(b"data: \xff\n\n")


def test_what_has_begun_is_pending() -> None:
    begun = parser()
    assert [(begun.feed(piece), begun.pending)[1] for piece in (b"", b"da", b"ta: a\n", b"\n")] == [
        False,
        True,
        True,
        False,
    ]
