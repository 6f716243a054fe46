"""What holds for every model."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from typing import Any

import pytest

from adk_decl.errors import ModelError
from adk_decl.models import GenerationSettings, ModelCall, ModelRequest, ModelResponse, Text, TextDelta, ToolCallPart
from adk_decl.models.bounded import BoundedModel, fill_in
from adk_decl.models.limits import CallLimits
from tests.models.conversation import FunctionModel, answer, call, outputs, request

DONE = ModelResponse(content=(Text("done"),))
Output = AsyncIterator[TextDelta | ModelResponse]


def bounded(function: Any, *, timeout_ms: int = 5000, **fields: Any) -> BoundedModel:
    limits = CallLimits(max_concurrency=1, requests_per_minute=0)
    return BoundedModel(FunctionModel(function), limits=limits, timeout_ms=timeout_ms, **fields)


async def reason(function: Any, **fields: Any) -> str:
    model = bounded(function, **fields)
    with pytest.raises(ModelError) as caught:
        await answer(model, request())
    assert "canary" not in repr(caught.value)
    return caught.value.reason


async def raises(req: ModelRequest, facts: ModelCall) -> Output:
    if req.messages:
        raise ValueError("canary")
    yield DONE


async def keeps_its_reason(req: ModelRequest, facts: ModelCall) -> Output:
    if req.messages:
        raise ModelError("server_error")
    yield DONE


async def says_nothing(req: ModelRequest, facts: ModelCall) -> Output:
    if not req.messages:
        yield DONE


async def only_deltas(req: ModelRequest, facts: ModelCall) -> Output:
    yield TextDelta(text="a")


async def says_something_else(req: ModelRequest, facts: ModelCall) -> AsyncIterator[Any]:
    yield "canary"


async def nests(req: ModelRequest, facts: ModelCall) -> Output:
    args: dict[str, Any] = {}
    for _ in range(500):
        args = {"a": [args]}
    yield ModelResponse(tool_calls=(ToolCallPart(name="t", args=args, call_id="c"),))


async def waits(req: ModelRequest, facts: ModelCall) -> Output:
    await asyncio.sleep(60)
    yield DONE


async def waits_between(req: ModelRequest, facts: ModelCall) -> Output:
    yield TextDelta(text="a")
    await asyncio.sleep(60)
    yield DONE


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (raises, "internal"),
        (keeps_its_reason, "server_error"),
        (says_nothing, "invalid_response"),
        (only_deltas, "invalid_response"),
        (says_something_else, "internal"),
        (nests, "invalid_model_result"),
    ],
)
async def test_nothing_but_model_errors(function: Any, expected: str) -> None:
    assert await reason(function) == expected


@pytest.mark.parametrize("function", [waits, waits_between])
async def test_its_own_timeout_ends_a_call(function: Any) -> None:
    started = time.monotonic()
    assert await reason(function, timeout_ms=50) == "timeout"
    assert time.monotonic() - started < 2


async def test_the_deadline_of_the_run_ends_a_call() -> None:
    with pytest.raises(ModelError, match="timeout"):
        await answer(bounded(waits, timeout_ms=60_000), request(), call(within_s=0.05))


async def test_deltas_only_when_asked_for() -> None:
    async def streams(req: ModelRequest, facts: ModelCall) -> Output:
        yield TextDelta(text="d")
        yield DONE

    assert len(await outputs(bounded(streams), request(stream=False))) == 1
    assert len(await outputs(bounded(streams), request(stream=True))) == 2


async def test_leaving_early_closes_the_model_and_frees_its_slot() -> None:
    closed = asyncio.Event()

    async def streams(req: ModelRequest, facts: ModelCall) -> Output:
        try:
            yield TextDelta(text="d")
            await asyncio.sleep(60)
        finally:
            closed.set()

    model = bounded(streams)
    generator = model.generate(request(stream=True), call())
    assert await anext(generator) == TextDelta(text="d")
    await generator.aclose()
    assert closed.is_set()
    with pytest.raises(ModelError, match="timeout"):
        await answer(model, request(), call(within_s=0.05))


async def test_calls_are_counted_against_the_rate() -> None:
    async def answers(req: ModelRequest, facts: ModelCall) -> Output:
        yield DONE

    limits = CallLimits(max_concurrency=1, requests_per_minute=1)
    model = BoundedModel(FunctionModel(answers), limits=limits, timeout_ms=5000)
    await answer(model, request())
    with pytest.raises(ModelError, match="rate_limited"):
        await answer(model, request())


async def test_cancellation_passes_through() -> None:
    task = asyncio.create_task(answer(bounded(waits), request()))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_settings_left_open_are_those_declared() -> None:
    seen: list[GenerationSettings] = []

    async def looks(req: ModelRequest, facts: ModelCall) -> Output:
        seen.append(req.generation)
        yield DONE

    declared = GenerationSettings(temperature=0.5, seed=7, stop=("x",))
    await answer(bounded(looks, generation=declared), request(generation=GenerationSettings(temperature=0.0)))
    assert seen == [GenerationSettings(temperature=0.0, seed=7, stop=("x",))]


def test_nothing_to_fill_in_changes_nothing() -> None:
    asked = GenerationSettings(top_p=0.1)
    assert fill_in(asked, GenerationSettings()) is asked


async def test_open_and_close_reach_the_model() -> None:
    inner = FunctionModel(waits)
    model = BoundedModel(inner, limits=CallLimits(max_concurrency=1, requests_per_minute=0), timeout_ms=1)
    await model.open()
    await model.close()
    assert (inner.opened, inner.closed) == (1, 1)
