"""Runs chains of plugins in the host's own event loop: only for plugins that say they are safe there.

The loop and every check are those of the workers. What is missing is what only a process gives: a hook that does
not yield can't be stopped, and nothing bounds its memory.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import sys
from collections.abc import Callable, Sequence
from functools import partial
from time import monotonic_ns
from types import CoroutineType
from typing import Any, Final

from adk_decl.errors import StartError
from adk_decl.isolation.domains import hook_setup
from adk_decl.isolation.instances import Instance, LoadFailed
from adk_decl.isolation.segments import Segment
from adk_decl.plan.limits import LIMITS
from adk_decl.plan.model import PluginDescriptor
from adk_decl.plugins.chain import HookTimedOut, Manner, Program, Reply, run_chain
from adk_decl.plugins.context import HookContext
from adk_decl.plugins.judge import RULES

_FATAL: Final = (asyncio.CancelledError, KeyboardInterrupt, GeneratorExit)


class InlineControl:
    """A `Control` for which nobody waits outside."""

    __slots__ = ("_marks", "deadline_ns", "start")

    def __init__(self, start: int, deadline_ns: int) -> None:
        self.start = start
        self.deadline_ns = deadline_ns
        self._marks: list[int] = []

    def begin(self, index: int, *, heap_mib: int, now_ns: int = 0) -> None:
        """Nothing to tell."""

    def mark(self, index: int, outcome: int, duration_us: int = 0) -> None:
        """Keep the outcome for the reply."""
        self._marks.append(duration_us << 8 | outcome)

    def marks(self, start: int, end: int) -> list[int]:
        """The outcomes so far."""
        return self._marks

    def checkpoint(self, index: int, data: bytes) -> bool:
        """Nothing can be killed here."""
        return True

    def end(self) -> None:
        """No budget to lift."""

    def retire(self) -> None:
        """There is no other process to go on in."""


class InlinePlugins:
    """The plugins that live in the host."""

    def __init__(
        self,
        descriptors: Sequence[PluginDescriptor],
        *,
        show_exception: Callable[[BaseException], None] | None = None,
    ) -> None:
        self._wanted = tuple(dict.fromkeys(d for d in descriptors if d.isolation == "inline"))
        self._instances: dict[PluginDescriptor, Instance] = {}
        self._programs: dict[bytes, Program] = {}
        self._manner = Manner(stop_when_late=False, fatal=_FATAL, raised=_shower(show_exception))

    def open(self) -> None:
        """Import and construct them. Raises `StartError` with every problem."""
        problems: list[str] = []
        for descriptor in self._wanted:
            try:
                instance = Instance(hook_setup(descriptor))
                instance.check()
                self._instances[descriptor] = instance
            except LoadFailed as error:
                problem = error.problem
                problems.append(f"{problem.subject} can't be used: {problem.kind} in module {problem.module}")
        if problems:
            raise StartError(tuple(problems))

    async def close(self) -> None:
        """Tell each that it ends, within its time; what it raises changes nothing."""
        for instance in reversed(self._instances.values()):
            on_close = instance.on_close
            if on_close is not None:
                with contextlib.suppress(Exception):
                    async with asyncio.timeout(LIMITS["plugin.close_timeout_ms"].default / 1000):
                        ended = on_close()
                        if inspect.isawaitable(ended):
                            await ended
        self._instances.clear()

    async def run(
        self, phase: str, segment: Segment, fields: Sequence[Any], meta: bytes, *, start: int, deadline_ns: int
    ) -> Reply:
        """Run the hooks of a segment from `start` on."""
        program = self._programs.get(segment.key) or self._compile(phase, segment)
        return await run_chain(program, fields, meta, InlineControl(start, deadline_ns), self._manner)

    def _compile(self, phase: str, segment: Segment) -> Program:
        steps = (self._instances[plugin].step(phase) for plugin in segment.plugins)
        bounded = tuple(step._replace(hook=partial(_call_within_time, step.hook)) for step in steps)
        program = Program(RULES[phase], bounded)
        self._programs[segment.key] = program
        return program


async def _call_within_time(hook: Callable[[Any, Any], Any], context: HookContext, value: Any) -> Any:
    """Call one hook with `asyncio.timeout`. A cancellation that the hook made up itself is a failure of the hook."""
    began = monotonic_ns()
    try:
        async with asyncio.timeout(context.deadline_ms / 1000) as limit:
            answer = hook(context, value)
            if type(answer) is CoroutineType:
                answer = await answer
            return answer
    except TimeoutError:
        if limit.expired() or monotonic_ns() - began > context.deadline_ms * 1_000_000:
            raise HookTimedOut from None
        raise
    except asyncio.CancelledError:
        task = asyncio.current_task()
        if task is None or task.cancelling():
            raise
        raise _MadeUpCancellation from None


class _MadeUpCancellation(Exception):
    pass


def _shower(show_exception: Callable[[BaseException], None] | None) -> Callable[[], None] | None:
    """What a chain calls while an exception is handled."""
    if show_exception is None:
        return None
    show = show_exception

    def raised() -> None:
        error = sys.exception()
        if error is not None:
            show(error)

    return raised
