"""`logging`: what happens in a run, in facts: sizes, names, numbers and durations, never content."""

from __future__ import annotations

import re
from typing import Any

from adk_decl.plugins import (
    Content,
    Event,
    Failure,
    HookContext,
    ModelRequest,
    ModelResponse,
    Plugin,
    ToolCall,
    ToolCallPart,
    ToolResult,
    UserMessage,
)

DEFAULT_LOG_LEVEL = "info"

_FACT_BYTES = 64
"""Each fact is cut to this length, so that one long id does not push a record over the limit of log records."""

_SYMBOL = re.compile(r"[A-Za-z_][A-Za-z0-9_.]{0,63}\Z")


class Logging(Plugin):
    """One record for each thing that happens; failures are warnings."""

    stateless = True

    def on_user_message(self, ctx: HookContext, value: UserMessage) -> None:
        """The size of what the user said."""
        self._tell(ctx, "user_message", parts=len(value.parts), characters=len(value.text))

    def before_run(self, ctx: HookContext, value: UserMessage) -> None:
        """The run begins."""
        self._tell(ctx, "run_started", user_id=ctx.meta.user_id, session_id=ctx.meta.session_id)

    def after_run(self, ctx: HookContext, value: Content) -> None:
        """The run succeeded."""
        self._tell(ctx, "run_ended", ok=True, duration_ms=ctx.meta.duration_ms, characters=len(value.text))

    def on_run_error(self, ctx: HookContext, value: Failure) -> None:
        """The run failed."""
        self._warn(ctx, "run_ended", ok=False, duration_ms=ctx.meta.duration_ms, **_failure(value))

    def on_event(self, ctx: HookContext, value: Event) -> None:
        """An event is about to be stored and delivered."""
        calls = sum(isinstance(part, ToolCallPart) for part in value.content)
        self._tell(
            ctx,
            "event",
            id=value.id,
            author=value.author,
            partial=value.partial,
            final=value.is_final,
            tool_calls=calls,
            characters=len(value.text),
        )

    def before_model(self, ctx: HookContext, value: ModelRequest) -> None:
        """A model is about to be called."""
        facts = {"messages": len(value.messages), "tools": len(value.tools), "stream": value.stream}
        self._tell(ctx, "model_call_started", model=ctx.meta.model, **facts)

    def after_model(self, ctx: HookContext, value: ModelResponse) -> None:
        """A model answered."""
        self._tell(
            ctx,
            "model_call_ended",
            ok=True,
            model=ctx.meta.model,
            duration_ms=ctx.meta.duration_ms,
            finish_reason=value.finish_reason,
            tool_calls=len(value.tool_calls),
            characters=len(value.text),
            input_tokens=value.usage.input_tokens,
            output_tokens=value.usage.output_tokens,
            cached_tokens=value.usage.cached_tokens,
        )

    def on_model_error(self, ctx: HookContext, value: Failure) -> None:
        """A model call failed."""
        model, duration_ms = ctx.meta.model, ctx.meta.duration_ms
        self._warn(ctx, "model_call_ended", ok=False, model=model, duration_ms=duration_ms, **_failure(value))

    def before_tool(self, ctx: HookContext, value: ToolCall) -> None:
        """A tool is about to be called."""
        self._tell(ctx, "tool_call_started", tool=value.name, call_id=value.call_id, arguments=len(value.args))

    def after_tool(self, ctx: HookContext, value: ToolResult) -> None:
        """A tool call ended; a failure that was mended counts as none."""
        facts: dict[str, Any] = {"tool": value.name, "call_id": value.call_id, "duration_ms": value.duration_ms}
        error = value.error
        if error is None:
            self._tell(ctx, "tool_call_ended", ok=True, **facts)
        else:
            facts |= {"component": _symbol(error.component), "reason": _symbol(error.reason)}
            self._warn(ctx, "tool_call_ended", ok=False, error_class=error.error_class, **facts)

    def on_agent_error(self, ctx: HookContext, value: Failure) -> None:
        """The turn of an agent failed."""
        self._warn(ctx, "agent_failed", **_failure(value))

    def _tell(self, ctx: HookContext, event: str, **facts: Any) -> None:
        self._log(ctx, self.config.get("log_level", DEFAULT_LOG_LEVEL), event, facts)

    def _warn(self, ctx: HookContext, event: str, **facts: Any) -> None:
        self._log(ctx, "warning", event, facts)

    def _log(self, ctx: HookContext, level: str, event: str, facts: dict[str, Any]) -> None:
        meta = ctx.meta
        where = {"run_id": meta.run_id, "agent": meta.agent, "plugin_id": ctx.plugin_id}
        cut = {name: _cut(fact) for name, fact in (where | facts).items() if fact is not None}
        getattr(ctx.log, level)(event, **cut)


def _failure(value: Failure) -> dict[str, Any]:
    facts = {"component": value.component, "operation": value.operation, "reason": value.reason}
    symbols = {name: _symbol(fact) for name, fact in facts.items()}
    return {"error_class": value.error_class, "status": value.status, **symbols}


def _symbol(text: str) -> str:
    """A reason is a code or the name of a class; what has any other form could be content."""
    return text if _SYMBOL.match(text) else "other"


def _cut(fact: Any) -> Any:
    return fact.encode()[:_FACT_BYTES].decode(errors="ignore") if isinstance(fact, str) else fact
