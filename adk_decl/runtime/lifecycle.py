"""The precedence algorithm, once for every phase.

Around each operation: the before-chain, the operation, the error-chain when it failed, the after-chain. A chain
holds runner plugins, agent plugins and the local callback in the order of the dispatch table; a short-circuit in
the before-chain skips the operation, never the after-chain.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol

from adk_decl.errors import PluginFailed, PluginHalted
from adk_decl.plan.dispatch import Chain, DispatchTable, ToolChains
from adk_decl.plan.limits import LIMITS
from adk_decl.plan.phases import PHASES, Phase
from adk_decl.plan.record import EMPTY_MAP
from adk_decl.plugins.context import Meta
from adk_decl.plugins.trace import FAILURE_TAGS, PhaseResult, TraceEntry
from adk_decl.runtime.result import PhaseRecord
from adk_decl.values.payload import Payload
from adk_decl.wire import replace

_FAILURES = frozenset(FAILURE_TAGS)
_MOST_SCREENINGS = 4
"""Guards that amend what the others have passed have so many rounds to agree."""


class ChainExecutor(Protocol):
    """Runs one chain of plugins; `adk_decl.isolation` has the real one."""

    async def run_chain(
        self,
        phase: Phase,
        chain: Chain,
        meta: Meta,
        value: Payload,
        *,
        deadline: float | None = None,
    ) -> PhaseResult:
        """Run the chain over `value`. `deadline` is monotonic seconds."""
        ...


class Around:
    """The phases around one kind of operation and how failures count there.

    `plugin_failed` turns a closed failure into an outcome; without it the failure is raised. `is_error` tells a
    failed outcome, which the error phase may mend; `after_errors` says whether one that stays a failure still
    meets the after phase. With `rescreened`, guards of the before phase see what a later plugin amended. With
    `timed`, the later phases are told how long the operation took; operations of that kind don't overlap.
    """

    __slots__ = ("after", "after_errors", "before", "error", "is_error", "plugin_failed", "rescreened", "timed")

    def __init__(
        self,
        *,
        before: str,
        after: str,
        error: str | None = None,
        is_error: Callable[[Payload], bool] = lambda outcome: False,
        plugin_failed: Callable[[PluginFailed], Payload] | None = None,
        after_errors: bool = False,
        rescreened: bool = False,
        timed: bool = False,
    ) -> None:
        self.after_errors = after_errors
        self.timed = timed
        self.rescreened = rescreened
        self.before = before
        self.after = after
        self.error = error
        self.is_error = is_error
        self.plugin_failed = plugin_failed


class Entered:
    """What the before-chain decided: the value to operate on, or the outcome that replaces the operation."""

    __slots__ = ("amended", "outcome", "value")

    def __init__(self, *, value: Payload, outcome: Payload | None, amended: bool) -> None:
        self.value = value
        self.outcome = outcome
        self.amended = amended


class Lifecycle:
    """Runs the phases of one invocation and records them."""

    __slots__ = (
        *("_deadline", "_entered_ns", "_executor", "_sink", "_started_ns", "_table", "_tool_chains"),
        *("records", "records_dropped", "warnings"),
    )

    def __init__(
        self,
        executor: ChainExecutor,
        table: DispatchTable,
        tool_chains: ToolChains = EMPTY_MAP,
        *,
        deadline: float | None,
        sink: Callable[[PhaseRecord], None] | None = None,
    ) -> None:
        self._executor = executor
        self._table = table
        self._tool_chains = tool_chains
        self._deadline = deadline
        self._sink = sink
        self._started_ns = self._entered_ns = time.perf_counter_ns()
        self.records: list[PhaseRecord] = []
        self.records_dropped = 0
        self.warnings: list[str] = []

    def may_intervene(self, phase: str) -> bool:
        """Whether a plugin in this phase may change or stop something."""
        return any(plugin.mode == "intervene" for plugin in self._table[phase])

    async def run(self, phase: str, value: Payload, meta: Meta, *, deadline: float | None = None) -> PhaseResult | None:
        """Run one phase. None when no plugin serves it, which costs nothing. Raises `PluginHalted`.

        `deadline` (monotonic seconds) replaces that of the run, for notifications after it.
        """
        chain = self._chain(phase, meta)
        return await self._run(phase, chain, value, meta, deadline) if chain else None

    def _chain(self, phase: str, meta: Meta) -> Chain:
        """The plugins of a phase; in a tool phase those that run for this tool."""
        by_tool = self._tool_chains.get(phase)
        return self._table[phase] if by_tool is None else by_tool.get(meta.tool or "", by_tool[""])

    async def _run(
        self, phase: str, chain: Chain, value: Payload, meta: Meta, deadline: float | None = None
    ) -> PhaseResult:
        started = time.perf_counter_ns()
        row = PHASES[phase]
        result = await self._executor.run_chain(
            row,
            chain,
            replace(meta, phase=phase, level=row.level),
            value,
            deadline=self._deadline if deadline is None else deadline,
        )
        self._record(phase, result, meta, (time.perf_counter_ns() - started) // 1000)
        if isinstance(result.error, PluginHalted):
            raise result.error
        return result

    async def decide(self, phase: str, value: Payload, meta: Meta) -> PhaseResult | None:
        """Run one phase of a run or an event: a closed failure is raised."""
        result = await self.run(phase, value, meta)
        if result is not None and result.error is not None:
            raise result.error
        return result

    async def notify(self, phase: str, value: Payload, meta: Meta, *, deadline: float | None = None) -> None:
        """Run a notification. Its results and failures change nothing."""
        if PHASES[phase].level == "run":
            meta = replace(meta, duration_ms=_ms_since(self._started_ns))
        await self.run(phase, value, meta, deadline=deadline)

    async def enter(self, around: Around, value: Payload, meta: Meta) -> Entered:
        """The before-chain of an operation."""
        entered = await self._enter(around, value, meta)
        if around.timed:
            self._entered_ns = time.perf_counter_ns()
        return entered

    async def _enter(self, around: Around, value: Payload, meta: Meta) -> Entered:
        result = await self.run(around.before, value, meta)
        if result is None:
            return Entered(value=value, outcome=None, amended=False)
        amended = result.disposition == "amended"
        if amended and around.rescreened:
            result = await self._screened(around.before, result, meta)
        if result.disposition == "failed":
            return Entered(value=value, outcome=_closed(around, result), amended=False)
        if result.disposition == "returned":
            return Entered(value=value, outcome=result.value, amended=False)
        return Entered(value=result.value, outcome=None, amended=amended)

    async def leave(self, around: Around, outcome: Payload, meta: Meta) -> Payload:
        """The error-chain, when the outcome is a failure, then the after-chain."""
        if around.timed:
            meta = replace(meta, duration_ms=_ms_since(self._entered_ns))
        if around.error is not None and around.is_error(outcome):
            result = await self.run(around.error, outcome, meta)
            if result is not None:
                outcome = _closed(around, result) if result.disposition == "failed" else result.value
            if around.is_error(outcome) and not around.after_errors:
                return outcome
        result = await self.run(around.after, outcome, meta)
        if result is None:
            return outcome
        return _closed(around, result) if result.disposition == "failed" else result.value

    async def _screened(self, phase: str, result: PhaseResult, meta: Meta) -> PhaseResult:
        """An amended value once every guard has seen it as it is: those that an amendment passed by run again.

        Guards may amend too. When they don't come to rest, the last one fails.
        """
        chain = self._chain(phase, meta)
        guards = [plugin for plugin in chain if plugin.guard and plugin.mode == "intervene"]
        for _ in range(_MOST_SCREENINGS):
            changed_at = _last_amendment(result)
            seen = chain[changed_at:] if changed_at is not None else guards
            unseen = tuple(guard for guard in guards if not any(guard is plugin for plugin in seen))
            if not unseen:
                return result
            chain = unseen
            result = await self._run(phase, chain, result.value, meta)
            if result.disposition not in ("amended", "continue"):
                return result
        last = chain[_last_amendment(result) or 0]
        error = PluginFailed(last.id, phase, "invalid_result")
        return PhaseResult(disposition="failed", value=result.value, trace=result.trace, error=error)

    def _record(self, phase: str, result: PhaseResult, meta: Meta, duration_us: int) -> None:
        said = (_warning(entry) for entry in result.trace if entry.outcome in _FAILURES)
        self.warnings += [text for text in (*result.warnings, *said) if text and text not in self.warnings]
        record = PhaseRecord(
            phase=phase,
            disposition=result.disposition,
            agent=meta.agent,
            tool=meta.tool,
            call_id=meta.call_id,
            duration_us=duration_us,
            entries=result.trace,
        )
        if len(self.records) < LIMITS["run.trace_records"].default:
            self.records.append(record)
        else:
            self.records_dropped += 1
        if self._sink is not None:
            self._sink(record)


def _warning(entry: TraceEntry) -> str | None:
    """What the result of a run says of a failed plugin; None where the failure is an error of its own."""
    plugin, phase, harmless = repr(entry.plugin_id), entry.hook, PHASES[entry.hook].notification
    harmless |= entry.policy == "open" or entry.mode == "shadow"
    if entry.outcome == "breaker_open":
        how = "was skipped" if harmless else "failed at once"
        return f"plugin {plugin} {how} in {phase}: its breaker is open"
    return f"plugin {plugin} failed in {phase}: {entry.outcome}; the run went on without it" if harmless else None


def _ms_since(started_ns: int) -> int:
    return (time.perf_counter_ns() - started_ns) // 1_000_000


def _last_amendment(result: PhaseResult) -> int | None:
    """The place in its chain of the plugin that amended last."""
    return max((entry.index for entry in result.trace if entry.outcome == "amended"), default=None)


def _closed(around: Around, result: PhaseResult) -> Payload:
    assert isinstance(result.error, PluginFailed)
    if around.plugin_failed is None:
        raise result.error
    return around.plugin_failed(result.error)
