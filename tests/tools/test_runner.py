"""What the runner refuses before a tool runs, and what it tells the model."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from adk_decl.errors import StartError
from adk_decl.plan.frozen_json import freeze
from adk_decl.tools.runner import ToolRunner, handler_specs
from adk_decl.tools.trip import ToolReply
from adk_decl.values import ToolCall, ToolError
from adk_decl.wire import encode
from adk_decl.workers.errors import (
    CallFailed,
    HeapExceeded,
    PoolClosed,
    ProtocolFailure,
    QueueFull,
    ReplyTooLarge,
    StepTimeout,
    WorkerDown,
)
from tests.tools.plans import FACTS, PROJECT, tool
from tests.tools.running import call, reason


class Answers:
    """A pool that answers what it is told to, and keeps what it was asked."""

    def __init__(self, answer: bytes | BaseException) -> None:
        self.answer = answer
        self.asked: list[dict[str, Any]] = []

    async def call(
        self,
        domain: str,
        handler: str,
        body: bytes,
        *,
        timeouts_ms: Sequence[int],
        start: int = 0,
        max_reply_bytes: int,
        deadline: float | None = None,
        wait_ms: int | None = None,
    ) -> bytes:
        self.asked.append({"domain": domain, "handler": handler, "timeouts_ms": timeouts_ms, "wait_ms": wait_ms})
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer


async def _runner(pool: Answers | None, *plans: Any, root: Path = PROJECT) -> ToolRunner:
    runner = ToolRunner({p.name: p for p in plans}, pool, project_root=str(root), code_roots=(".",))
    await runner.open()
    return runner


@pytest.mark.parametrize(
    ("failure", "expected"),
    [
        (StepTimeout(0), "timeout"),
        (HeapExceeded(0), "heap_exceeded"),
        (ReplyTooLarge(0), "result_too_large"),
        (ProtocolFailure(0), "protocol_error"),
        (WorkerDown(0), "worker_down"),
        (QueueFull("project"), "queue_full"),
        (PoolClosed("project"), "worker_down"),
        (CallFailed(), "worker_down"),
        (RuntimeError("canary"), "internal"),
    ],
)
async def test_each_failure_of_the_pool_is_a_result(failure: Exception, expected: str) -> None:
    tools = await _runner(Answers(failure), tool("look_up"))
    assert reason(await call(tools, "look_up", order_id=1)) == expected


@pytest.mark.parametrize(
    "reply", [b"", b"{}", b"[]", b"[null", b"[7,1]", b'["canary",1]', b"[null," + b"[" * 100_000, b"\xff"]
)
async def test_a_reply_that_is_no_answer_is_a_protocol_error(reply: bytes) -> None:
    tools = await _runner(Answers(reply), tool("look_up"))
    found = await call(tools, "look_up", order_id=1)
    assert reason(found) == "protocol_error"
    assert "canary" not in str(found.as_dict())


async def test_the_error_of_a_reply_is_that_of_the_result() -> None:
    tools = await _runner(Answers(encode(ToolReply(ToolError(reason="ValueError")))), tool("look_up"))
    assert reason(await call(tools, "look_up", order_id=1)) == "ValueError"


async def test_a_call_is_sent_with_its_bounds() -> None:
    pool = Answers(b"[null,1]")
    tools = await _runner(pool, tool("look_up", timeout_ms=1234))
    assert (await call(tools, "look_up", order_id=1, within=10)).result == 1
    (asked,) = pool.asked
    assert (asked["domain"], asked["handler"], asked["timeouts_ms"]) == ("project", "tools", (1234,))
    assert 9000 < asked["wait_ms"] <= 10_000


async def test_a_tool_that_does_not_exist_is_a_failure_of_the_call() -> None:
    tools = await _runner(None)
    assert reason(await call(tools, "canary")) == "tool_not_found"
    assert tools.check_arguments("canary", {}) == []


@pytest.mark.parametrize(
    ("args", "problems"),
    [
        ({}, [{"path": "", "keyword": "required", "expected": "must have the keys order_id"}]),
        ({"order_id": "canary"}, [{"path": "/order_id", "keyword": "type", "expected": "must be of type integer"}]),
        ({"order_id": True}, [{"path": "/order_id", "keyword": "type", "expected": "must be of type integer"}]),
        ({"order_id": 1.5}, [{"path": "/order_id", "keyword": "type", "expected": "must be of type integer"}]),
        (
            {"order_id": 1, "currency": "canary"},
            [{"path": "/currency", "keyword": "enum", "expected": 'must be one of: "EUR", "USD"'}],
        ),
        (
            {"order_id": 1, "canary": 2},
            [{"path": "", "keyword": "additionalProperties", "expected": "has a key that is not allowed"}],
        ),
    ],
)
async def test_arguments_that_do_not_fit_are_explained_without_their_values(
    args: dict[str, Any], problems: list[dict[str, str]]
) -> None:
    pool = Answers(b"[null,1]")
    tools = await _runner(pool, tool("look_up"))
    assert tools.check_arguments("look_up", args)
    found = await tools.call(ToolCall("look_up", args, "c1"), FACTS, deadline=time.monotonic() + 5)
    assert reason(found) == "invalid_arguments"
    assert found.error is not None
    assert found.error.details == {"problems": problems}
    assert pool.asked == []
    assert b"canary" not in encode(found.error)


async def test_keys_that_the_model_chose_are_not_repeated_and_problems_are_counted() -> None:
    schema = {"type": "object", "properties": {"labels": {"additionalProperties": {"type": "string"}}}}
    tools = await _runner(Answers(b"[null,1]"), tool("look_up", parameters=freeze(schema), parameters_declared=True))
    found = await call(tools, "look_up", labels={f"canary-{n}": n for n in range(14)})
    assert found.error is not None
    assert found.error.details["more"] == 4
    assert {p["path"] for p in found.error.details["problems"]} == {"/labels/*"}


class TestStart:
    async def _problems(self, *plans: Any, root: Path = PROJECT) -> tuple[str, ...]:
        with pytest.raises(StartError) as failure:
            await _runner(None, *plans, root=root)
        return failure.value.problems

    async def test_a_function_that_changed_since_the_plan_is_refused(self, tmp_path: Path) -> None:
        file = tmp_path / "mod.py"
        file.write_text("def f(a: int) -> int:\n    return a\n")
        plan = tool("f", module="mod", root=tmp_path)
        declared = plan.replace(parameters_declared=True)
        await _runner(None, plan, root=tmp_path)
        for changed, what in (
            ("def f(a: str) -> int:\n    return 1\n", "its parameters"),
            ("def f(a: int, b: int) -> int:\n    return 1\n", "its parameters"),
            ("async def f(a: int) -> int:\n    return 1\n", "async def"),
            (
                "from adk_decl.tools import ToolContext\ndef f(a: int, c: ToolContext) -> int:\n    return 1\n",
                "Context",
            ),
            ("def g(a: int) -> int:\n    return 1\n", "not defined"),
            ("class f:\n    pass\n", "a class"),
            ("def f(:\n", "syntax, line 1"),
        ):
            file.write_text(changed)
            (problem,) = await self._problems(plan, root=tmp_path)
            assert what in problem
            assert "tool `f`: python:mod:f" in problem
        file.write_text("def f(a: str) -> int:\n    return 1\n")
        await _runner(None, declared, root=tmp_path)
        file.unlink()
        (problem,) = await self._problems(plan, root=tmp_path)
        assert "code_roots" in problem

    async def test_every_problem_is_told_at_once(self) -> None:
        plans = [
            tool("never", module="shop.broken", isolation="inline", name="a"),
            tool("never", module="shop.lacking", isolation="inline", name="b"),
            tool("look_up", name="c", parameters=freeze({"type": "object"})),
            tool("look_up", name="d", parameters=freeze({"type": 7}), parameters_declared=True),
        ]
        problems = await self._problems(*plans)
        assert [problem[:8] for problem in problems] == [f"tool `{n}`" for n in "abcd"]
        assert "not_a_module_at_all" in problems[1]
        assert "canary" not in "".join(problems)


def test_only_tools_in_workers_have_handlers_grouped_by_domain() -> None:
    plans = {
        "look_up": tool("look_up"),
        "who": tool("who", config=freeze({"k": [1]})),
        "other": tool("pid", name="other", domain="domain:other"),
        "async_look_up": tool("async_look_up", isolation="inline"),
    }
    specs = handler_specs(plans, debug=True)
    assert sorted(specs) == ["domain:other", "project"]
    setups = json.loads(specs["project"].setup)
    assert [(one["name"], one["debug"], one["config"]) for one in setups] == [
        ("look_up", True, {}),
        ("who", True, {"k": [1]}),
    ]
    assert specs["project"].preload == ("shop.tools",)
