"""Server-sent events, read piece by piece as bytes arrive, within bounds."""

from __future__ import annotations

from typing import NamedTuple

from adk_decl.transport.errors import TransportError

_CR, _LF = b"\r", b"\n"
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class SseEvent(NamedTuple):
    """One event: its `data` lines joined by line feeds, and its type (`message` when none was sent)."""

    data: str
    event: str = "message"


class SseParser:
    """Feeds on bytes in any pieces and gives whole events; any split of a stream gives the same events.

    Lines may end in LF, CRLF or CR. Comments, `id`, `retry` and unknown fields are skipped. A line longer than
    `max_line_bytes` or an event with more than `max_event_bytes` of data raises
    `TransportError("response_too_large")`; bytes that are not UTF-8 raise `TransportError("invalid_response")`.
    """

    __slots__ = ("_after_cr", "_at_start", "_data", "_data_bytes", "_event", "_line", "_max_event", "_max_line")

    def __init__(self, *, max_line_bytes: int, max_event_bytes: int) -> None:
        self._max_line = max_line_bytes
        self._max_event = max_event_bytes
        self._line = bytearray()
        self._data: list[bytes] = []
        self._data_bytes = 0
        self._event = b""
        self._after_cr = False
        self._at_start = True

    def feed(self, data: bytes) -> list[SseEvent]:
        """The events that these bytes complete."""
        events: list[SseEvent] = []
        position = 0
        while position < len(data):
            if self._after_cr:
                self._after_cr = False
                if data[position : position + 1] == _LF:
                    position += 1
                    continue
            end = _line_end(data, position)
            self._extend(data[position : len(data) if end < 0 else end])
            if end < 0:
                break
            self._after_cr = data[end : end + 1] == _CR
            position = end + 1
            self._end_line(events)
        return events

    @property
    def pending(self) -> bool:
        """Whether an event or a line has begun and not ended; what has not ended is never an event."""
        return bool(self._line) or bool(self._data)

    def _extend(self, piece: bytes) -> None:
        if len(self._line) + len(piece) > self._max_line:
            raise TransportError("response_too_large")
        self._line += piece

    def _end_line(self, events: list[SseEvent]) -> None:
        line = bytes(self._line)
        self._line.clear()
        if self._at_start:
            self._at_start = False
            line = line.removeprefix(_BYTE_ORDER_MARK)
        if line:
            self._field(line)
            return
        if self._data:
            events.append(SseEvent(_text(b"\n".join(self._data)), _text(self._event) or "message"))
        self._data.clear()
        self._data_bytes = 0
        self._event = b""

    def _field(self, line: bytes) -> None:
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if name == b"data":
            self._data_bytes += len(value) + 1
            if self._data_bytes > self._max_event:
                raise TransportError("response_too_large")
            self._data.append(value)
        elif name == b"event":
            self._event = value


def _line_end(data: bytes, start: int) -> int:
    """Index of the next CR or LF, or -1."""
    lf = data.find(_LF, start)
    cr = data.find(_CR, start, lf if lf >= 0 else len(data))
    return cr if cr >= 0 else lf


def _text(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise TransportError("invalid_response") from None
