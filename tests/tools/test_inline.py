"""Tools in the host's process: bounded in time, given up, never waited for."""

from __future__ import annotations

import asyncio
import contextvars
import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from adk_decl.errors import StartError
from adk_decl.plan.frozen_json import freeze
from adk_decl.plan.model import ToolPlan
from adk_decl.tools.runner import ToolRunner
from tests.tools.plans import PROJECT, tool
from tests.tools.running import call, reason, running, until

_CHECKOUT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def _fresh_project() -> Iterator[None]:
    yield
    for name in [name for name in sys.modules if name == "shop" or name.startswith("shop.")]:
        del sys.modules[name]


def inline(name: str, **changes: Any) -> ToolPlan:
    return tool(name, isolation="inline", **changes)


async def test_coroutines_and_functions_return_what_they_return() -> None:
    async with running(inline("look_up"), inline("async_look_up"), inline("who", config=freeze({"k": 1}))) as tools:
        assert (await call(tools, "async_look_up", order_id=7)).result == {"order_id": 7}
        assert (await call(tools, "look_up", order_id=7)).result["status"] == "shipped"
        facts = (await call(tools, "who", text="x", within=2)).result
        assert facts["config"] == {"k": 1}
        assert facts["call"] == "c1"
        assert 1000 < facts["left_ms"] <= 2000
    assert str(PROJECT) not in sys.path


@pytest.mark.parametrize(
    ("name", "args", "expected"),
    [
        ("fails", {"text": "canary-argument"}, ("PermissionError", "exception")),
        ("async_fails", {"text": "canary-argument"}, ("LookupError", "exception")),
        ("wants_out", {}, ("SystemExit", "exit")),
        ("async_wants_out", {}, ("SystemExit", "exit")),
        ("cancels_itself", {}, ("CancelledError", "exception")),
        ("lazy", {}, ("ConnectionError", "exception")),
        ("async_lazy", {}, ("ConnectionError", "exception")),
        ("large", {"size": 2_000_000}, ("result_too_large", "error")),
        ("endless", {}, ("invalid_result_type", "error")),
    ],
)
async def test_every_failure_has_a_reason_and_no_text(
    name: str,
    args: dict[str, Any],
    expected: tuple[str, str],
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    async with running(inline(name)) as tools:
        found = await call(tools, name, **args)
    assert found.error is not None
    assert (found.error.reason, found.error.error_class) == expected
    assert "canary" not in caplog.text + "".join(capfd.readouterr()) + repr(found.error)


async def test_debug_gives_the_exception_to_the_author() -> None:
    shown: list[BaseException] = []
    async with running(inline("fails"), inline("async_fails"), show_exception=shown.append) as tools:
        await call(tools, "fails", text="x")
        await call(tools, "async_fails", text="y")
    assert [str(one) for one in shown] == ["canary-in-the-tool x", "canary-in-the-tool y"]


async def test_a_coroutine_is_cancelled_at_its_time() -> None:
    async with running(inline("sleeps", timeout_ms=50)) as tools:
        found = await call(tools, "sleeps")
        assert reason(found) == "timeout"
        assert 40 <= found.duration_ms < 1000
    assert {task for task in asyncio.all_tasks() if not task.done()} == {asyncio.current_task()}


async def test_a_coroutine_that_swallows_its_cancellation_is_given_up() -> None:
    async with running(inline("stubborn", timeout_ms=50)) as tools:
        found = await call(tools, "stubborn")
        assert reason(found) == "timeout"
        assert found.duration_ms < 280
    await until(lambda: len(asyncio.all_tasks()) == 1)


async def test_cancelling_a_call_cancels_the_coroutine() -> None:
    async with running(inline("sleeps")) as tools:
        module = sys.modules["shop.tools"]
        module.ENTERED.clear()
        task = asyncio.ensure_future(call(tools, "sleeps"))
        await until(module.ENTERED.is_set)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_a_thread_that_hangs_keeps_its_slot_until_it_ends() -> None:
    async with running(inline("blocks", timeout_ms=50, max_concurrency=2)) as tools:
        module = sys.modules["shop.tools"]
        module.GO_ON.clear()
        assert reason(await call(tools, "blocks")) == "timeout"
        assert reason(await call(tools, "blocks")) == "timeout"
        assert reason(await call(tools, "blocks")) == "queue_full"
        named = [t for t in threading.enumerate() if t.name == "adk-decl-tool-blocks"]
        assert len(named) == 2
        assert all(thread.daemon for thread in named)
        module.GO_ON.set()
        await until(lambda: not any(thread.is_alive() for thread in named))
        assert (await call(tools, "blocks")).result == "done"


async def test_cancelling_a_call_leaves_its_thread_and_no_complaint() -> None:
    async with running(inline("blocks", max_concurrency=1)) as tools:
        module = sys.modules["shop.tools"]
        module.GO_ON.clear()
        module.ENTERED.clear()
        task = asyncio.ensure_future(call(tools, "blocks"))
        await until(module.ENTERED.is_set)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        module.GO_ON.set()


async def test_a_tool_sees_the_context_variables_of_its_caller(tmp_path: Path) -> None:
    (tmp_path / "vars_tool.py").write_text(
        "import contextvars\n"
        "def read(name: str) -> str:\n"
        "    return next(v for k, v in contextvars.copy_context().items() if k.name == name)\n"
    )
    variable = contextvars.ContextVar("adk_decl_test", default="unset")
    variable.set("set")
    plan = tool("read", module="vars_tool", root=tmp_path, isolation="inline")
    async with running(plan, root=tmp_path) as tools:
        assert (await call(tools, "read", name="adk_decl_test")).result == "set"


async def test_arguments_that_a_tool_changes_do_not_reach_the_host(tmp_path: Path) -> None:
    (tmp_path / "changing.py").write_text("def change(items: list[int]) -> int:\n    items.clear()\n    return 0\n")
    plan = tool("change", module="changing", root=tmp_path, isolation="inline")
    async with running(plan, root=tmp_path) as tools:
        assert (await call(tools, "change", items=[1, 2])).args == {"items": [1, 2]}


async def test_a_module_of_the_same_name_from_elsewhere_is_refused(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "twin_module.py").write_text(f"def f(x: int) -> str:\n    return {folder!r}\n")
    first = tool("f", module="twin_module", root=tmp_path / "one", isolation="inline")
    async with running(first, root=tmp_path / "one") as tools:
        assert (await call(tools, "f", x=1)).result == "one"
    other = ToolRunner({"f": first}, None, project_root=str(tmp_path / "two"), code_roots=(".",))
    with pytest.raises(StartError, match="isolation: worker"):
        await other.open()
    del sys.modules["twin_module"]


def test_a_process_with_a_hanging_thread_ends_at_once() -> None:
    script = textwrap.dedent(
        """
        import asyncio, sys
        from tests.tools.plans import tool
        from tests.tools.running import call, running
        async def main():
            async with running(tool("hangs", isolation="inline", timeout_ms=100)) as tools:
                print((await call(tools, "hangs")).error.reason)
        asyncio.run(main())
        """
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=_CHECKOUT, capture_output=True, text=True, timeout=20, check=False
    )
    assert (done.stdout, done.stderr, done.returncode) == ("timeout\n", "", 0)
