"""A tool runner on a real worker pool, for the tests."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from adk_decl.plan.model import ToolPlan
from adk_decl.tools.runner import ToolRunner, handler_specs
from adk_decl.values import ToolCall, ToolResult
from adk_decl.workers.pool import WorkerPool
from adk_decl.workers.spec import DomainSpec
from tests.tools.plans import FACTS, PROJECT


def worker_pool(
    tools: dict[str, ToolPlan], root: Path = PROJECT, *, debug_fd: int | None = None, workers: int = 2
) -> WorkerPool:
    """A pool, not yet started, that serves these tools."""
    specs = handler_specs(tools, debug=debug_fd is not None)
    domains = [DomainSpec(name=name, import_paths=(str(root),), handlers=(spec,)) for name, spec in specs.items()]
    return WorkerPool(domains, workers=workers, debug_fd=debug_fd)


@asynccontextmanager
async def running(
    *tools: ToolPlan,
    root: Path = PROJECT,
    debug_fd: int | None = None,
    workers: int = 2,
    show_exception: Callable[[BaseException], None] | None = None,
) -> AsyncIterator[ToolRunner]:
    """An open runner; pool and runner are closed at the end."""
    by_name = {tool.name: tool for tool in tools}
    pool = worker_pool(by_name, root, debug_fd=debug_fd, workers=workers)
    await pool.start()
    runner = ToolRunner(by_name, pool, project_root=str(root), code_roots=(".",), show_exception=show_exception)
    try:
        await runner.open()
        yield runner
    finally:
        await runner.close()
        await pool.close()


async def call(runner: ToolRunner, tool_name: str, /, *, within: float = 30.0, **args: Any) -> ToolResult:
    """One call that has to end within so many seconds."""
    return await runner.call(ToolCall(tool_name, args, "c1"), FACTS, deadline=time.monotonic() + within)


def reason(result: ToolResult) -> str:
    """The reason of a failed result."""
    assert result.error is not None
    assert result.result is None
    return result.error.reason


async def until(condition: Callable[[], bool]) -> None:
    """Wait for something that tells nobody: a thread, another process, a file. Fails after ten seconds."""
    async with asyncio.timeout(10):
        while not condition():  # noqa: ASYNC110
            await asyncio.sleep(0.002)
