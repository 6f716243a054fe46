"""The scripted model: declared replies, for tests and examples. It is also the double of the `Model` seam."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

from adk_decl.errors import ModelError, StartError
from adk_decl.models.protocol import MODEL_FAILURES, ModelCall, TextDelta
from adk_decl.models.script import Reply, Script, When
from adk_decl.values import Message, ModelRequest, ModelResponse, Text, ToolCallPart, ToolResultPart, Usage
from adk_decl.wire import WireError, convert, encode

_QUOTE = re.compile(r"<<([A-Za-z_][A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]+)*)>>")
_POSITION = "position"


class ScriptedModel:
    """Gives its replies in order; one whose `when` does not fit the request is passed over for the rest of the run.

    The position belongs to the run: it lives in `ModelCall.scratch`. See `When` and `Reply` for the keys.
    """

    def __init__(self, replies: Sequence[Reply]) -> None:
        self._replies = tuple(replies)

    @classmethod
    def from_config(cls, config: Mapping[str, Any], *, name: str = "scripted") -> ScriptedModel:
        """From the manifest's `config`, as plain data. Raises `StartError`."""
        try:
            script = convert(dict(config), Script)
        except WireError:
            script = None
        if script is None:
            raise StartError((f"model {name!r}: config is not a script: a list of `replies`",))
        problems = tuple(
            f"model {name!r}: config.replies[{index}] {problem}"
            for index, reply in enumerate(script.replies)
            if (problem := _problem(reply))
        )
        if problems:
            raise StartError(problems)
        return cls(script.replies)

    async def open(self) -> None:
        """Nothing to acquire."""

    async def close(self) -> None:
        """Nothing to release."""

    async def generate(self, request: ModelRequest, call: ModelCall) -> AsyncIterator[TextDelta | ModelResponse]:
        """The next reply that fits. Raises `ModelError`: `script_exhausted`, `script_path_missing`, or as declared."""
        reply = self._next(request.messages, call.scratch)
        await _pause(reply.delay_ms, call.deadline)
        if reply.error is not None:
            raise ModelError(reply.error)
        pieces = [_quote(piece, reply, request.messages) for piece in reply.pieces]
        if request.stream:
            for piece in pieces:
                yield TextDelta(text=piece)
        calls = _tool_calls(reply, request.messages)
        yield ModelResponse(
            content=(Text("".join(pieces)),) if pieces else (),
            tool_calls=calls,
            usage=reply.usage or Usage(),
            finish_reason="tool_calls" if calls else "stop",
            model=request.model,
        )

    def _next(self, messages: Sequence[Message], scratch: dict[str, Any]) -> Reply:
        for position in range(scratch.get(_POSITION, 0), len(self._replies)):
            reply = self._replies[position]
            if reply.when is None or fits(reply.when, messages):
                scratch[_POSITION] = position + 1
                return reply
        scratch[_POSITION] = len(self._replies)
        raise ModelError("script_exhausted")


def fits(when: When, messages: Sequence[Message]) -> bool:
    """Whether every condition that `when` states holds for these messages."""
    users = [message for message in messages if message.role == "user"]
    if when.turn is not None and when.turn != len(users):
        return False
    if when.contains is not None and (not users or when.contains not in users[-1].text):
        return False
    return when.tool_result is None or any(r.name == when.tool_result for r in _newest_results(messages))


def _problem(reply: Reply) -> str | None:
    given = [n for n in ("text", "tool_calls", "error", "chunks") if getattr(reply, n) is not None]
    if len(given) != 1:
        return "needs exactly one of text, tool_calls, error, chunks"
    if reply.error is not None and reply.error not in MODEL_FAILURES:
        return f"error is not one of {', '.join(MODEL_FAILURES)}"
    return None


def _newest_results(messages: Sequence[Message]) -> list[ToolResultPart]:
    """Results of the newest round of tool calls; none when something was said after them."""
    results: list[ToolResultPart] = []
    for message in reversed(messages):
        if message.role != "tool":
            break
        results.extend(part for part in message.parts if isinstance(part, ToolResultPart))
    return results


async def _pause(delay_ms: int, deadline: float) -> None:
    if not delay_ms:
        return
    remaining = deadline - time.monotonic()
    await asyncio.sleep(max(0.0, min(delay_ms / 1000, remaining)))
    if delay_ms / 1000 >= remaining:
        raise ModelError("timeout")


def _quote(text: str, reply: Reply, messages: Sequence[Message]) -> str:
    """The text with each `<<path>>` replaced, in one pass: what a tool returned is never read as a quote."""
    wanted = reply.when.tool_result if reply.when else None
    return _QUOTE.sub(lambda match: _look_up(match[1].split("."), wanted, messages), text)


def _look_up(path: Sequence[str], wanted: str | None, messages: Sequence[Message]) -> str:
    value: Any = _last_result(wanted, messages)
    for step in path:
        if isinstance(value, Mapping) and step in value:
            value = value[step]
        elif isinstance(value, list) and step.isdecimal() and int(step) < len(value):
            value = value[int(step)]
        else:
            raise ModelError("script_path_missing")
    return value if isinstance(value, str) else encode(value).decode()


def _last_result(wanted: str | None, messages: Sequence[Message]) -> dict[str, Any] | None:
    for message in reversed(messages):
        for part in reversed(message.parts):
            if isinstance(part, ToolResultPart) and wanted in (None, part.name):
                return part.body
    return None


def _tool_calls(reply: Reply, messages: Sequence[Message]) -> tuple[ToolCallPart, ...]:
    """Declared calls; one without an id gets the next number in the conversation."""
    before = sum(isinstance(part, ToolCallPart) for message in messages for part in message.parts)
    return tuple(
        ToolCallPart(name=c.name, args=c.args, call_id=c.call_id or f"call_{before + number}")
        for number, c in enumerate(reply.tool_calls or (), start=1)
    )
