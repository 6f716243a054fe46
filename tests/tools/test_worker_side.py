"""Tools in real workers: what arrives, what comes back, and every way to fail."""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path
from typing import Any

import pytest

from adk_decl.errors import StartError
from adk_decl.plan.frozen_json import freeze
from adk_decl.wire import encode
from tests.tools.plans import PROJECT, functions, tool
from tests.tools.running import call, reason, running, until, worker_pool

TYPED: dict[str, Any] = {
    "color": "blue",
    "line": {"item": "cup", "color": "blue"},
    "lines": [{"item": "pen", "count": 2.0}],
    "level": 2,
    "note": {"text": "x"},
    "weight": 1,
    "count": 3.0,
    "maybe": None,
}


async def test_a_call_returns_what_the_function_returned() -> None:
    async with running(tool("look_up"), tool("async_look_up")) as tools:
        found = await call(tools, "look_up", order_id=1042)
        assert found.error is None
        assert found.result == {"order_id": 1042, "currency": "EUR", "status": "shipped"}
        assert (found.name, found.call_id, found.args) == ("look_up", "c1", {"order_id": 1042})
        assert found.duration_ms >= 0
        for number in range(3):
            assert (await call(tools, "async_look_up", order_id=number)).result == {"order_id": number}


async def test_arguments_arrive_as_their_annotations_say() -> None:
    async with running(tool("typed")) as tools:
        found = await call(tools, "typed", **TYPED)
        assert found.error is None
        assert found.result["kinds"] == ["Color", "Line", "Line", "Level", "dict", "float", "int", "NoneType"]
        assert found.result["back"] == {
            "color": "blue",
            "line": {"item": "cup", "count": 1, "color": "blue"},
            "pair": [2, None],
        }


async def test_the_context_tells_who_calls_and_how_long_it_may_take() -> None:
    plan = tool("who", config=freeze({"region": "eu", "ids": [1]}), timeout_ms=3000)
    async with running(plan) as tools:
        facts = (await call(tools, "who", text="x")).result
        assert facts | {"deadline_ms": 0, "left_ms": 0} == {
            "user": "u1",
            "session": "s1",
            "app": "shop",
            "invocation": "i1",
            "call": "c1",
            "deadline_ms": 0,
            "left_ms": 0,
            "config": {"region": "eu", "ids": [1]},
            "text": "x",
        }
        assert 2000 < facts["left_ms"] <= facts["deadline_ms"] <= 3000
        assert (await call(tools, "who", within=1, text="x")).result["deadline_ms"] <= 1000


@pytest.mark.parametrize(
    ("name", "args", "expected"),
    [
        ("fails", {"text": "canary-argument"}, ("PermissionError", "exception")),
        ("async_fails", {"text": "canary-argument"}, ("LookupError", "exception")),
        ("odd_exception", {}, ("exception", "exception")),
        ("wants_out", {}, ("SystemExit", "exit")),
        ("async_wants_out", {}, ("SystemExit", "exit")),
        ("cancels_itself", {}, ("CancelledError", "exception")),
        ("lazy", {}, ("ConnectionError", "exception")),
        ("async_lazy", {}, ("ConnectionError", "exception")),
        ("dies", {}, ("worker_down", "error")),
        ("hangs", {}, ("timeout", "error")),
        ("greedy", {}, ("heap_exceeded", "error")),
        ("large", {"size": 2_000_000}, ("result_too_large", "error")),
        ("endless", {}, ("invalid_result_type", "error")),
        *(
            ("odd_result", {"kind": k}, ("invalid_result_type", "error"))
            for k in ("set", "bytes", "nan", "object", "key")
        ),
    ],
)
async def test_every_failure_has_a_reason_and_no_text(
    name: str, args: dict[str, Any], expected: tuple[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    plan = tool(name, timeout_ms=300, max_heap_mib=32)
    if name == "odd_result":
        plan = tool(name, parameters=freeze({"type": "object"}), parameters_declared=True)
    async with running(plan, tool("pid")) as tools:
        found = await call(tools, name, **args)
        assert found.error is not None
        assert (found.error.reason, found.error.error_class) == expected
        assert b"canary" not in encode(found.error)
        assert found.result is None
        assert (await call(tools, "pid")).error is None
    assert "canary" not in caplog.text


async def test_a_hanging_tool_is_killed_at_its_time_and_the_next_call_is_served() -> None:
    async with running(tool("hangs", timeout_ms=200), tool("pid")) as tools:
        before = (await call(tools, "pid")).result
        found = await call(tools, "hangs")
        assert reason(found) == "timeout"
        assert 190 <= found.duration_ms <= 450
        assert (await call(tools, "pid")).result != os.getpid()
        assert isinstance(before, int)


async def test_the_deadline_of_the_run_ends_a_call_before_its_own_time() -> None:
    async with running(tool("hangs", timeout_ms=60_000)) as tools:
        started = time.monotonic()
        assert reason(await call(tools, "hangs", within=0.2)) == "timeout"
        assert time.monotonic() - started < 2
        assert reason(await call(tools, "hangs", within=-1)) == "timeout"


async def test_cancelling_a_call_kills_its_worker(tmp_path: Path) -> None:
    (tmp_path / "spin.py").write_text(
        "import os, pathlib\n"
        "def spin(folder: str) -> str:\n"
        "    (pathlib.Path(folder) / 'pid.part').write_text(str(os.getpid()))\n"
        "    os.rename(folder + '/pid.part', folder + '/pid')\n"
        "    while True:\n"
        "        pass\n"
    )
    plan = tool("spin", module="spin", root=tmp_path, timeout_ms=60_000)
    mark = tmp_path / "pid"
    async with running(plan, root=tmp_path) as tools:
        task = asyncio.ensure_future(call(tools, "spin", folder=str(tmp_path)))
        await until(mark.exists)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await until(lambda: not _alive(int(mark.read_text())))


async def test_calls_of_one_tool_are_limited() -> None:
    async with running(tool("pid", max_concurrency=1), workers=4) as tools:
        found = await asyncio.gather(*(call(tools, "pid") for _ in range(20)))
        assert all(one.error is None for one in found)
    async with running(tool("hangs", max_concurrency=1, timeout_ms=300)) as tools:
        first = asyncio.ensure_future(call(tools, "hangs"))
        await asyncio.sleep(0)
        second = await call(tools, "hangs", within=0.05)
        assert reason(second) == "timeout"
        assert not first.done()
        assert reason(await first) == "timeout"


@pytest.mark.parametrize(("module", "kind"), [("shop.broken", "RuntimeError"), ("shop.lacking", "ModuleNotFoundError")])
async def test_a_module_that_can_not_be_imported_stops_the_start(module: str, kind: str) -> None:
    pool = worker_pool({"never": tool("never", module=module)})
    with pytest.raises(StartError) as failure:
        await pool.start()
    assert kind in str(failure.value)
    assert "never" in str(failure.value)
    assert "canary" not in str(failure.value)


async def test_debug_shows_the_traceback_to_the_author_and_nobody_else(tmp_path: Path) -> None:
    with (tmp_path / "debug").open("wb") as debug:
        async with running(tool("fails"), debug_fd=debug.fileno()) as tools:
            found = await call(tools, "fails", text="here")
    shown = (tmp_path / "debug").read_text()
    assert "PermissionError: canary-in-the-tool here" in shown
    assert "shop/tools.py" in shown
    assert b"canary" not in found.to_json().replace(b"here", b"")


def test_the_test_project_has_every_tool_that_these_tests_name() -> None:
    assert {"look_up", "typed", "who", "hangs", "stubborn"} <= set(functions(PROJECT))


def _alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
