"""Switches plugins off that keep failing: a breaker opens after some failures within a window, and says so.

While it is open a plugin under `open` is skipped, and one under `closed` fails at once. Neither is for ever: after the
cooldown one call is let through, whose outcome closes the breaker or opens it anew. Breakers belong to a runner and
are shared by its runs.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Final, Literal, NamedTuple

from adk_decl.errors import PluginFailed
from adk_decl.isolation.executor import HookExecutor
from adk_decl.plan.model import Breaker, PluginDescriptor
from adk_decl.plan.phases import Phase
from adk_decl.plugins.context import Meta
from adk_decl.plugins.trace import FAILURE_TAGS, PhaseResult, TraceEntry
from adk_decl.values.payload import Payload
from adk_decl.wire import replace

BREAKER_OPEN: Final = "breaker_open"

Chain = tuple[PluginDescriptor, ...]
Ticket = Literal["call", "probe", "refused"]
_FAILURES: Final = frozenset(FAILURE_TAGS)
_MAX_CHAINS: Final = 1024


class BreakerState:
    """What one plugin's breaker knows. Times are monotonic seconds; it holds at most `failures` of them."""

    __slots__ = ("_failed_at", "_opened_at", "_probing", "rule")

    def __init__(self, rule: Breaker) -> None:
        self.rule = rule
        self._failed_at: deque[float] = deque(maxlen=rule.failures)
        self._opened_at: float | None = None
        self._probing = False

    def ticket(self, now: float) -> Ticket:
        """Whether a call may be made. A `probe` has to be noted or released."""
        if self._opened_at is None:
            return "call"
        if self._probing or (now - self._opened_at) * 1000 < self.rule.cooldown_ms:
            return "refused"
        self._probing = True
        return "probe"

    def note(self, ticket: Ticket, now: float, *, failed: bool) -> bool:
        """Count how a call ended; True when that opened the breaker. Calls from before it opened change nothing."""
        if ticket == "probe":
            self._probing = False
            self._opened_at = now if failed else None
            self._failed_at.clear()
            return failed
        if self._opened_at is not None or not failed:
            return False
        self._failed_at.append(now)
        full = len(self._failed_at) == self.rule.failures
        if not full or (now - self._failed_at[0]) * 1000 > self.rule.window_ms:
            return False
        self._opened_at = now
        return True

    def release(self, ticket: Ticket) -> None:
        """The call was not made, or nobody knows how it ended: the next one may probe."""
        if ticket == "probe":
            self._probing = False


class _Admission(NamedTuple):
    """Which plugins of a chain are called: their positions and tickets, and the positions of those that are not."""

    kept: tuple[int, ...]
    tickets: dict[int, Ticket]
    refused: tuple[int, ...]
    stop: int | None


class BreakerExecutor:
    """Runs chains like the executor below it, without the plugins whose breaker is open."""

    def __init__(
        self, executor: HookExecutor, descriptors: Sequence[PluginDescriptor], *, monotonic: Callable[[], float]
    ) -> None:
        self._executor = executor
        self._monotonic = monotonic
        self._states = {each.id: BreakerState(each.breaker) for each in descriptors if each.breaker is not None}
        self._shortened: dict[tuple[int, tuple[int, ...]], tuple[Chain, Chain]] = {}

    async def run_chain(
        self,
        phase: Phase,
        chain: Chain,
        meta: Meta,
        value: Payload,
        *,
        deadline: float | None = None,
    ) -> PhaseResult:
        """Run a chain over a value, as `HookExecutor.run_chain` does."""
        if not self._states or not any(plugin.breaker is not None for plugin in chain):
            return await self._executor.run_chain(phase, chain, meta, value, deadline=deadline)
        admission = self._admit(phase, chain)
        tickets = admission.tickets
        try:
            result = await self._executor.run_chain(
                phase, self._shorten(chain, admission.kept), meta, value, deadline=deadline
            )
            trace = tuple(replace(entry, index=admission.kept[entry.index]) for entry in result.trace)
            warnings = self._note(chain, trace, tickets, deadline)
        finally:
            for index, ticket in tickets.items():
                self._states[chain[index].id].release(ticket)
        return _settled(phase, chain, value, result, (*trace, *_refusals(phase, chain, admission)), admission, warnings)

    def _admit(self, phase: Phase, chain: Chain) -> _Admission:
        kept: list[int] = []
        refused: list[int] = []
        tickets: dict[int, Ticket] = {}
        now = self._monotonic()
        for index, plugin in enumerate(chain):
            state = self._states.get(plugin.id)
            ticket = state.ticket(now) if state is not None else "call"
            if ticket == "refused":
                refused.append(index)
                if plugin.ends_on_failure and not phase.notification:
                    return _Admission(tuple(kept), tickets, tuple(refused), index)
                continue
            kept.append(index)
            if state is not None:
                tickets[index] = ticket
        return _Admission(tuple(kept), tickets, tuple(refused), None)

    def _shorten(self, chain: Chain, kept: tuple[int, ...]) -> Chain:
        """The chain without some plugins: the same object each time, by which the executor knows chains."""
        if len(kept) == len(chain):
            return chain
        known = self._shortened.get((id(chain), kept))
        if known is None:
            if len(self._shortened) >= _MAX_CHAINS:
                self._shortened.clear()
            known = self._shortened[id(chain), kept] = (chain, tuple(chain[index] for index in kept))
        return known[1]

    def _note(
        self, chain: Chain, trace: Sequence[TraceEntry], tickets: dict[int, Ticket], deadline: float | None
    ) -> tuple[str, ...]:
        """Count the outcomes; returns what has to be said of breakers that opened."""
        now = self._monotonic()
        out_of_time = deadline is not None and now >= deadline
        said: list[str] = []
        for entry in trace:
            ticket = tickets.get(entry.index)
            if ticket is None or (out_of_time and entry.outcome == "timeout"):
                continue  # A run without time left says nothing about its plugins.
            del tickets[entry.index]
            state = self._states[chain[entry.index].id]
            if state.note(ticket, now, failed=entry.outcome in _FAILURES):
                said.append(_opened(entry.plugin_id, state.rule, again=ticket == "probe"))
        return tuple(said)


def _refusals(phase: Phase, chain: Chain, admission: _Admission) -> list[TraceEntry]:
    return [
        TraceEntry(chain[i].id, phase.name, chain[i].mode, BREAKER_OPEN, i, chain[i].failure_policy)
        for i in admission.refused
    ]


def _settled(
    phase: Phase,
    chain: Chain,
    value: Payload,
    result: PhaseResult,
    entries: Sequence[TraceEntry],
    admission: _Admission,
    warnings: tuple[str, ...],
) -> PhaseResult:
    """How the whole chain ended. What stands after the plugin that ended it was not skipped, it had no turn."""
    if result.disposition in ("continue", "amended"):
        trace = tuple(sorted(entries, key=lambda entry: entry.index))
        if admission.stop is None:
            return replace(result, trace=trace, warnings=warnings)
        error = PluginFailed(chain[admission.stop].id, phase.name, BREAKER_OPEN)
        return PhaseResult(disposition="failed", value=value, trace=trace, error=error, warnings=warnings)
    last = max(entry.index for entry in entries if entry.outcome != BREAKER_OPEN)
    reached = (entry for entry in entries if entry.index <= last)
    return replace(result, trace=tuple(sorted(reached, key=lambda entry: entry.index)), warnings=warnings)


def _opened(plugin_id: str, rule: Breaker, *, again: bool) -> str:
    why = "opened again" if again else f"opened after {rule.failures} failures within {rule.window_ms} ms"
    return f"plugin {plugin_id!r} is switched off: its breaker {why}; it is tried again after {rule.cooldown_ms} ms"
