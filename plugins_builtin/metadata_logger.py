"""`metadata_logger`: one log record a hook, with facts about the run and never its content."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from adk_decl.plugins import (
    Content,
    Event,
    Failure,
    HookContext,
    Meta,
    ModelRequest,
    ModelResponse,
    Plugin,
    ToolCall,
    ToolResult,
    UserMessage,
)

DEFAULT_ID = "metadata-logger"
DEFAULT_LOG_LEVEL = "none"

_META_FACTS = (
    "run_id",
    "invocation_id",
    "session_id",
    "app_name",
    "user_id",
    "agent",
    "model",
    "level",
    "tool",
    "call_id",
)

_FACT_BYTES = 48
"""Each fact is cut to this length, so that one long id does not push the record over the limit of a log record."""


class MetadataLogger(Plugin):
    """Logs that a hook was reached: `count` is always 1, `value_type` is the name of the payload's type."""

    stateless = True

    def on_user_message(self, ctx: HookContext, value: UserMessage) -> None:
        """Record what the user said, before anything is stored."""
        self._record(ctx, value)

    def before_run(self, ctx: HookContext, value: UserMessage) -> None:
        """Record what the user said, before it is stored."""
        self._record(ctx, value)

    def on_event(self, ctx: HookContext, value: Event) -> None:
        """Record an event, before it is stored."""
        self._record(ctx, value)

    def before_agent(self, ctx: HookContext, value: UserMessage) -> None:
        """Record what an agent is about to work on."""
        self._record(ctx, value)

    def before_model(self, ctx: HookContext, value: ModelRequest) -> None:
        """Record a request, before it is sent."""
        self._record(ctx, value)

    def after_model(self, ctx: HookContext, value: ModelResponse) -> None:
        """Record a response."""
        self._record(ctx, value)

    def on_model_error(self, ctx: HookContext, value: Failure) -> None:
        """Record a failed model call."""
        self._record(ctx, value)

    def before_tool(self, ctx: HookContext, value: ToolCall) -> None:
        """Record a tool call, before it runs."""
        self._record(ctx, value)

    def after_tool(self, ctx: HookContext, value: ToolResult) -> None:
        """Record the outcome of a tool call."""
        self._record(ctx, value)

    def on_tool_error(self, ctx: HookContext, value: ToolResult) -> None:
        """Record a failed tool call."""
        self._record(ctx, value)

    def after_agent(self, ctx: HookContext, value: Content) -> None:
        """Record the final content of an agent."""
        self._record(ctx, value)

    def after_run(self, ctx: HookContext, value: Content) -> None:
        """Record a run that succeeded."""
        self._record(ctx, value)

    def on_agent_error(self, ctx: HookContext, value: Failure) -> None:
        """Record an agent turn that failed."""
        self._record(ctx, value)

    def on_run_error(self, ctx: HookContext, value: Failure) -> None:
        """Record a run that failed."""
        self._record(ctx, value)

    def _record(self, ctx: HookContext, value: object) -> None:
        level = self.config.get("log_level", DEFAULT_LOG_LEVEL)
        if level == "none":
            return
        log = getattr(ctx.log, level)
        log(
            "hook",
            count=1,
            id=_cut(self.config.get("id", DEFAULT_ID)),
            hook=ctx.meta.phase,
            plugin_id=_cut(ctx.plugin_id),
            value_type=type(value).__name__,
            **dict(_present(ctx.meta)),
        )


def _present(meta: Meta) -> Iterator[tuple[str, Any]]:
    for name in _META_FACTS:
        fact = getattr(meta, name)
        if fact is not None:
            yield name, _cut(fact)


def _cut(text: str) -> str:
    return text.encode()[:_FACT_BYTES].decode(errors="ignore")
