"""What `run` prints: the answer on stdout and progress on stderr, or JSON lines on stdout."""

from __future__ import annotations

import sys
from typing import Any, Protocol

from adk_decl.errors import RunError
from adk_decl.runtime.result import PhaseRecord, RunResult
from adk_decl.values.content import ToolCallPart, ToolResultPart
from adk_decl.values.phase_values import Event
from adk_decl.wire import encode, to_builtins

_QUIET_OUTCOMES = frozenset({"observed", "skipped"})


class Output(Protocol):
    """Takes what happens in a run, in order."""

    def begin(self, session_id: str, *, new: bool, kept: bool) -> None:
        """The run starts."""
        ...

    def event(self, event: Event) -> None:
        """An event was stored (or is a chunk of streamed text)."""
        ...

    def trace(self, record: PhaseRecord) -> None:
        """A phase with plugins ran."""
        ...

    def failed(self, error: RunError) -> None:
        """The run ended with an error."""
        ...

    def end(self, result: RunResult) -> None:
        """The run has ended."""
        ...

    def stopped(self, how: str) -> None:
        """A signal ended the run."""
        ...


class TextOutput:
    """For people: only the answer goes to stdout. Control characters of the answer are shown, not sent."""

    def __init__(self, *, stream: bool) -> None:
        self._stream = stream
        self._streamed = ""
        self._answer: str | None = None

    def begin(self, session_id: str, *, new: bool, kept: bool) -> None:
        """Name a new session that can go on, and say so of one that can't."""
        if new and kept:
            _progress(f"session {session_id}")
        elif not new and not kept:
            _progress("note: this session ends with the command; `session_store: {use: sqlite}` in the runner keeps it")

    def event(self, event: Event) -> None:
        """Print streamed text, note tool calls, keep the final answer."""
        if event.partial:
            self._streamed += event.text
            sys.stdout.write(_printable(event.text))
            sys.stdout.flush()
            return
        if event.is_final:
            self._answer = event.text
            return
        if self._streamed:
            sys.stdout.write("\n")
            self._streamed = ""
        for part in event.content:
            if isinstance(part, ToolCallPart):
                _progress(f"tool {part.name}: called")
            elif isinstance(part, ToolResultPart):
                error = part.body.get("error")
                reason = error.get("reason") if isinstance(error, dict) else None
                _progress(f"tool {part.name}: {'ok' if error is None else f'failed ({reason})'}")

    def trace(self, record: PhaseRecord) -> None:
        """Name each plugin that did more than look on."""
        for entry in record.entries:
            if entry.outcome not in _QUIET_OUTCOMES:
                changed = f" ({', '.join(entry.changed)})" if entry.changed else ""
                _progress(f"plugin {entry.plugin_id}: {entry.outcome} in {record.phase}{changed}")

    def failed(self, error: RunError) -> None:
        """One line: code and text."""
        self._end_of_stream()
        _progress(f"error[{error.code}]: {error}")

    def end(self, result: RunResult) -> None:
        """The answer, unless it was streamed already; then what went wrong on the way."""
        if self._answer is not None and self._streamed != self._answer:
            self._end_of_stream()
            sys.stdout.write(_printable(self._answer) + "\n")
        else:
            self._end_of_stream()
        sys.stdout.flush()
        for warning in result.warnings:
            _progress(f"warning: {warning}")

    def stopped(self, how: str) -> None:
        """One line."""
        self._end_of_stream()
        _progress(f"adk-decl: {how}")

    def _end_of_stream(self) -> None:
        if self._streamed:
            sys.stdout.write("\n")
            sys.stdout.flush()
            self._streamed = ""


class JsonOutput:
    """For programs: one JSON object a line, with `type` event, plugin_trace, result or stopped."""

    def begin(self, session_id: str, *, new: bool, kept: bool) -> None:
        """Nothing: the result names the session."""

    def event(self, event: Event) -> None:
        """The whole event."""
        self._line("event", event.as_dict())

    def trace(self, record: PhaseRecord) -> None:
        """The whole record."""
        self._line("plugin_trace", to_builtins(record))

    def failed(self, error: RunError) -> None:
        """Nothing: the result holds the error."""

    def end(self, result: RunResult) -> None:
        """The result without the traces, which had their own lines. Its warnings go to stderr too."""
        fields = to_builtins(result)
        del fields["traces"]
        self._line("result", fields)
        for warning in result.warnings:
            _progress(f"warning: {warning}")

    def stopped(self, how: str) -> None:
        """The last line of a run that a signal ended."""
        self._line("stopped", {"reason": how})

    def _line(self, kind: str, fields: dict[str, Any]) -> None:
        sys.stdout.write(encode({"type": kind, **fields}).decode() + "\n")
        sys.stdout.flush()


def _progress(text: str) -> None:
    sys.stderr.write(_printable(text) + "\n")
    sys.stderr.flush()


def _printable(text: str) -> str:
    """Text without control characters but newline and tab: an answer must not steer a terminal."""
    if text.isprintable():
        return text
    return "".join(c if c in "\n\t" or c.isprintable() else f"\\x{ord(c):02x}" for c in text)
