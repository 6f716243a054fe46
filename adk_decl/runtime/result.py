"""What a run leaves behind."""

from __future__ import annotations

from typing import Any, Literal

from adk_decl.plugins.trace import TraceEntry
from adk_decl.values.content import Usage
from adk_decl.wire import Struct

Status = Literal["completed", "failed", "halted", "timeout"]


class PhaseRecord(Struct, frozen=True, kw_only=True):
    """One phase that ran: how it ended and what each plugin did, without content. `duration_us` is microseconds."""

    phase: str
    disposition: str
    agent: str
    tool: str | None = None
    call_id: str | None = None
    duration_us: int
    entries: tuple[TraceEntry, ...]


class RunResult(Struct, frozen=True, kw_only=True):
    """The outcome of a run.

    `output` is the final text, or the decoded JSON where the agent has an `output_schema`; None without a final
    answer. `text` is the final text. `warnings` are sentences: each plugin failure that `failure_policy: open` let
    pass, and limits that this system can't enforce. `traces` are all phases that had a plugin, up to
    `run.trace_records`; `traces_dropped` counts the rest. `plan_digest` names the plan, `resolved_digest` also what
    the environment gave it (secrets excepted).
    """

    status: Status
    output: Any
    text: str | None
    error: dict[str, Any] | None
    usage: Usage
    model_calls: int
    tool_calls: int
    warnings: tuple[str, ...]
    traces: tuple[PhaseRecord, ...]
    traces_dropped: int
    run_id: str
    invocation_id: str
    session_id: str
    user_id: str
    plan_digest: str
    resolved_digest: str
    duration_ms: int
