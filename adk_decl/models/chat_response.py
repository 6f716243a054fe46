"""What an endpoint of chat completions sends: whole responses, stream chunks, and how chunks add up."""

from __future__ import annotations

from collections.abc import Callable

from adk_decl.errors import ModelError
from adk_decl.plan.limits import LIMITS
from adk_decl.wire import Struct, WireError, decoder, field

_MAX_CALLS = LIMITS["model.tool_calls"].default


class ReplyFunction(Struct):
    """A function call: `arguments` is JSON in a string."""

    name: str
    arguments: str = ""


class ReplyCall(Struct):
    """A tool call; some endpoints leave out the id."""

    function: ReplyFunction
    id: str | None = None


class FinalMessage(Struct):
    """What the model said."""

    content: str | None = None
    refusal: str | None = None
    tool_calls: list[ReplyCall] | None = None


class Choice(Struct):
    """One answer and why it ended."""

    message: FinalMessage
    finish_reason: str | None = None


class CachedTokens(Struct):
    """Part of the input that was not computed again."""

    cached_tokens: int | None = 0


class ReplyUsage(Struct):
    """Token counts as the endpoint sends them."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    prompt_tokens_details: CachedTokens | None = None


class Completion(Struct):
    """A whole response."""

    choices: list[Choice]
    model: str | None = None
    usage: ReplyUsage | None = None


class FunctionDelta(Struct):
    """A piece of a function call."""

    name: str | None = None
    arguments: str | None = None


class CallDelta(Struct):
    """A piece of the tool call at `index`; an endpoint that sends none sends each call in one piece."""

    index: int | None = None
    id: str | None = None
    function: FunctionDelta | None = None


class Delta(Struct):
    """A piece of the message."""

    content: str | None = None
    refusal: str | None = None
    tool_calls: list[CallDelta] | None = None


class ChunkChoice(Struct):
    """A piece of one answer."""

    delta: Delta = field(default_factory=Delta)
    finish_reason: str | None = None


class Failed(Struct):
    """The symbols of an error; its message is not read."""

    code: str | int | None = None
    type: str | None = None


class Chunk(Struct):
    """One event of a stream. `error` takes the place of everything else when the endpoint fails midway."""

    choices: list[ChunkChoice] = field(default_factory=list)
    model: str | None = None
    usage: ReplyUsage | None = None
    error: Failed | str | None = None


class ErrorBody(Struct):
    """Body of a response that is not a success."""

    error: Failed | str | None = None


_completion: Callable[[bytes], Completion] = decoder(Completion)
_chunk: Callable[[bytes], Chunk] = decoder(Chunk)
_error: Callable[[bytes], ErrorBody] = decoder(ErrorBody)


def as_completion(data: bytes) -> Completion:
    """A whole response. Raises `ModelError("invalid_response")`."""
    try:
        return _completion(data)
    except (WireError, RecursionError):
        pass
    raise ModelError("invalid_response")


def error_symbols(data: bytes) -> tuple[str, ...]:
    """`code` and `type` of an error body, for comparison with known symbols; empty when it has none."""
    try:
        error = _error(data).error
    except (WireError, RecursionError):
        return ()
    return tuple(str(s) for s in (error.code, error.type) if s) if isinstance(error, Failed) else ()


class ChatStream:
    """Adds up the chunks of one streamed answer."""

    __slots__ = ("_by_index", "_calls", "_finish", "_model", "_refusal", "_text", "_usage")

    def __init__(self) -> None:
        self._text: list[str] = []
        self._refusal: list[str] = []
        self._calls: list[_PartialCall] = []
        self._by_index: dict[int, _PartialCall] = {}
        self._finish: str | None = None
        self._model: str | None = None
        self._usage: ReplyUsage | None = None

    @property
    def finished(self) -> bool:
        """Whether the endpoint said why the answer ended; without that it is half an answer."""
        return self._finish is not None

    def add(self, data: str) -> str:
        """Take one event and give the text that it adds.

        Raises `ModelError`: `invalid_response` for anything but a chunk, `server_error` when the endpoint says
        that it failed.
        """
        chunk = _as_chunk(data)
        if chunk.error is not None:
            raise ModelError("server_error")
        self._model = chunk.model or self._model
        self._usage = chunk.usage or self._usage
        if not chunk.choices:
            return ""
        choice = chunk.choices[0]
        self._finish = choice.finish_reason or self._finish
        for call in choice.delta.tool_calls or ():
            self._partial(call).add(call)
        self._refusal.append(choice.delta.refusal or "")
        text = choice.delta.content or ""
        self._text.append(text)
        return text

    def completion(self) -> Completion:
        """The whole answer. Raises `ModelError("stream_incomplete")` when its end never came."""
        if not self.finished:
            raise ModelError("stream_incomplete")
        message = FinalMessage(
            content="".join(self._text), refusal="".join(self._refusal), tool_calls=[c.whole() for c in self._calls]
        )
        return Completion(
            choices=[Choice(message=message, finish_reason=self._finish)], model=self._model, usage=self._usage
        )

    def _partial(self, call: CallDelta) -> _PartialCall:
        known = self._by_index.get(call.index) if call.index is not None else None
        if known is not None:
            return known
        if call.index is None and not call.id and self._calls:
            return self._calls[-1]
        if len(self._calls) >= _MAX_CALLS:
            raise ModelError("response_too_large")
        partial = _PartialCall()
        self._calls.append(partial)
        if call.index is not None:
            self._by_index[call.index] = partial
        return partial


class _PartialCall:
    __slots__ = ("arguments", "id", "name")

    def __init__(self) -> None:
        self.id: str | None = None
        self.name: list[str] = []
        self.arguments: list[str] = []

    def add(self, call: CallDelta) -> None:
        self.id = self.id or call.id
        if call.function is not None:
            self.name.append(call.function.name or "")
            self.arguments.append(call.function.arguments or "")

    def whole(self) -> ReplyCall:
        name = "".join(self.name)
        if not name:
            raise ModelError("invalid_response")
        return ReplyCall(function=ReplyFunction(name=name, arguments="".join(self.arguments)), id=self.id)


def _as_chunk(data: str) -> Chunk:
    try:
        return _chunk(data.encode())
    except (WireError, RecursionError):
        pass
    raise ModelError("invalid_response")
