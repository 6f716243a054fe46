"""The handler that runs chains of plugins inside a worker. `prepare` is what the pool calls after the fork."""

from __future__ import annotations

import contextlib
import inspect
import traceback
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, NamedTuple

from adk_decl.isolation.instances import Instance, LoadFailed, is_async
from adk_decl.isolation.trip import DomainSetup, parse_key, unpack_request
from adk_decl.plan.limits import LIMITS
from adk_decl.plugins.chain import Manner, Program, Reply, run_chain
from adk_decl.plugins.judge import RULES
from adk_decl.wire import decoder, encode
from adk_decl.workers.spec import PrepareFailed, Problem, StepControl

if TYPE_CHECKING:
    import asyncio

_GRACE_SECONDS = LIMITS["plugin.cancel_grace_ms"].default / 1000


def prepare(setup: bytes) -> HookHandler:
    """Import and construct every plugin of the domain. Raises `PrepareFailed` with every one that can't be."""
    decoded = _decode_setup(setup)
    instances: list[Instance] = []
    problems: list[Problem] = []
    for plugin in decoded.plugins:
        try:
            instance = Instance(plugin)
            instance.check()
            instances.append(instance)
        except LoadFailed as error:
            problems.append(error.problem)
            if decoded.debug:
                traceback.print_exc()
    if problems:
        raise PrepareFailed(problems)
    if any(instance.is_async for instance in instances):
        _new_loop().close()
    return HookHandler(instances, debug=decoded.debug)


class _Compiled(NamedTuple):
    program: Program
    any_async: bool


class HookHandler:
    """Runs one chain per call; chains are looked up by their key and compiled when first met."""

    __slots__ = ("_async", "_chains", "_instances", "_loop", "_sync")

    def __init__(self, instances: list[Instance], *, debug: bool) -> None:
        self._instances = instances
        self._chains: dict[bytes, _Compiled] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        raised = traceback.print_exc if debug else None
        self._sync = Manner(stop_when_late=True, finish=self._loop_run, raised=raised)
        self._async = Manner(stop_when_late=True, raised=raised)

    def __call__(self, body: bytes, steps: StepControl) -> bytes:
        """Run the chain that the request names from `steps.start` on; the reply is a `Reply` as JSON."""
        key, meta, fields = unpack_request(body)
        program, any_async = self._chains.get(key) or self._compile(key)
        if any_async:
            reply = self._loop_run(run_chain(program, fields, meta, steps, self._async))
        else:
            reply = _run_to_end(run_chain(program, fields, meta, steps, self._sync))
        if self._loop is not None and not _ended_tasks(self._loop):
            steps.retire()
        return encode(reply)

    def close(self) -> None:
        """Tell every plugin that its worker ends; what a plugin raises then changes nothing."""
        for instance in reversed(self._instances):
            on_close = instance.on_close
            if on_close is not None:
                with contextlib.suppress(Exception):
                    ended = on_close()
                    if inspect.iscoroutine(ended):
                        self._loop_run(ended)
        if self._loop is not None:
            self._loop.close()

    def _compile(self, key: bytes) -> _Compiled:
        phase, plugins = parse_key(key)
        steps = tuple(self._instances[index].step(phase) for index in plugins)
        compiled = _Compiled(Program(RULES[phase], steps), any(is_async(step) for step in steps))
        self._chains[key] = compiled
        return compiled

    def _loop_run(self, work: Coroutine[Any, Any, Any]) -> Any:
        """One loop for the life of the worker, entered once a trip."""
        if self._loop is None:
            self._loop = _new_loop()
        return self._loop.run_until_complete(work)


def _new_loop() -> asyncio.AbstractEventLoop:
    """asyncio takes as long to import as all else, so a worker without async hooks does without it."""
    import asyncio

    return asyncio.new_event_loop()


def _ended_tasks(loop: asyncio.AbstractEventLoop) -> bool:
    """Cancel the tasks that hooks left behind, so that they take no part in the next call. False when one goes on."""
    import asyncio

    left = asyncio.all_tasks(loop)
    if not left:
        return True
    for task in left:
        task.cancel()
    _, alive = loop.run_until_complete(asyncio.wait(left, timeout=_GRACE_SECONDS))
    return not alive


def _run_to_end(run: Coroutine[Any, Any, Reply]) -> Reply:
    """Drive a chain in which nothing waits: it ends in one step, without an event loop."""
    try:
        run.send(None)
    except StopIteration as end:
        reply: Reply = end.value
        return reply
    raise RuntimeError("a chain without async hooks waited")


_decode_setup: Callable[[bytes], DomainSetup] = decoder(DomainSetup)
