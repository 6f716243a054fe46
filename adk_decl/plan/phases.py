"""The phase table: every hook there is, its value, and what a plugin may do in it.

The chain, the compiler, the documentation, the schema's list of hooks and the tests all read this table.
"""

from __future__ import annotations

from typing import Literal

from adk_decl.plan.record import FrozenMap, Record

Direction = Literal["before", "event", "after"]
Level = Literal["run", "agent", "model", "tool", "event"]


class Phase(Record):
    """One hook.

    `value` and `returns` name the payload types of `adk_decl.values` that the hook sees and may return;
    `amendable` lists the fields that `amend(field=...)` may set. Under `plugin_order: priority` phases of
    direction `before` and `event` run ascending, those of direction `after` in exactly the reverse order.
    A notification can't change anything: whatever it returns is ignored. `local` says whether an agent may
    have a local callback of this name.
    """

    name: str
    level: Level
    direction: Direction
    value: str
    amendable: tuple[str, ...] = ()
    returns: str | None = None
    notification: bool = False
    local: bool = False
    summary: str


_TABLE = (
    Phase(
        name="on_user_message",
        level="run",
        direction="before",
        value="UserMessage",
        amendable=("parts",),
        returns="Content",
        summary="the message of the user, before anything is stored",
    ),
    Phase(
        name="before_run",
        level="run",
        direction="before",
        value="UserMessage",
        amendable=("parts",),
        returns="Content",
        summary="the effective message, before it is stored",
    ),
    Phase(
        name="on_event",
        level="event",
        direction="event",
        value="Event",
        amendable=("content",),
        returns="Event",
        summary="each event, before it is stored and delivered",
    ),
    Phase(
        name="before_agent",
        level="agent",
        direction="before",
        value="UserMessage",
        amendable=("parts",),
        returns="Content",
        local=True,
        summary="the message an agent is about to work on",
    ),
    Phase(
        name="before_model",
        level="model",
        direction="before",
        value="ModelRequest",
        amendable=("instruction", "messages", "tools", "generation", "output_schema"),
        returns="ModelResponse",
        local=True,
        summary="the request, before each model call",
    ),
    Phase(
        name="after_model",
        level="model",
        direction="after",
        value="ModelResponse",
        amendable=("content", "tool_calls", "finish_reason"),
        returns="ModelResponse",
        local=True,
        summary="the response of the model, before it becomes an event",
    ),
    Phase(
        name="on_model_error",
        level="model",
        direction="after",
        value="Failure",
        amendable=("reason", "status"),
        returns="ModelResponse",
        local=True,
        summary="a model call that failed",
    ),
    Phase(
        name="before_tool",
        level="tool",
        direction="before",
        value="ToolCall",
        amendable=("args",),
        returns="ToolResult",
        local=True,
        summary="a tool call that was admitted, before the tool runs",
    ),
    Phase(
        name="after_tool",
        level="tool",
        direction="after",
        value="ToolResult",
        amendable=("result", "error"),
        returns="ToolResult",
        local=True,
        summary="the outcome of a tool call",
    ),
    Phase(
        name="on_tool_error",
        level="tool",
        direction="after",
        value="ToolResult",
        amendable=("result", "error"),
        returns="ToolResult",
        local=True,
        summary="a tool call that failed",
    ),
    Phase(
        name="after_agent",
        level="agent",
        direction="after",
        value="Content",
        amendable=("parts",),
        returns="Content",
        local=True,
        summary="the final content of an agent, before the final event",
    ),
    Phase(
        name="after_run",
        level="run",
        direction="after",
        value="Content",
        notification=True,
        summary="a run that succeeded",
    ),
    Phase(
        name="on_agent_error",
        level="agent",
        direction="after",
        value="Failure",
        notification=True,
        summary="an agent turn that failed",
    ),
    Phase(
        name="on_run_error",
        level="run",
        direction="after",
        value="Failure",
        notification=True,
        summary="a run that failed, was cancelled or timed out",
    ),
    Phase(
        name="on_error",
        level="run",
        direction="after",
        value="Failure",
        notification=True,
        summary="fallback for plugins that define neither on_agent_error nor on_run_error",
    ),
)

PHASES: FrozenMap[Phase] = FrozenMap({phase.name: phase for phase in _TABLE})
"""All phases by name, in the order in which a run meets them."""

FALLBACK_PHASES: FrozenMap[str] = FrozenMap({"on_agent_error": "on_error", "on_run_error": "on_error"})
"""Phases that a plugin without that hook serves with another one; the trace names the phase."""

LOCAL_PHASES: tuple[str, ...] = tuple(phase.name for phase in _TABLE if phase.local)
"""Phases that an agent's `callbacks` may name."""

RUST_HOOK_NAMES: FrozenMap[str] = FrozenMap(
    {
        "before_tool_call": "before_tool",
        "after_tool_call": "after_tool",
        "before_model_call": "before_model",
        "after_model_call": "after_model",
    }
)
"""Hook names of the Rust plugin crate, with ours."""
