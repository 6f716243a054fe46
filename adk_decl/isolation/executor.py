"""Runs chains of plugins: one trip for neighbours of one domain, resumed after a kill at the next hook.

Nothing runs twice: a killed trip tells which hook it was in and what the earlier ones left; the failed hook's policy
is applied and the rest goes on from the newest checkpoint on another worker.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from time import monotonic
from typing import Final

from adk_decl.isolation.chain_run import ChainRun, check_reply, decode_reply
from adk_decl.isolation.domains import by_domain
from adk_decl.isolation.inline import InlinePlugins
from adk_decl.isolation.segments import INLINE, Segment, cut
from adk_decl.isolation.trip import HANDLER, pack_request
from adk_decl.plan.limits import LIMITS
from adk_decl.plan.model import PluginDescriptor
from adk_decl.plan.phases import Phase
from adk_decl.plugins.context import Meta
from adk_decl.plugins.trace import PhaseResult
from adk_decl.values.payload import Payload
from adk_decl.wire import WireError, encode
from adk_decl.workers.errors import CallFailed, PoolClosed, StepFailed, failure_tag
from adk_decl.workers.pool import WorkerPool

_MAX_CHAINS: Final = 1024
_QUEUE_WAIT_MS: Final = LIMITS["workers.queue_wait_ms"].default


class HookExecutor:
    """Runs the chains of one runner.

    `descriptors` are all plugins and callbacks that may occur, the same that the pool's handlers were made from
    (`adk_decl.isolation.domains.handler_specs`). `pool` may be None when all are inline. `max_input_bytes` bounds
    what is sent to a plugin. `show_exception` is given what an inline hook raised, for an author who debugs it;
    nothing else ever sees it.
    """

    def __init__(
        self,
        descriptors: Sequence[PluginDescriptor],
        pool: WorkerPool | None,
        *,
        max_input_bytes: int,
        show_exception: Callable[[BaseException], None] | None = None,
    ) -> None:
        self._pool = pool
        self._max_input_bytes = max_input_bytes
        self._inline = InlinePlugins(descriptors, show_exception=show_exception)
        inline = dict.fromkeys(plugin for plugin in descriptors if plugin.isolation == "inline")
        self._places = {plugin: index for index, plugin in enumerate(inline)}
        for plugins in by_domain(descriptors).values():
            self._places |= {plugin: index for index, plugin in enumerate(plugins)}
        self._chains: dict[tuple[str, int], tuple[tuple[PluginDescriptor, ...], tuple[Segment, ...]]] = {}

    async def open(self) -> None:
        """Make the plugins that live in the host. Raises `StartError`. The pool is opened by its owner."""
        self._inline.open()

    async def close(self) -> None:
        """Close the plugins that live in the host."""
        await self._inline.close()

    async def run_chain(
        self,
        phase: Phase,
        chain: tuple[PluginDescriptor, ...],
        meta: Meta,
        value: Payload,
        *,
        deadline: float | None = None,
    ) -> PhaseResult:
        """Run a chain over a value. Failures are part of the result; only cancellation is raised.

        `deadline` (of `time.monotonic`) ends every hook that still runs and fails those that have not begun.
        """
        if not chain:
            return PhaseResult(disposition="continue", value=value)
        run = ChainRun(phase.name, value)
        facts = encode(meta)
        for segment in self._segments(phase.name, chain):
            step = 0
            while step < len(segment.plugins) and not run.ended:
                step = await self._go(run, segment, step, facts, deadline)
            if run.ended:
                break
        return run.result()

    async def _go(self, run: ChainRun, segment: Segment, step: int, facts: bytes, deadline: float | None) -> int:
        """One trip from `step` on; returns the next step to run."""
        if deadline is not None and monotonic() >= deadline:
            run.fail(segment, step, "timeout")
            return step + 1
        try:
            if segment.domain == INLINE:
                deadline_ns = 0 if deadline is None else int(deadline * 1e9)
                reply = await self._inline.run(
                    run.phase, segment, run.fields, facts, start=step, deadline_ns=deadline_ns
                )
            else:
                body = pack_request(segment.key, facts, run.fields)
                if len(body) > self._max_input_bytes:
                    run.fail(segment, step, "input_too_large")
                    return step + 1
                reply = decode_reply(await self._call(segment, step, body, deadline))
            check_reply(reply, segment, step)
            return run.take_reply(segment, step, reply)
        except WireError:
            run.fail(segment, step, "protocol_error")
            return step + 1
        except CallFailed as failure:
            return _take_failure(run, segment, step, failure)

    def _call(self, segment: Segment, step: int, body: bytes, deadline: float | None) -> Awaitable[bytes]:
        if self._pool is None:
            raise PoolClosed(segment.domain)
        return self._pool.call(
            segment.domain,
            HANDLER,
            body,
            timeouts_ms=segment.timeouts_ms,
            start=step,
            max_reply_bytes=segment.reply_bytes + len(body),
            deadline=deadline,
            wait_ms=_QUEUE_WAIT_MS,
        )

    def _segments(self, phase: str, chain: tuple[PluginDescriptor, ...]) -> tuple[Segment, ...]:
        """Chains are cut once; they are told apart by identity, since comparing plans costs more than a trip."""
        found = self._chains.get((phase, id(chain)))
        if found is not None:
            return found[1]
        if len(self._chains) >= _MAX_CHAINS:
            self._chains.clear()
        segments = cut(phase, chain, self._places)
        self._chains[phase, id(chain)] = (chain, segments)
        return segments


def _take_failure(run: ChainRun, segment: Segment, start: int, failure: CallFailed) -> int:
    """What a failed trip left, then the failure itself; returns the next step to run."""
    tag = failure_tag(failure)
    if not isinstance(failure, StepFailed) or not start <= failure.step < len(segment.plugins):
        run.fail(segment, start, tag)
        return start + 1
    data = failure.checkpoint[1] if failure.checkpoint is not None else None
    try:
        run.take_checkpoint(segment, start, data, failure.marks)
    except WireError:
        run.fail(segment, failure.step, "protocol_error")
    else:
        run.fail(segment, failure.step, tag)
    return failure.step + 1
