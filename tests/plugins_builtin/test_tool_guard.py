"""`tool_guard`: scenarios 94 and 139 as far as the plugin has a part in them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from adk_decl.plugins import Observe, Return, ToolCall, ToolResult
from plugins_builtin.tool_guard import ToolGuard
from tests.plugins_builtin.hook_calls import build, context

CANARY = "canary-7731"


def denied(args: dict[str, Any], tool: str = "shell", **config: Any) -> str | None:
    """The rule that a call is denied by."""
    plugin = build(ToolGuard, **config)
    assert isinstance(plugin, ToolGuard)
    ctx = context()
    outcome = plugin.before_tool(ctx, ToolCall(tool, args, "c1"))
    if isinstance(outcome, Observe):
        assert ctx.log.records == []
        return None
    assert isinstance(outcome, Return)
    result: ToolResult = outcome.value
    assert result.error is not None
    assert (result.error.reason, result.error.component, set(result.error.details)) == (
        "denied_by_guard",
        "plugin",
        {"guard"},
    )
    assert CANARY not in str(ctx.log.records) + result.to_json().decode()
    rule: str = result.error.details["guard"]
    return rule


def pattern(regex: str, **more: Any) -> dict[str, Any]:
    return {"denied_patterns": [{"name": "no-rm", "pattern": regex, **more}]}


@pytest.mark.parametrize(
    ("args", "config", "rule"),
    [
        ({"cmd": f"rm -rf /{CANARY}"}, pattern("rm -rf"), "no-rm"),
        ({"cmd": "ls"}, pattern("rm -rf"), None),
        ({"deep": [{"cmd": "rm -rf"}]}, pattern("rm -rf"), "no-rm"),
        ({"rm -rf": 1}, pattern("rm -rf"), "no-rm"),
        ({"b": 2, "a": 1}, pattern('^{"a":1,"b":2}$'), "no-rm"),
        ({"a": "é"}, pattern("é"), "no-rm"),
        ({"a": None, "b": True}, pattern('"a":null,"b":true'), "no-rm"),
        ({"cmd": "rm -rf"}, pattern("rm -rf", tools=["other"]), None),
        ({"cmd": "rm -rf"}, pattern("rm -rf", tools=["other", "shell"]), "no-rm"),
        ({}, {"allow_tools": ["shell"]}, None),
        ({}, {"allow_tools": ["other"]}, "allow_tools"),
        ({}, {"allow_tools": []}, "allow_tools"),
        ({}, {"allow_tools": ["Shell"]}, "allow_tools"),
        ({}, {"deny_tools": ["shell"]}, "deny_tools"),
        ({}, {"deny_tools": ["shell"], "allow_tools": ["shell"]}, "deny_tools"),
        ({}, {"deny_tools": ["other"]}, None),
    ],
)
def test_rules(args: dict[str, Any], config: dict[str, Any], rule: str | None) -> None:
    assert denied(args, **config) == rule


def test_the_first_rule_that_denies_counts() -> None:
    rules = [{"name": name, "pattern": "x"} for name in ("first", "second")]
    assert denied({"a": "x"}, denied_patterns=rules) == "first"


@pytest.mark.parametrize("regex", ["rm", "rm +-rf", "(?:a|b)?c+d+"])
def test_what_is_too_long_to_be_searched_is_denied(regex: str) -> None:
    assert denied({"a": "x" * 5_000_000}, **pattern(regex)) == "no-rm"
    assert denied({"a": "x" * 100}, **pattern(regex)) is None


def test_paths(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    rule = {"name": "only-in", "args": ["path", "to"], "roots": [str(tmp_path / "in")]}
    inside, outside = str(tmp_path / "in" / "x"), str(tmp_path / "out" / CANARY)
    assert denied({"path": inside}, paths=[rule]) is None
    assert denied({"path": inside, "to": inside}, paths=[rule]) is None
    assert denied({"path": inside, "to": outside}, paths=[rule]) == "only-in"
    assert denied({"path": [inside]}, paths=[rule]) == "only-in"
    assert denied({"path": None}, paths=[rule]) == "only-in"
    assert denied({"other": outside}, paths=[rule]) is None
    assert denied({}, paths=[rule]) is None
    assert denied({"path": outside}, paths=[rule | {"tools": ["read"]}]) is None
    assert denied({"path": outside}, tool="read", paths=[rule | {"tools": ["read"]}]) == "only-in"


@pytest.mark.parametrize(
    "config",
    [
        {},
        {"deny_tools": []},
        {"paths": [{"name": "r", "args": ["file_handle"], "roots": ["/"]}]},
        {"paths": [{"name": "r", "args": ["secret_path"], "roots": ["/"]}]},
    ],
)
def test_rules_that_could_never_see_anything_are_refused_at_the_start(config: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"no rule|don.t see"):
        build(ToolGuard, **config)


def test_the_log_says_why_and_nothing_of_the_call() -> None:
    plugin = build(ToolGuard, **pattern("rm"))
    ctx = context()
    plugin.before_tool(ctx, ToolCall("shell", {"cmd": f"rm {CANARY}"}))  # type: ignore[attr-defined]
    assert ctx.log.records == [["warning", "tool_call_denied", {"guard": "no-rm", "reason": "denied_pattern"}]]
