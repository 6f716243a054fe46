"""What plugins are told of durations: that of the model call, and that of the run."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

import pytest

from adk_decl.errors import RunError
from adk_decl.plan.phases import PHASES
from tests.runtime.doubles import World, call, calls, says, spy, tool

TOLD = {"after_model", "on_model_error", "after_run", "on_run_error"}


async def told(*replies: Any, **more: Any) -> list[tuple[str, int | None]]:
    world = World(*replies, plugins={"p": spy()}, tools=(tool("work"),), **more)
    with contextlib.suppress(RunError):
        await world.run()
    return [
        (phase, meta.duration_ms) for (phase, _), meta in zip(world.executor.values, world.executor.metas, strict=True)
    ]


async def test_only_what_ends_a_model_call_or_a_run_is_told_a_duration() -> None:
    async def work() -> str:
        await asyncio.sleep(0.02)
        return "ok"

    seen = await told(calls(call("work", "c")), says("done"), functions={"work": work})
    assert {phase for phase, ms in seen if ms is not None} == {"after_model", "after_run"}
    assert all(ms is not None for phase, ms in seen if phase in TOLD)
    whole = dict(seen)["after_run"]
    models = sum(ms or 0 for phase, ms in seen if phase == "after_model")
    assert whole is not None
    assert whole >= 20 > models


@pytest.mark.parametrize("phase", ["on_model_error", "on_run_error"])
async def test_failures_are_told_too(phase: str) -> None:
    seen = dict(await told())
    assert seen[phase] is not None
    assert PHASES[phase].level in ("model", "run")
    assert seen["on_agent_error"] is None
