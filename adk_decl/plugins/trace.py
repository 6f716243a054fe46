"""What is recorded of a chain: one entry per plugin, without content."""

from __future__ import annotations

from typing import Literal

from adk_decl.errors import PluginFailed, PluginHalted
from adk_decl.values.payload import Payload
from adk_decl.wire import Struct

Disposition = Literal["continue", "amended", "returned", "halted", "failed"]


class TraceEntry(Struct, frozen=True):
    """What one plugin did in one phase.

    `outcome` is observed, amended, returned, halted, notification_result_ignored, for a plugin in shadow would_amend,
    would_return or would_halt, or a failure tag. `hook` is the phase, also when `on_error` served it. `duration_us` is
    the time of the hook in microseconds. `changed` are paths of the fields that a plugin in shadow would have changed.
    """

    plugin_id: str
    hook: str
    mode: str
    outcome: str
    index: int
    policy: str
    duration_us: int = 0
    changed: tuple[str, ...] = ()


class PhaseResult(Struct, frozen=True, kw_only=True):
    """How a chain ended.

    `value` is the value to go on with: the original under `continue`. `error` is set for `halted` and `failed`.
    `warnings` are sentences for the result of the run.
    """

    disposition: Disposition
    value: Payload
    trace: tuple[TraceEntry, ...] = ()
    error: PluginFailed | PluginHalted | None = None
    warnings: tuple[str, ...] = ()


FAILURE_TAGS: tuple[str, ...] = (
    "exception",
    "worker_down",
    "timeout",
    "heap_exceeded",
    "invalid_result",
    "invalid_result_type",
    "result_too_large",
    "observer_cannot_amend",
    "observer_cannot_return",
    "observer_cannot_halt",
    "input_too_large",
    "event_invariant_violation",
    "queue_full",
    "protocol_error",
    "breaker_open",
)
"""Every way in which a hook can fail. All follow the plugin's failure policy."""

OUTCOMES: tuple[str, ...] = (
    "observed",
    "amended",
    "returned",
    "halted",
    "notification_result_ignored",
    "would_amend",
    "would_return",
    "would_halt",
    *FAILURE_TAGS,
)
"""Every outcome of a trace entry. Workers tell the host the index."""

OUTCOME_CODES: dict[str, int] = {name: index for index, name in enumerate(OUTCOMES)}
"""The index of each outcome."""
