"""The child process of an embedded model, when it does not come up."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest

from adk_decl.models.llama_process import ServerProcess, environment

SETTINGS: dict[str, Any] = {
    "path": "/nonexistent.gguf",
    "alias": "x",
    "api_key": "k",
    "context_tokens": 256,
    "threads": 1,
}


async def test_a_child_that_ends_early_is_no_server() -> None:
    assert await ServerProcess.start(SETTINGS, timeout_s=60) is None


async def test_a_child_that_is_too_slow_is_killed() -> None:
    started = time.monotonic()
    assert await ServerProcess.start(SETTINGS, timeout_s=0.0) is None
    assert time.monotonic() - started < 5


async def test_a_start_that_is_cancelled_leaves_no_child() -> None:
    """The session of tests fails when a process is left."""
    starting = asyncio.create_task(ServerProcess.start(SETTINGS, timeout_s=60))
    await asyncio.sleep(0)
    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting


async def test_the_environment_holds_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "canary")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0")
    assert "canary" not in environment().values()
    assert environment()["CUDA_VISIBLE_DEVICES"] == "0"
