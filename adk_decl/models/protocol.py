"""What a model is to the runtime."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any, Protocol

from adk_decl.values.phase_values import ModelRequest, ModelResponse
from adk_decl.wire import Struct


class TextDelta(Struct, frozen=True):
    """A piece of streamed text."""

    text: str


class ModelCall:
    """What a model is told about the call: when it must have ended and what belongs to the run.

    `deadline` is a time of `time.monotonic()` in seconds. `scratch` is a dict that belongs to this model and this
    run; a model keeps there what must not outlive the run. `headers` are added to HTTP requests.
    """

    __slots__ = ("deadline", "headers", "run_id", "scratch")

    def __init__(
        self, *, deadline: float, run_id: str, scratch: dict[str, Any], headers: dict[str, str] | None = None
    ) -> None:
        self.deadline = deadline
        self.run_id = run_id
        self.scratch = scratch
        self.headers = headers or {}


class Model(Protocol):
    """One declared model, built once per runner.

    `generate` yields any number of `TextDelta` (only when `request.stream`), then exactly one `ModelResponse`,
    which holds the whole text. It raises `ModelError` and nothing else, and honours cancellation.
    """

    async def open(self) -> None:
        """Acquire what the model needs. Raises `StartError`."""
        ...

    async def close(self) -> None:
        """Release it; safe to call twice."""
        ...

    def generate(self, request: ModelRequest, call: ModelCall) -> AsyncIterator[TextDelta | ModelResponse]:
        """Answer one request."""
        ...


MODEL_FAILURES: tuple[str, ...] = (
    "timeout",
    "connection_failed",
    "connection_lost",
    "rate_limited",
    "server_error",
    "request_refused",
    "authentication_failed",
    "invalid_response",
    "response_too_large",
    "stream_incomplete",
    "redirect_refused",
    "script_exhausted",
    "script_error",
    "script_path_missing",
    "invalid_model_result",
    "context_exceeded",
    "stream_event_failed",
    "internal",
)
"""Every reason of a `ModelError`."""
