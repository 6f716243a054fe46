"""What holds for every model: its deadline, its concurrency, and that it raises nothing but `ModelError`."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Mapping
from contextlib import aclosing

from adk_decl.errors import ModelError
from adk_decl.models.limits import CallLimits
from adk_decl.models.protocol import Model, ModelCall, TextDelta
from adk_decl.plan.limits import LIMITS
from adk_decl.values import GenerationSettings, ModelRequest, ModelResponse
from adk_decl.wire import replace

_MAX_DEPTH = LIMITS["model.argument_depth"].default


class BoundedModel:
    """Runs another model within `timeout_ms` and the run's deadline, whichever is sooner.

    What a request leaves open in its generation settings takes the model's declared value. Text deltas are
    dropped unless the request asked for them.
    """

    def __init__(
        self, inner: Model, *, limits: CallLimits, timeout_ms: int, generation: GenerationSettings | None = None
    ) -> None:
        self._inner = inner
        self._limits = limits
        self._timeout_s = timeout_ms / 1000
        self._generation = generation or GenerationSettings()

    async def open(self) -> None:
        """Open the inner model."""
        await self._inner.open()

    async def close(self) -> None:
        """Close the inner model."""
        await self._inner.close()

    async def generate(self, request: ModelRequest, call: ModelCall) -> AsyncGenerator[TextDelta | ModelResponse, None]:
        """Answer one request. Raises `ModelError`."""
        deadline = min(call.deadline, time.monotonic() + self._timeout_s)
        bounded = ModelCall(deadline=deadline, run_id=call.run_id, scratch=call.scratch, headers=call.headers)
        request = request.replace(generation=fill_in(request.generation, self._generation))
        async with self._limits.slot(deadline):
            await self._limits.admit(deadline)
            async with aclosing(self._outputs(request, bounded)) as outputs:
                async for output in outputs:
                    if isinstance(output, ModelResponse) or request.stream:
                        yield output

    async def _outputs(self, request: ModelRequest, call: ModelCall) -> AsyncGenerator[TextDelta | ModelResponse, None]:
        """Every delta, then one response; each awaited before the deadline."""
        inner = self._inner.generate(request, call)
        try:
            while True:
                output = await _next_output(inner, call.deadline)
                yield output
                if isinstance(output, ModelResponse):
                    return
        finally:
            await _finish(inner)


def fill_in(asked: GenerationSettings, declared: GenerationSettings) -> GenerationSettings:
    """The settings asked for, completed by those declared."""
    missing = {
        name: getattr(declared, name)
        for name in GenerationSettings.__struct_fields__
        if getattr(asked, name) in (None, ()) and getattr(declared, name) not in (None, ())
    }
    return replace(asked, **missing) if missing else asked


async def _next_output(inner: AsyncIterator[TextDelta | ModelResponse], deadline: float) -> TextDelta | ModelResponse:
    try:
        async with asyncio.timeout(deadline - time.monotonic()):
            output: object = await anext(inner)
        if isinstance(output, TextDelta) or (isinstance(output, ModelResponse) and _is_readable(output)):
            return output
        reason = "invalid_model_result" if isinstance(output, ModelResponse) else "internal"
    except ModelError:
        raise
    except TimeoutError:
        reason = "timeout"
    except StopAsyncIteration:
        reason = "invalid_response"
    except Exception:  # noqa: BLE001  the boundary of a model: its text may hold a prompt or a credential
        reason = "internal"
    raise ModelError(reason)


def _is_readable(response: ModelResponse) -> bool:
    """Whether no arguments are nested deeper than all that reads them can follow."""
    level: list[object] = [call.args for call in response.tool_calls]
    for _ in range(_MAX_DEPTH):
        level = [item for value in level for item in _items(value)]
        if not level:
            return True
    return False


def _items(value: object) -> Iterable[object]:
    if isinstance(value, Mapping):
        return value.values()
    return value if isinstance(value, list | tuple) else ()


async def _finish(inner: AsyncIterator[TextDelta | ModelResponse]) -> None:
    close = getattr(inner, "aclose", None)
    if close is None:
        return
    # The answer or its error is already on its way, and this text is nobody's.
    with contextlib.suppress(Exception):
        await close()
