"""Tools that run in the host's own process: coroutines on its loop, plain functions in daemon threads.

Such a call can be given up but not killed. A coroutine that swallows its cancellation is left behind and watched;
a thread that hangs keeps its slot, and a tool whose slots are all taken answers `queue_full`. The threads are
daemons and never those of the loop's executor, so a process that ends waits for none of them.
"""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Callable, Coroutine
from typing import Any

from adk_decl.plan.frozen_json import thaw
from adk_decl.plan.limits import LIMITS
from adk_decl.plan.model import ToolPlan
from adk_decl.tools.arguments import binder
from adk_decl.tools.context import ToolContext, ToolFacts
from adk_decl.tools.failure import ToolFailed, failed, raised
from adk_decl.tools.json_result import encode_result
from adk_decl.tools.load_function import load_function
from adk_decl.wire import decode, encode


class InlineTool:
    """One function in the host's process. Raises `LoadProblem` when it can't be imported."""

    def __init__(self, plan: ToolPlan, *, project_root: str) -> None:
        self.plan = plan
        self._function = load_function(plan.code, project_root=project_root)
        self._bind = binder(self._function)
        self._config = thaw(plan.config)
        self._busy_threads = 0
        self._lingering: set[asyncio.Task[Any]] = set()

    async def call(self, args: dict[str, Any], call_id: str, facts: ToolFacts, *, timeout_ms: int) -> Any:
        """The result as JSON data. Raises `ToolFailed`; on cancellation the tool is cancelled too."""
        own_copy = decode(encode(args))
        context = ToolContext(
            user_id=facts.user_id,
            session_id=facts.session_id,
            app_name=facts.app_name,
            invocation_id=facts.invocation_id,
            call_id=call_id,
            deadline_ms=timeout_ms,
            config=self._config,
        )

        def begin() -> Any:
            arguments = self._bind(own_copy)
            if self.plan.context_parameter is not None:
                arguments[self.plan.context_parameter] = context
            return self._function(**arguments)

        wait = self._on_the_loop if self.plan.is_async else self._in_a_thread
        return decode(await wait(begin, timeout_ms / 1000))

    async def close(self) -> None:
        """Cancel what was left behind, and wait for it for a moment."""
        for task in self._lingering:
            task.cancel()
        if self._lingering:
            await asyncio.wait(set(self._lingering), timeout=_grace_seconds())

    async def _on_the_loop(self, begin: Callable[[], Any], seconds: float) -> bytes:
        task = asyncio.create_task(_guarded(begin))
        self._lingering.add(task)
        task.add_done_callback(self._forget)
        try:
            await asyncio.wait({task}, timeout=seconds)
        except asyncio.CancelledError:
            task.cancel()
            await asyncio.wait({task}, timeout=_grace_seconds())
            raise
        if not task.done():
            task.cancel()
            await asyncio.wait({task}, timeout=_grace_seconds())
            raise failed("timeout")
        if task.cancelled():
            raise raised(asyncio.CancelledError())
        return task.result()

    def _forget(self, task: asyncio.Task[Any]) -> None:
        self._lingering.discard(task)
        if not task.cancelled():
            task.exception()

    async def _in_a_thread(self, begin: Callable[[], Any], seconds: float) -> bytes:
        if self._busy_threads >= self.plan.max_concurrency:
            raise failed("queue_full")
        loop = asyncio.get_running_loop()
        future: asyncio.Future[bytes] = loop.create_future()
        context = contextvars.copy_context()

        def run() -> None:
            answer = context.run(_answer, begin)
            try:
                loop.call_soon_threadsafe(self._settle, future, answer)
            except RuntimeError:
                return  # the loop is closed: nobody waits any more

        try:
            threading.Thread(target=run, name=f"adk-decl-tool-{self.plan.name}", daemon=True).start()
        except RuntimeError:
            raise failed("queue_full") from None
        self._busy_threads += 1
        try:
            await asyncio.wait({future}, timeout=seconds)
            if not future.done():
                raise failed("timeout")
            return future.result()
        finally:
            future.cancel()  # no effect on one that is done; else the late answer finds nobody waiting

    def _settle(self, future: asyncio.Future[bytes], answer: bytes | ToolFailed) -> None:
        self._busy_threads -= 1
        if future.done():
            return
        if isinstance(answer, ToolFailed):
            future.set_exception(answer)
        else:
            future.set_result(answer)


async def _guarded(begin: Callable[[], Coroutine[Any, Any, Any]]) -> bytes:
    try:
        return encode_result(await begin())
    except (asyncio.CancelledError, GeneratorExit, KeyboardInterrupt, ToolFailed):
        raise
    except BaseException as error:  # noqa: BLE001 - a tool may raise anything, also while its result is read
        raise raised(error)  # noqa: B904 - it carries its cause


def _answer(begin: Callable[[], Any]) -> bytes | ToolFailed:
    try:
        return encode_result(begin())
    except ToolFailed as failure:
        return failure
    except BaseException as error:  # noqa: BLE001 - as above; in this thread nothing else would see it
        return raised(error)


def _grace_seconds() -> float:
    return LIMITS["tool.cancel_grace_ms"].default / 1000
