"""`tool_guard`: which tools may be called, with which arguments, on which paths."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from adk_decl.plugins import HookContext, Outcome, Plugin, ToolCall, observe, ret, tool_error
from adk_decl.plugins.patterns import compile_safe, longest_text
from adk_decl.plugins.prune import is_hidden
from plugins_builtin.paths import path_problem

ALLOWED_TOOLS, DENIED_TOOLS = "allow_tools", "deny_tools"


class ToolGuard(Plugin):
    """Denies a call with an error that names the guard's rule, and nothing of the call.

    The runner asks again when a later plugin amended the arguments.
    """

    requires_intervene = True
    stateless = True

    def __init__(self, config: Any) -> None:
        """Compile the rules. Raises `ValueError` for rules that could never see what they are about."""
        super().__init__(config)
        self._rules: list[_PatternRule | _PathRule] = [_PatternRule(row) for row in config.get("denied_patterns", ())]
        self._rules += [_PathRule(row) for row in config.get("paths", ())]
        self._allowed = config.get(ALLOWED_TOOLS)
        self._denied = config.get(DENIED_TOOLS, ())
        if self._allowed is None and not (self._denied or self._rules):
            raise ValueError("no rule")

    def before_tool(self, ctx: HookContext, value: ToolCall) -> Outcome:
        """Return `denied_by_guard`, or observe."""
        found = self._denial(value)
        if found is None:
            return observe()
        rule, reason = found
        ctx.log.warning("tool_call_denied", guard=rule, reason=reason)
        return ret(tool_error("denied_by_guard", details={"guard": rule}))

    def _denial(self, call: ToolCall) -> tuple[str, str] | None:
        """The rule that denies a call, and why."""
        if call.name in self._denied:
            return DENIED_TOOLS, "denied_tool"
        if self._allowed is not None and call.name not in self._allowed:
            return ALLOWED_TOOLS, "tool_not_allowed"
        for rule in self._rules:
            reason = rule.denial(call)
            if reason is not None:
                return rule.name, reason
        return None


class _PatternRule:
    """Denies arguments whose compact JSON has a match."""

    def __init__(self, row: Mapping[str, Any]) -> None:
        self.name: str = row["name"]
        self._tools = row.get("tools")
        self._search = compile_safe(row["pattern"])
        self._longest = longest_text(row["pattern"])

    def denial(self, call: ToolCall) -> str | None:
        if self._tools is not None and call.name not in self._tools:
            return None
        text = json.dumps(call.args, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
        if len(text) > self._longest:  # what can't be searched in time is not let through
            return "arguments_too_long"
        return "denied_pattern" if self._search(text) else None


class _PathRule:
    """Denies arguments that are no path under one of the roots."""

    def __init__(self, row: Mapping[str, Any]) -> None:
        self.name: str = row["name"]
        self._tools = row.get("tools")
        self._args: tuple[str, ...] = tuple(row["args"])
        self._roots: tuple[str, ...] = tuple(row["roots"])
        if any(is_hidden(name) for name in self._args):
            raise ValueError("an argument that plugins don't see")

    def denial(self, call: ToolCall) -> str | None:
        if self._tools is not None and call.name not in self._tools:
            return None
        given = (call.args[name] for name in self._args if name in call.args)
        return next((problem for value in given if (problem := path_problem(value, self._roots))), None)
