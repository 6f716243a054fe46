"""Runs hooks in this process, through the call loop, the checks and the bookkeeping that runners use.

Nothing can be killed here: a hook that never ends hangs the test, and memory is not limited. A whole conversation
(`adk_decl.testing.conversation`) runs in workers.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Coroutine, Mapping, Sequence
from inspect import isawaitable
from threading import Thread
from typing import Any, Final, TypeVar

from adk_decl.errors import PluginHalted
from adk_decl.isolation.chain_run import ChainRun
from adk_decl.isolation.inline import InlineControl
from adk_decl.isolation.segments import INLINE, Segment
from adk_decl.plan.limits import LIMITS
from adk_decl.plan.model import CodeRef, FailurePolicy, Mode, PluginDescriptor
from adk_decl.plan.phases import PHASES
from adk_decl.plan.record import FrozenMap
from adk_decl.plugins import chain
from adk_decl.plugins.context import Meta
from adk_decl.plugins.judge import RULES
from adk_decl.plugins.outcomes import Amend, Halt, Keep, Return
from adk_decl.plugins.protocol import Plugin
from adk_decl.plugins.trace import TraceEntry
from adk_decl.testing.plugin_class import checked_config, hook_for, hooks_of, plugin_class
from adk_decl.values import ToolCall, ToolResult
from adk_decl.values.payload import Payload
from adk_decl.wire import Struct, decode, encode

T = TypeVar("T")

_FACTS: Final = {
    "run_id": "run-test",
    "invocation_id": "invocation-test",
    "session_id": "session-test",
    "user_id": "user-test",
    "app_name": "app-test",
    "agent": "agent-test",
}


class ChangedInPlace(AssertionError):
    """A hook changed its value in place without amending it: in a run that reaches nobody."""


class Use(Struct, frozen=True, kw_only=True):
    """One plugin of a chain and its descriptor. `plugin` is a class, or `module:Class`; `id` defaults to its name."""

    plugin: Any
    config: Mapping[str, Any] = {}
    id: str = ""
    mode: Mode = "intervene"
    failure_policy: FailurePolicy = "open"
    timeout_ms: int = LIMITS["plugin.timeout_ms"].default
    max_result_bytes: int = LIMITS["plugin.max_result_bytes"].default


class LogRecord(Struct, frozen=True):
    """What a hook logged with `ctx.log`."""

    plugin_id: str
    level: str
    event: str
    facts: dict[str, Any]


class HookResult(Struct, frozen=True, kw_only=True):
    """How hooks ended.

    `outcome` is that of the last hook that ran: observed, amended, returned, halted, would_amend, would_return,
    would_halt, notification_result_ignored, or a failure tag. `disposition` is how the phase ended: continue, amended,
    returned, halted or failed. `value` is what the phase goes on with. `reason` is that of a halt. `raised` is what a
    failed hook raised, or why its answer was refused; a run never shows it.
    """

    outcome: str
    disposition: str
    value: Payload
    trace: tuple[TraceEntry, ...]
    logs: tuple[LogRecord, ...]
    reason: Any = None
    raised: BaseException | None = None

    @property
    def outcomes(self) -> list[str]:
        """The outcomes of all hooks that ran, in order."""
        return [entry.outcome for entry in self.trace]


def run_hook(
    plugin: type[Plugin] | str,
    phase: str,
    value: Payload,
    *,
    config: Mapping[str, Any] | None = None,
    mode: Mode = "intervene",
    meta: Mapping[str, Any] | None = None,
) -> HookResult:
    """Run the hook of one plugin for a phase. `meta` are facts of `Meta` that differ from those of the test.

    Raises `ChangedInPlace` for a hook that changes its value in place without amending, `ValueError` for a config that
    does not fit, `TypeError` for what is no plugin or has no such hook.
    """
    return run_chain([Use(plugin=plugin, config=config or {}, mode=mode)], phase, value, meta=meta)


def run_chain(
    plugins: Sequence[Use | type[Plugin] | str], phase: str, value: Payload, *, meta: Mapping[str, Any] | None = None
) -> HookResult:
    """Run several plugins over one value, in this order. Raises what `run_hook` raises."""
    if phase not in PHASES or type(value).__name__ != PHASES[phase].value:
        wanted = f"takes {PHASES[phase].value}" if phase in PHASES else "is no phase"
        raise TypeError(f"{phase} {wanted}, not {type(value).__name__}")
    uses = [each if isinstance(each, Use) else Use(plugin=each) for each in plugins]
    return _finish(_Test(uses, phase).run(value, _meta(phase, value, meta or {})))


class _Test:
    """The plugins of one test, made anew."""

    def __init__(self, uses: Sequence[Use], phase: str) -> None:
        self._phase = phase
        self._raised: BaseException | None = None
        self._changed: ChangedInPlace | None = None
        made = [self._make(use) for use in uses]
        self._descriptors = tuple(descriptor for descriptor, _ in made)
        self._steps = tuple(step for _, step in made)

    async def run(self, value: Payload, meta: Meta) -> HookResult:
        run = ChainRun(self._phase, value)
        timeouts = tuple(descriptor.timeout_ms for descriptor in self._descriptors)
        segment = Segment(INLINE, 0, self._descriptors, b"", timeouts, 0)
        program = chain.Program(RULES[self._phase], self._steps)
        manner = chain.Manner(stop_when_late=False, fatal=(KeyboardInterrupt, GeneratorExit), raised=self._keep)
        reply = await chain.run_chain(program, run.fields, encode(meta), InlineControl(0, 0), manner)
        if self._changed is not None:
            raise self._changed
        logs = tuple(LogRecord(self._descriptors[step].id, *decode(bytes(record))) for step, record in reply.logs)
        reply.logs = []
        if reply.marks:
            run.take_reply(segment, 0, reply)
        result = run.result()
        return HookResult(
            outcome=result.trace[-1].outcome if result.trace else "observed",
            disposition=result.disposition,
            value=result.value,
            trace=result.trace,
            logs=logs,
            reason=result.error.reason if isinstance(result.error, PluginHalted) else None,
            raised=self._raised,
        )

    def _make(self, use: Use) -> tuple[PluginDescriptor, chain.Step]:
        cls = plugin_class(use.plugin)
        name = use.id or cls.__name__
        config = checked_config(cls, use.config)
        descriptor = PluginDescriptor(
            id=name,
            use=f"{cls.__module__}:{cls.__qualname__}",
            code=CodeRef(module=cls.__module__, attribute=cls.__qualname__),
            domain="project",
            mode=use.mode,
            failure_policy=use.failure_policy,
            timeout_ms=use.timeout_ms,
            max_heap_mib=LIMITS["plugin.max_heap_mib"].default,
            max_result_bytes=use.max_result_bytes,
            hooks=hooks_of(cls),
            config=config,
        )
        hook = getattr(cls(config), hook_for(cls, self._phase))
        return descriptor, _step(descriptor, self._watched(name, hook), config)

    def _watched(self, name: str, hook: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
        """The hook, with a look at its value afterwards."""

        async def call(context: Any, value: Payload) -> Any:
            before = type(value).from_encoded(value.encoded_fields())
            answer = hook(context, value)
            if isawaitable(answer):
                answer = await answer
            fields = _changed_in_place(before, value, answer)
            if fields and self._changed is None:
                self._changed = ChangedInPlace(
                    f"{name}.{self._phase} changed {', '.join(fields)} of its value in place, which reaches nobody: "
                    f"return amend({fields[0]}=...)"
                )
            return answer

        return call

    def _keep(self) -> None:
        self._raised = sys.exception()


def _step(descriptor: PluginDescriptor, hook: Callable[[Any, Any], Any], config: FrozenMap[Any]) -> chain.Step:
    return chain.Step(
        hook,
        descriptor.id,
        config,
        descriptor.mode != "observe",
        descriptor.ends_on_failure,
        descriptor.timeout_ms,
        descriptor.max_heap_mib,
        descriptor.max_result_bytes,
        descriptor.timeout_ms * 1_000_000,
        descriptor.mode == "shadow",
    )


def _changed_in_place(before: Payload, value: Payload, answer: Any) -> list[str]:
    """The fields whose value is another one than at the start, and that the answer does not carry."""
    if isinstance(answer, Return | Halt) or (isinstance(answer, Amend) and answer.value is not None):
        return []
    amended = answer.fields if isinstance(answer, Amend) else {}
    carried = {name for name, given in amended.items() if not isinstance(given, Keep)}
    names = (value.fields[index] for index, now in value.read_fields() if now != getattr(before, value.fields[index]))
    return [name for name in names if name not in carried]


def _meta(phase: str, value: Payload, given: Mapping[str, Any]) -> Meta:
    facts: dict[str, Any] = {**_FACTS, "phase": phase, "level": PHASES[phase].level}
    if isinstance(value, ToolCall | ToolResult):
        facts |= {"tool": value.name, "call_id": value.call_id}
    if phase == "on_tool_error":
        facts["attempt"] = 1
    return Meta(**{**facts, **given})


def _finish(work: Coroutine[Any, Any, T]) -> T:
    """Run to the end; in a thread of its own where an event loop runs already, as in an async test."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    ended: list[T] = []
    failed: list[BaseException] = []

    def run() -> None:
        try:
            ended.append(asyncio.run(work))
        except BaseException as error:  # noqa: BLE001 - raised again in the caller's thread
            failed.append(error)

    thread = Thread(target=run, name="adk-decl-test")
    thread.start()
    thread.join()
    if failed:
        raise failed[0]
    return ended[0]
