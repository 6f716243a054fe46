"""`reflect_retry`: tells a model whose tool call failed what went wrong and whether another attempt makes sense."""

from __future__ import annotations

from typing import Any

from adk_decl.plugins import HookContext, Outcome, Plugin, ToolError, ToolResult, observe, ret

DEFAULT_MAX_ATTEMPTS = 1
DEFAULT_GUIDANCE = (
    "Find out why the call failed and correct its arguments. "
    "Call the tool again only if that is safe and the call can be repeated without harm."
)

_NOT_THE_TOOL = ("plugin", "policy")
"""Components whose errors are decisions: a model must not be told to try its way around them."""

_PLUGIN_REASONS = ("plugin_failed", "invalid_plugin_amendment")
"""Errors that a plugin caused, whichever component reports them."""


class ReflectRetry(Plugin):
    """Adds guidance to the first failures of a tool in an invocation. It never runs a tool itself."""

    requires_intervene = True
    stateless = True

    def on_tool_error(self, ctx: HookContext, value: ToolResult) -> Outcome:
        """Return the failure with `adk_retry`, or observe when no attempt is left."""
        attempt = ctx.meta.attempt
        error = value.error
        if attempt is None or error is None or not self._applies(attempt, error):
            return observe()
        advice = {"adk_retry": self._advice(attempt, error)}
        # Without the arguments, which need not travel back: the host knows which call this is.
        told = ToolResult(value.name, value.call_id, duration_ms=value.duration_ms)
        if self.config.get("mask_failure", False):
            return ret(told.replace(result=advice))
        return ret(told.replace(error=_with_details(error, advice)))

    def _applies(self, attempt: int, error: ToolError) -> bool:
        if not self.config.get("enabled", True) or attempt > self._max_attempts():
            return False
        of_plugin = error.component in _NOT_THE_TOOL or error.reason in _PLUGIN_REASONS
        return not of_plugin or bool(self.config.get("include_plugin_errors", False))

    def _max_attempts(self) -> int:
        return int(self.config.get("max_attempts", DEFAULT_MAX_ATTEMPTS))

    def _advice(self, attempt: int, error: ToolError) -> dict[str, Any]:
        return {
            "retryable": True,
            "attempt": attempt,
            "max_attempts": self._max_attempts(),
            "guidance": self.config.get("guidance", DEFAULT_GUIDANCE),
            "error": {
                "component": error.component,
                "operation": error.operation,
                "class": error.error_class,
                "reason": error.reason,
            },
        }


def _with_details(error: ToolError, advice: dict[str, Any]) -> ToolError:
    return ToolError(
        reason=error.reason,
        component=error.component,
        operation=error.operation,
        error_class=error.error_class,
        details={**error.details, **advice},
    )
