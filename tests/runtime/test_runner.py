"""The runner as a program uses it: choice, start errors, sessions, concurrent runs, early ends, direct prompts."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

import adk_decl
from tests.end_to_end.project import write_project

MANIFEST = """
models:
  m:
    use: scripted
    config: {replies: [{when: {contains: fail}, error: server_error}, {text: hello}]}
agents:
  a: {model: m}
runners:
  r: {agent: a, session_store: {use: STORE}}
"""


def plan_of(folder: Path, text: str = MANIFEST, store: str = "memory") -> adk_decl.Plan:
    return adk_decl.load(write_project(folder, text.replace("STORE", store)))


async def test_a_runner_answers_and_says_under_which_plan(tmp_path: Path) -> None:
    plan = plan_of(tmp_path)
    async with adk_decl.Runner(plan) as runner:
        result = await runner.run("hi").wait()
    assert (result.status, result.text, result.plan_digest) == ("completed", "hello", plan.digest)
    assert result.resolved_digest != plan.digest


def test_an_unknown_runner_names_those_there_are(tmp_path: Path) -> None:
    with pytest.raises(adk_decl.UsageError, match="defines r"):
        adk_decl.Runner(plan_of(tmp_path), "nope")


async def test_a_closed_runner_refuses_to_run(tmp_path: Path) -> None:
    runner = adk_decl.Runner(plan_of(tmp_path))
    with pytest.raises(adk_decl.UsageError, match="not open"):
        runner.run("hi")
    async with runner:
        with pytest.raises(adk_decl.UsageError, match="open already"):
            await runner.__aenter__()
    await runner.close()


@pytest.mark.parametrize("kind", ["user_id", "session_id"])
@pytest.mark.parametrize("value", ["", "x" * 257, "a\nb"])
async def test_ids_are_bounded_and_printable(kind: str, value: str, tmp_path: Path) -> None:
    async with adk_decl.Runner(plan_of(tmp_path)) as runner:
        with pytest.raises(adk_decl.UsageError, match=kind):
            runner.run(
                "hi", user_id=value if kind == "user_id" else "u", session_id=value if kind != "user_id" else "s"
            )


async def test_a_message_over_its_bound_is_refused(tmp_path: Path) -> None:
    async with adk_decl.Runner(plan_of(tmp_path)) as runner:
        with pytest.raises(adk_decl.UsageError, match="larger than"):
            runner.run("x" * (1024 * 1024 + 1))


async def test_runs_of_different_sessions_go_on_at_once(tmp_path: Path) -> None:
    async with adk_decl.Runner(plan_of(tmp_path)) as runner:
        results = await asyncio.gather(*(runner.run("hi", session_id=f"s{i}").wait() for i in range(20)))
    assert {r.status for r in results} == {"completed"}
    assert len({r.run_id for r in results}) == 20


@pytest.mark.parametrize("store", ["memory", "sqlite"])
async def test_a_failed_run_keeps_what_was_stored_and_frees_the_session(store: str, tmp_path: Path) -> None:
    environment = {"ADK_DECL_STATE_DIR": str(tmp_path / "state")}
    async with adk_decl.Runner(plan_of(tmp_path, store=store), environment=environment) as runner:
        with pytest.raises(adk_decl.ModelError) as caught:
            await runner.run("fail", session_id="s").wait()
        assert caught.value.result is not None
        assert caught.value.result.status == "failed"
        assert (await runner.run("hi", session_id="s").wait()).status == "completed"


GATED = """
models:
  m: {use: scripted, config: {replies: [{tool_calls: [{name: wait}]}, {text: done}]}}
tools:
  wait: {use: "python:gated:wait"}
agents:
  a: {model: m, tools: [wait]}
runners:
  r: {agent: a, session_store: {use: STORE}}
"""
GATE = """
import asyncio

gate = asyncio.Event()


async def wait() -> str:
    await gate.wait()
    return "open"
"""


@pytest.mark.parametrize("store", ["memory", "sqlite"])
async def test_a_session_that_is_held_is_busy_until_its_run_ends(store: str, tmp_path: Path) -> None:
    name = f"gated_{store}"
    text = GATED.replace("STORE", store).replace("gated", name)
    plan = adk_decl.load(write_project(tmp_path, text, **{name: GATE}))
    async with adk_decl.Runner(plan, environment={"ADK_DECL_STATE_DIR": str(tmp_path)}) as runner:
        events = aiter(runner.run("hi", session_id="s"))
        await anext(events)
        with pytest.raises(adk_decl.SessionBusy) as caught:
            await runner.run("hi", session_id="s").wait()
        assert caught.value.result is not None
        assert (await _with_gate(name, runner.run("hi", session_id="other"))).text == "done"
        assert [event.author async for event in events] == ["a", "tool", "a"]
        assert (await runner.run("hi", session_id="s").wait()).status == "completed"


async def _with_gate(module: str, run: adk_decl.Run) -> adk_decl.RunResult:
    sys.modules[module].gate.set()
    return await run.wait()


async def test_the_state_folder_is_that_of_the_given_environment(tmp_path: Path) -> None:
    environment = {"ADK_DECL_STATE_DIR": str(tmp_path / "mine")}
    async with adk_decl.Runner(plan_of(tmp_path, store="sqlite"), environment=environment) as runner:
        await runner.run("hi").wait()
    assert (tmp_path / "mine" / "trial" / "sessions.db").is_file()


async def test_a_store_that_can_not_be_opened_is_a_start_error(tmp_path: Path) -> None:
    blocked = tmp_path / "blocked"
    blocked.write_text("not a folder")
    environment = {"ADK_DECL_STATE_DIR": str(blocked)}
    runner = adk_decl.Runner(plan_of(tmp_path, store="sqlite"), environment=environment)
    with pytest.raises(adk_decl.StartError, match="session_store"):
        async with runner:
            pass


async def test_wrong_settings_are_told_without_their_values(tmp_path: Path) -> None:
    runner = adk_decl.Runner(plan_of(tmp_path), environment={"ADK_DECL_WORKERS": "canary-77"})
    with pytest.raises(adk_decl.UsageError) as caught:
        async with runner:
            pass
    assert "ADK_DECL_WORKERS" in str(caught.value)
    assert "canary-77" not in str(caught.value)


async def test_leaving_the_runner_ends_its_runs(tmp_path: Path) -> None:
    text = MANIFEST.replace("{text: hello}", "{text: late, delay_ms: 60000}")
    async with adk_decl.Runner(plan_of(tmp_path, text)) as runner:
        run = runner.run("hi")
        events = aiter(run)
        await anext(events)
    with pytest.raises(adk_decl.RunError) as caught:
        await anext(events)
    assert caught.value.code == "cancelled"


async def test_a_plan_that_was_tampered_with_is_refused(tmp_path: Path) -> None:
    plan = plan_of(tmp_path)
    runner = adk_decl.Runner(plan.replace(digest="sha256:" + "0" * 64))
    with pytest.raises(adk_decl.StartError, match="digest"):
        async with runner:
            pass


def test_run_sync_raises_what_ended_the_run(tmp_path: Path) -> None:
    plan = plan_of(tmp_path)
    assert adk_decl.run_sync(plan, "r", "hi").text == "hello"
    with pytest.raises(adk_decl.ModelError):
        adk_decl.run_sync(plan, "r", "fail")


async def test_run_sync_says_what_to_do_where_a_loop_runs(tmp_path: Path) -> None:
    with pytest.raises(adk_decl.UsageError, match="instead of run_sync"):
        adk_decl.run_sync(plan_of(tmp_path), "r", "hi")


def test_a_plan_is_shown_by_name_and_digest_without_its_content(tmp_path: Path) -> None:
    plan = plan_of(tmp_path)
    assert repr(plan) == f"<Plan {plan.name} {plan.digest}>"


PROMPT = """
models:
  m: {use: scripted, config: {replies: [{text: hello}]}}
agents:
  a:
    model: m
    plugins: [{id: of-agent, use: "python:plugs:Shout", mode: intervene}]
    callbacks: {after_model: "python:plugs:note"}
plugins:
  of-runner: {use: "python:plugs:Refuse", mode: intervene}
runners:
  r: {agent: a, plugins: [of-runner]}
"""
PLUGS = """
from adk_decl.plugins import HookContext, ModelResponse, Plugin, Text, UserMessage, amend, halt


class Shout(Plugin):
    def after_model(self, ctx: HookContext, value: ModelResponse):
        return amend(content=(Text(value.text.upper()),))


class Refuse(Plugin):
    def before_run(self, ctx: HookContext, value: UserMessage):
        return halt("no")


def note(ctx: HookContext, value: ModelResponse):
    return amend(content=(Text(value.text + "!"),))
"""


async def test_a_direct_prompt_has_agent_plugins_and_callbacks_and_no_runner_plugins(tmp_path: Path) -> None:
    plan = adk_decl.load(write_project(tmp_path, PROMPT, plugs=PLUGS))
    result = await adk_decl.prompt(plan, agent="a", message="hi")
    assert result.text == "HELLO!"
    async with adk_decl.Runner(plan) as runner:
        with pytest.raises(adk_decl.PluginHalted):
            await runner.run("hi").wait()


async def test_a_prompt_for_an_unknown_agent_names_those_there_are(tmp_path: Path) -> None:
    with pytest.raises(adk_decl.UsageError, match="defines a"):
        await adk_decl.prompt(plan_of(tmp_path), agent="nope", message="hi")
