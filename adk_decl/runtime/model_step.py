"""One model call with its phases: before_model, the call, on_model_error, after_model."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import aclosing
from typing import Any

from adk_decl.errors import ModelError, PluginFailed
from adk_decl.models.protocol import Model, ModelCall, TextDelta
from adk_decl.plugins.context import Meta
from adk_decl.runtime.failures import failure_of
from adk_decl.runtime.lifecycle import Around, Lifecycle
from adk_decl.values.payload import Payload
from adk_decl.values.phase_values import Failure, ModelRequest, ModelResponse

MODEL = Around(
    before="before_model",
    after="after_model",
    error="on_model_error",
    is_error=lambda outcome: isinstance(outcome, Failure),
    timed=True,
)

DeliverChunk = Callable[[str], Awaitable[None]]


class ModelStep:
    """Calls one model for one agent of an invocation."""

    __slots__ = ("_deadline", "_lifecycle", "_model", "_run_id", "_scratch")

    def __init__(self, model: Model, lifecycle: Lifecycle, *, run_id: str, deadline: float) -> None:
        self._model = model
        self._lifecycle = lifecycle
        self._run_id = run_id
        self._deadline = deadline
        self._scratch: dict[str, Any] = {}

    async def run(self, request: ModelRequest, meta: Meta, deliver: DeliverChunk | None) -> ModelResponse:
        """The response to go on with. Raises `ModelError`, `PluginFailed` or `PluginHalted`.

        `deliver` takes each streamed text as it comes; None holds all of it back.
        """
        entered = await self._lifecycle.enter(MODEL, request, meta)
        outcome = entered.outcome
        error: ModelError | None = None
        if outcome is None:
            assert isinstance(entered.value, ModelRequest)
            outcome, error = await self._call(entered.value, meta, deliver)
        outcome = await self._lifecycle.leave(MODEL, outcome, meta)
        if isinstance(outcome, Failure):
            raise _still_failed(outcome, error)
        assert isinstance(outcome, ModelResponse)
        return outcome

    async def _call(
        self, request: ModelRequest, meta: Meta, deliver: DeliverChunk | None
    ) -> tuple[Payload, ModelError | None]:
        try:
            return await self._generate(request, deliver), None
        except ModelError as error:
            return failure_of(error, meta, component="model", operation="generate"), error
        except PluginFailed as error:
            # A plugin refused a chunk of the stream (on_event): the stream ends as a failed model call.
            failure = failure_of(error, meta, component="model", operation="stream")
            return failure.replace(reason="stream_event_failed"), ModelError("stream_event_failed")

    async def _generate(self, request: ModelRequest, deliver: DeliverChunk | None) -> ModelResponse:
        call = ModelCall(deadline=self._deadline, run_id=self._run_id, scratch=self._scratch)
        response: ModelResponse | None = None
        stream: Any = self._model.generate(request, call)
        async with aclosing(stream):
            async for item in stream:
                if isinstance(item, TextDelta):
                    if deliver is not None:
                        await deliver(item.text)
                else:
                    response = item
        if response is None:
            raise ModelError("invalid_model_result")
        return response


def _still_failed(failure: Failure, error: ModelError | None) -> ModelError:
    """The error of a call that no plugin mended; a plugin may have amended its reason."""
    if error is not None and error.reason == failure.reason and error.status == failure.status:
        return error
    return ModelError(failure.reason, status=failure.status)
