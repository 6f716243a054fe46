"""What the trace of a plugin in shadow tells: paths, never values, never names that somebody made up."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adk_decl.plan.limits import LIMITS
from adk_decl.plugins import Content, Message, ModelRequest, Text, ToolCall, ToolResult, amend, halt, keep, ret
from adk_decl.plugins.changed_paths import are_paths, changed_paths
from adk_decl.plugins.judge import RULES, Current, judge
from adk_decl.values.payload import Payload

REQUEST = ModelRequest(
    model="m",
    instruction="own",
    messages=(Message(role="user", parts=(Text("a"),), id="1"), Message(role="user", parts=(Text("b"),), id="2")),
)
CALL = ToolCall("refund", {"amount": 3, "note": {"deep": 1}, "a b": 1}, "c1")


def _paths(phase: str, value: Payload, answer: Any) -> list[str]:
    rules, current = RULES[phase], Current([bytes(field) for field in value.encoded_fields()])
    change = judge(answer, rules, current, 1 << 20)
    assert change is not None
    return changed_paths(change, rules, current)


@pytest.mark.parametrize(
    ("phase", "value", "answer", "paths"),
    [
        ("before_tool", CALL, amend(args={**CALL.args, "amount": 4}), ["args.amount"]),
        ("before_tool", CALL, amend(args=CALL.args), []),
        ("before_tool", CALL, amend(args={**CALL.args, "note": {"deep": 2}}), ["args.note"]),
        ("before_tool", CALL, amend(args={**CALL.args, "secret@x.org": 1}), ["args.*"]),
        ("before_tool", CALL, amend(args={"amount": 3, "note": {"deep": 1}}), ["args.*"]),
        ("before_tool", CALL, amend(args={}), ["args.amount", "args.note", "args.*"]),
        ("before_tool", CALL, halt("no"), []),
        ("before_tool", CALL, ret(ToolResult("refund", result=1)), []),
        ("before_model", REQUEST, amend(instruction="other", tools=()), ["instruction"]),
        ("before_model", REQUEST, amend(messages=keep(["1", "2"])), []),
        ("before_model", REQUEST, amend(messages=keep(["2"])), ["messages"]),
        ("after_agent", Content((Text("a"),)), ret(Content((Text("b"),))), ["parts"]),
        ("after_tool", ToolResult("refund", result={"mail": 1}), amend(result={"mail": 2}), ["result"]),
    ],
)
def test_what_a_change_would_touch(phase: str, value: Payload, answer: Any, paths: list[str]) -> None:
    assert _paths(phase, value, answer) == paths


def test_paths_are_bounded() -> None:
    call = ToolCall("t", {f"x{number}": 1 for number in range(100)}, "c")
    paths = _paths("before_tool", call, amend(args={"y": 1}))
    assert len(paths) == LIMITS["plugin.changed_paths"].default
    assert paths[-1] == "args.*"


@given(st.dictionaries(st.text(max_size=80), st.integers()), st.dictionaries(st.text(max_size=80), st.integers()))
def test_every_path_is_one_that_the_host_takes(before: dict[str, int], after: dict[str, int]) -> None:
    call = ToolCall("t", before, "c")
    paths = _paths("before_tool", call, amend(args=after))
    assert are_paths(paths, ToolCall)
    assert bool(paths) == (before != after)


@pytest.mark.parametrize(
    "path", ["", "arg", "args.", "args.a b", "args.a.b", "args.\n", "args." + 65 * "x", "args.é", "name..", "CANARY"]
)
def test_what_is_no_path(path: str) -> None:
    assert not are_paths([path], ToolCall)
    assert not are_paths(["args"] * 33, ToolCall)
