"""An event loop for one call, whose end is bounded.

`asyncio.run` waits for every task, also for one that swallows its cancellation: an inline tool of that kind would
keep a finished command from ending.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from adk_decl.plan.limits import LIMITS

T = TypeVar("T")


def run_to_end(main: Coroutine[Any, Any, T]) -> T:
    """Run in a new event loop and return the result.

    Tasks that are left get `run.abandon_ms` to end after their cancellation, and are then left behind with the loop.
    """
    runner = asyncio.Runner()
    try:
        return runner.run(main)
    finally:
        loop = runner.get_loop()
        if loop.run_until_complete(_end_tasks()):
            runner.close()
        else:
            # Their destruction is no news to anybody, and `Runner.close` would wait for them.
            loop.set_exception_handler(lambda *_: None)
            asyncio.set_event_loop(None)
            loop.close()


async def _end_tasks() -> bool:
    """Cancel what is left; whether all of it ended in time."""
    left = asyncio.all_tasks() - {asyncio.current_task()}
    for task in left:
        task.cancel()
    if left:
        _, left = await asyncio.wait(left, timeout=LIMITS["run.abandon_ms"].default / 1000)
    return not left
