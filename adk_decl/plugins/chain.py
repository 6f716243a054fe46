"""The one call loop over the plugins of a phase.

It knows neither processes nor event loops: `invoke` calls a hook, `control` is told where the chain is. The worker
side and the inline executor run the same loop. Each hook gets a fresh value over the encoded fields, so a change in
place reaches nobody; what a hook amends is encoded at once, and that is what later hooks and the host see.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import monotonic_ns
from types import CoroutineType
from typing import Any, Final, NamedTuple, Protocol

from adk_decl.plan.frozen_json import FrozenJson
from adk_decl.plan.record import FrozenMap
from adk_decl.plugins.changed_paths import changed_paths
from adk_decl.plugins.context import HookContext
from adk_decl.plugins.judge import AMEND, HALT, RETURN, Change, Current, Refused, Rules, judge
from adk_decl.plugins.message_list import MessageList
from adk_decl.plugins.trace import OUTCOME_CODES
from adk_decl.values.phase_values import ModelRequest
from adk_decl.wire import Raw, Struct, encode, field

CONTINUE, RETURNED, HALTED, FAILED = 0, 1, 2, 3

_OBSERVED: Final = OUTCOME_CODES["observed"]
_IGNORED: Final = OUTCOME_CODES["notification_result_ignored"]
_TIMEOUT: Final = OUTCOME_CODES["timeout"]
_HEAP: Final = OUTCOME_CODES["heap_exceeded"]
_EXCEPTION: Final = OUTCOME_CODES["exception"]
_EVENT_VIOLATION: Final = OUTCOME_CODES["event_invariant_violation"]
_DONE: Final = {AMEND: OUTCOME_CODES["amended"], RETURN: OUTCOME_CODES["returned"], HALT: OUTCOME_CODES["halted"]}
_WOULD: Final = {kind: OUTCOME_CODES[f"would_{kind}"] for kind in (AMEND, RETURN, HALT)}
_SHADOWED: Final = frozenset(_WOULD.values())
_FORBIDDEN: Final = {kind: OUTCOME_CODES[f"observer_cannot_{kind}"] for kind in (AMEND, RETURN, HALT)}
_AMENDED: Final = OUTCOME_CODES["amended"]
_FINAL: Final = {OUTCOME_CODES["returned"]: RETURNED, OUTCOME_CODES["halted"]: HALTED}
_FIRST_FAILURE: Final = OUTCOME_CODES["exception"]
_MESSAGES: Final = ModelRequest.fields.index("messages")
_NS_PER_MS: Final = 1_000_000


class HookTimedOut(Exception):
    """Raised by an `invoke` that enforces the time of a hook itself."""


class Step(NamedTuple):
    """One hook of a chain and its limits. `hook` takes a `HookContext` and a payload.

    In shadow (which `intervenes` too) what it changes is told by its paths and not applied.
    """

    hook: Callable[[Any, Any], Any]
    plugin_id: str
    config: FrozenMap[FrozenJson]
    intervenes: bool
    closed: bool
    timeout_ms: int
    heap_mib: int
    max_result_bytes: int
    timeout_ns: int
    shadow: bool = False


class Program(NamedTuple):
    """A chain as it is run: the rules of its phase, and its steps."""

    rules: Rules
    steps: tuple[Step, ...]


class Control(Protocol):
    """Where a chain is, for whoever has to stop it; the part of `StepControl` that a chain uses, and its marks."""

    @property
    def start(self) -> int: ...

    @property
    def deadline_ns(self) -> int: ...

    def begin(self, index: int, *, heap_mib: int, now_ns: int = 0) -> None: ...

    def mark(self, index: int, outcome: int, duration_us: int = 0) -> None: ...

    def marks(self, start: int, end: int) -> list[int]: ...

    def checkpoint(self, index: int, data: bytes) -> bool: ...

    def end(self) -> None: ...

    def retire(self) -> None: ...


class Manner(NamedTuple):
    """How coroutines and failures of hooks are treated.

    `finish` runs the coroutine of a hook to its end; without it the chain awaits it. `fatal` are the exceptions that
    end the run instead of failing a hook. `raised` is called while an exception of a hook is handled. With
    `stop_when_late` a hook that took too long ends the run: somebody may be about to kill it.
    """

    stop_when_late: bool
    finish: Callable[[Any], Any] | None = None
    fatal: tuple[type[BaseException], ...] = (GeneratorExit,)
    raised: Callable[[], None] | None = None


class Kept(Struct, array_like=True):
    """What a chain has achieved so far: changed fields as JSON by index (messages as a delta), and log records.

    `shadowed` are pairs of a step in shadow and the paths that it would have changed.
    """

    patch: dict[int, Raw]
    logs: list[tuple[int, Raw]]
    shadowed: list[tuple[int, list[str]]] = field(default_factory=list)


class Reply(Struct, array_like=True, omit_defaults=True):
    """How a run of a chain ended. `next` is the first step that did not run.

    `marks` has for each step its outcome and the microseconds it took (`us << 8 | outcome`). `value` are all fields
    of a returned value, or the one reason of a halt. `logs` are pairs of a step and the JSON of
    `[level, event, facts]`. `shadowed` is that of `Kept`.
    """

    next: int
    marks: list[int]
    disposition: int = CONTINUE
    patch: dict[int, Raw] = field(default_factory=dict)
    logs: list[tuple[int, Raw]] = field(default_factory=list)
    value: list[Raw] = field(default_factory=list)
    shadowed: list[tuple[int, list[str]]] = field(default_factory=list)


async def run_chain(program: Program, fields: Sequence[Any], meta: bytes, control: Control, manner: Manner) -> Reply:
    """Run the steps from `control.start` on over a value of these encoded fields, until one of them ends the phase."""
    rules, steps = program
    fresh, begin, mark, deadline_ns = rules.value_type.from_encoded, control.begin, control.mark, control.deadline_ns
    achieved: Achieved | None = None
    now = monotonic_ns()
    index = -1
    for index in range(control.start, len(steps)):
        hook, plugin_id, config, intervenes, _, timeout_ms, heap_mib, _, timeout_ns, shadow = steps[index]
        left_ms = min(timeout_ms, (deadline_ns - now) // _NS_PER_MS) if deadline_ns else timeout_ms
        context = HookContext(plugin_id, config, left_ms, None, meta)
        begin(index, heap_mib=heap_mib, now_ns=now)
        code, change = _OBSERVED, None
        try:
            answer = hook(context, fresh(fields))
            if answer is not None:
                if type(answer) is CoroutineType:
                    answer = await answer if manner.finish is None else manner.finish(answer)
                achieved = achieved or Achieved(program, fields, control, manner)
                change = achieved.judge(index, answer)
        except manner.fatal:
            raise
        except BaseException as error:  # noqa: BLE001 - foreign code: whatever it raises fails the hook
            code = _failure(error, control, manner)
        finished = monotonic_ns()
        elapsed = finished - now
        now = finished
        late = elapsed > timeout_ns
        if change is not None or late:
            code = _settle(code, change, rules, intervenes=intervenes, shadow=shadow, late=late)
        mark(index, code, elapsed // 1000)
        if code != _OBSERVED or context.logged is not None:
            achieved = achieved or Achieved(program, fields, control, manner)
            if not achieved.go_on(index, code, change, context):
                break
            fields = achieved.fields
    marks = control.marks(control.start, index + 1)
    return Reply(index + 1, marks) if achieved is None else achieved.reply(index + 1, marks)


class Achieved:
    """What a run has changed and logged, once there is anything."""

    __slots__ = (
        *("_change", "_control", "_current", "_disposition", "_logs", "_manner", "_origin", "_patch", "_program"),
        "_shadowed",
    )

    def __init__(self, program: Program, fields: Sequence[Any], control: Control, manner: Manner) -> None:
        self._program = program
        self._control = control
        self._manner = manner
        self._current = Current(fields)
        self._patch: dict[int, Raw] = {}
        self._logs: list[tuple[int, Raw]] = []
        self._shadowed: list[tuple[int, list[str]]] = []
        self._origin: MessageList | None = None
        self._disposition = CONTINUE
        self._change: Change | None = None

    @property
    def fields(self) -> list[Any]:
        """The encoded fields as the next hook sees them."""
        return self._current.fields

    def judge(self, index: int, answer: Any) -> Change | None:
        """What the answer of a step changes. Raises `Refused`."""
        self._current.step = index
        return judge(answer, self._program.rules, self._current, self._program.steps[index].max_result_bytes)

    def go_on(self, index: int, code: int, change: Change | None, context: HookContext) -> bool:
        """Take over what a step changed and logged. False when the run ends with it."""
        rules, steps = self._program
        self._logs.extend((index, Raw(record)) for record in context.encoded_log())
        if code == _TIMEOUT and self._manner.stop_when_late:
            return False
        if code >= _FIRST_FAILURE and steps[index].closed and not rules.notification:
            self._disposition = FAILED
            return False
        if code in _FINAL:
            self._change, self._disposition = change, _FINAL[code]
            return False
        if code == _AMENDED and change is not None:
            self._amend(change)
        if code in _SHADOWED and change is not None:
            self._shadowed.append((index, changed_paths(change, rules, self._current)))
        if index + 1 == len(steps) or not (code == _AMENDED or code in _SHADOWED or context.logged is not None):
            return True
        return self._control.checkpoint(index, encode(Kept(self._patch, self._logs, self._shadowed)))

    def reply(self, following: int, marks: list[int]) -> Reply:
        """The answer to the host. It may be large, so no step's budget is in force any more."""
        self._control.end()
        value: list[Raw] = []
        if self._change is not None and self._disposition == RETURNED:
            value = [Raw(self._change.fields[index]) for index in sorted(self._change.fields)]
        elif self._change is not None:
            value = [Raw(self._change.reason)]
        return Reply(following, marks, self._disposition, self._patch, self._logs, value, self._shadowed)

    def _amend(self, change: Change) -> None:
        if change.messages is not None and self._origin is None:
            self._origin = self._current.messages
        self._current.apply(change)
        for index, data in change.fields.items():
            self._patch[index] = Raw(data)
        if change.messages is not None:
            assert self._origin is not None
            self._patch[_MESSAGES] = Raw(change.messages.delta(self._origin))


def _failure(error: BaseException, control: Control, manner: Manner) -> int:
    if isinstance(error, HookTimedOut):
        return _TIMEOUT
    if isinstance(error, MemoryError):
        control.end()
        control.retire()
        return _HEAP
    if manner.raised is not None:
        manner.raised()
    return OUTCOME_CODES[error.tag] if isinstance(error, Refused) else _EXCEPTION


def _settle(code: int, change: Change | None, rules: Rules, *, intervenes: bool, shadow: bool, late: bool) -> int:
    """The outcome once deadline and mode have been looked at; an earlier failure stands."""
    if code != _OBSERVED:
        return code
    if late:
        return _TIMEOUT
    assert change is not None
    if rules.notification:
        return _IGNORED
    if not intervenes:
        return _FORBIDDEN[change.kind]
    if change.breaks_event:
        return _EVENT_VIOLATION
    return _WOULD[change.kind] if shadow else _DONE[change.kind]
