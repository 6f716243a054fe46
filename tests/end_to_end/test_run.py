"""`adk-decl run` as its users run it: answers, sessions, faults, signals, and nothing left behind."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from tests.end_to_end.command import QUICKSTART, Command, run
from tests.end_to_end.project import one_plugin, one_tool, write_project

QUESTION = "Where is order 1042?"
DEADLINE_SLACK_SECONDS = 0.05


def test_the_quickstart_answers_with_what_the_tool_found_and_the_plugin_changed() -> None:
    outcome = run("run", QUICKSTART, "--message", QUESTION)
    assert outcome.code == 0, outcome.err
    assert outcome.out == "Order 1042 is out for delivery in Lisbon. We wrote to m***@example.com.\n"
    assert "tool lookup_order: ok" in outcome.err
    assert "plugin mask-emails: amended in after_model" in outcome.err
    assert outcome.left == []


def test_json_shows_each_event_and_each_plugin_trace() -> None:
    outcome = run("run", QUICKSTART, "--message", QUESTION, "--json")
    assert outcome.code == 0, outcome.err
    authors = [event["author"] for event in outcome.of_type("event")]
    assert authors == ["user", "support", "tool", "support"]
    seen = {entry["plugin_id"] for trace in outcome.of_type("plugin_trace") for entry in trace["entries"]}
    assert seen == {"house-style", "recent-messages", "mask-emails", "audit"}
    result = outcome.lines[-1]
    assert (result["type"], result["status"], result["tool_calls"]) == ("result", "completed", 1)
    assert result["plan_digest"].startswith("sha256:")


def test_a_second_message_in_the_same_session_sees_the_first(tmp_path: Path) -> None:
    env = {"ADK_DECL_STATE_DIR": str(tmp_path)}
    first = run("run", QUICKSTART, "--message", QUESTION, "--session", "s1", env=env)
    assert first.code == 0, first.err
    second = run("run", QUICKSTART, "--message", "And when does it arrive?", "--session", "s1", env=env)
    assert "which you asked about before" in second.out
    alone = run("run", QUICKSTART, "--message", "And when does it arrive?", env=env)
    assert alone.out == "Which order do you mean?\n"
    assert (tmp_path / "quickstart" / "sessions.db").is_file()


def test_a_new_session_is_named_so_that_it_can_go_on() -> None:
    outcome = run("run", QUICKSTART, "--message", QUESTION)
    assert outcome.err.startswith("session session-")


def test_a_session_in_memory_is_not_named_and_says_that_it_ends(tmp_path: Path) -> None:
    manifest, code = one_plugin("pass")
    path = write_project(tmp_path, manifest, bad=code)
    assert run("run", path, "--message", "hi").err == ""
    assert "note: this session ends with the command" in run("run", path, "--message", "hi", "--session", "s").err


FAULTS = {
    "loops": ("while True: pass", "timeout"),
    "regular_expression": ("re.match(r'(a+)+$', 'a' * 40 + 'b')", "timeout"),
    "eats_all_memory": ("x = []\nwhile True: x.append(bytes(1000000))", "heap_exceeded"),
    "exits": ("os._exit(3)", "worker_down"),
    "ten_megabytes": ("return ret(text_response('x' * 10_000_000))", "result_too_large"),
    "raises": ("raise ValueError('canary-9f2c')", "exception"),
}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("policy", ["open", "closed"])
def test_a_bad_hook_ends_the_run_as_its_policy_says(fault: str, policy: str, tmp_path: Path) -> None:
    body, tag = FAULTS[fault]
    manifest, code = one_plugin(body, policy=policy)
    outcome = run("run", write_project(tmp_path, manifest, bad=code), "--message", "hi", "--json")
    trace = next(t for t in outcome.of_type("plugin_trace") if t["phase"] == "before_model")
    assert [entry["outcome"] for entry in trace["entries"]] == [tag]
    assert trace["duration_us"] / 1e6 <= 0.3 + DEADLINE_SLACK_SECONDS
    assert "canary-9f2c" not in outcome.out + outcome.err
    assert outcome.left == []
    result = outcome.lines[-1]
    if policy == "open":
        assert (outcome.code, result["text"]) == (0, "the answer")
        assert result["warnings"] == [f"plugin 'bad' failed in before_model: {tag}; the run went on without it"]
        assert f"warning: {result['warnings'][0]}\n" in outcome.err
    else:
        assert outcome.code == 1
        assert result["error"] == {"code": "plugin_failed", "plugin_id": "bad", "hook": "before_model", "failure": tag}


def test_an_open_failure_is_loud_on_stderr(tmp_path: Path) -> None:
    manifest, code = one_plugin("raise ValueError", policy="open")
    outcome = run("run", write_project(tmp_path, manifest, bad=code), "--message", "hi")
    assert outcome.out == "the answer\n"
    assert "warning: plugin 'bad' failed in before_model: exception" in outcome.err


def test_a_halt_is_exit_2(tmp_path: Path) -> None:
    manifest, code = one_plugin("return halt({'why': 'no'})", phase="before_run")
    outcome = run("run", write_project(tmp_path, manifest, bad=code), "--message", "hi")
    assert (outcome.code, outcome.out) == (2, "")
    assert "error[plugin_halted]" in outcome.err


def test_debug_shows_the_traceback_of_a_hook_locally_and_only_then(tmp_path: Path) -> None:
    manifest, code = one_plugin("raise ValueError('canary-9f2c')", policy="open")
    path = write_project(tmp_path, manifest, bad=code)
    state = tmp_path / "state"
    outcome = run(
        "run", path, "--message", "hi", "--json", env={"ADK_DECL_DEBUG": "1", "ADK_DECL_STATE_DIR": str(state)}
    )
    assert "canary-9f2c" in outcome.err
    assert "canary-9f2c" not in outcome.out
    logs = [f.read_text() for f in state.rglob("*.log")]
    assert any("canary-9f2c" in log for log in logs)


def test_a_debug_log_that_can_not_be_written_is_said(tmp_path: Path) -> None:
    manifest, code = one_plugin("return None", policy="open")
    path = write_project(tmp_path, manifest, bad=code)
    (tmp_path / "file").write_text("")
    outcome = run(
        "run", path, "--message", "hi", env={"ADK_DECL_DEBUG": "1", "ADK_DECL_STATE_DIR": str(tmp_path / "file")}
    )
    assert outcome.code == 1
    assert "can't be written (ENOTDIR): set ADK_DECL_STATE_DIR" in outcome.err


def test_a_tool_that_raises_or_hangs_is_told_to_the_model_and_the_run_goes_on(tmp_path: Path) -> None:
    code = """
    def raises() -> str:
        raise ValueError("canary-9f2c")

    def hangs() -> str:
        while True:
            pass
    """
    for function, reason in (("raises", "ValueError"), ("hangs", "timeout")):
        path = write_project(
            tmp_path, one_tool(f"tools_of_trial:{function}", extra="timeout_ms: 300"), tools_of_trial=code
        )
        outcome = run("run", path, "--message", "hi")
        assert (outcome.code, outcome.out) == (0, "success: false\n"), outcome.err
        assert f"tool work: failed ({reason})" in outcome.err
        assert "canary" not in outcome.err
        assert outcome.left == []


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize("isolation", ["worker", "inline"])
def test_a_signal_ends_a_hanging_tool_within_a_second(number: int, code: int, isolation: str, tmp_path: Path) -> None:
    started = tmp_path / "started"
    tool = f"""
    import re

    def work() -> str:
        open({str(started)!r}, "w").close()
        while True:
            pass
    """
    path = write_project(tmp_path, one_tool("slow:work", extra=f"isolation: {isolation}"), slow=tool)
    command = Command("run", path, "--message", "hi")
    command.wait_for(started)
    command.send(number)
    outcome = command.outcome()
    assert outcome.code == code, outcome.err
    assert outcome.seconds < 1
    assert outcome.left == []
    assert "Traceback" not in outcome.err


def test_a_signal_ends_a_regular_expression_in_a_worker(tmp_path: Path) -> None:
    started = tmp_path / "started"
    tool = f"""
    import re

    def work() -> str:
        open({str(started)!r}, "w").close()
        re.match(r"(a+)+$", "a" * 60 + "b")
        return "never"
    """
    path = write_project(tmp_path, one_tool("slow:work"), slow=tool)
    command = Command("run", path, "--message", "hi")
    command.wait_for(started)
    command.send(signal.SIGINT)
    outcome = command.outcome()
    assert (outcome.code, outcome.left) == (130, [])
    assert outcome.seconds < 1


def test_a_tool_that_swallows_its_cancellation_does_not_keep_the_command_from_ending(tmp_path: Path) -> None:
    tool = """
    import asyncio

    async def work() -> str:
        while True:
            try:
                await asyncio.sleep(3600)
            except asyncio.CancelledError:
                pass
    """
    path = write_project(tmp_path, one_tool("stubborn:work", extra="timeout_ms: 100"), stubborn=tool)
    outcome = Command("run", path, "--message", "hi").outcome(seconds=20)
    assert (outcome.code, outcome.out, outcome.left) == (0, "success: false\n", [])
    assert "Traceback" not in outcome.err
    assert "destroyed" not in outcome.err


def test_a_killed_host_leaves_no_process(tmp_path: Path) -> None:
    started = tmp_path / "started"
    tool = f"""
    def work() -> str:
        open({str(started)!r}, "w").close()
        while True:
            pass
    """
    path = write_project(tmp_path, one_tool("slow:work"), slow=tool)
    command = Command("run", path, "--message", "hi")
    command.wait_for(started)
    command.send(signal.SIGKILL)
    assert command.outcome().left == []


def test_a_second_run_on_a_busy_session_is_refused(tmp_path: Path) -> None:
    started, goes_on = tmp_path / "started", tmp_path / "goes_on"
    os.mkfifo(goes_on)
    tool = f"""
    def work() -> str:
        open({str(started)!r}, "w").close()
        return open({str(goes_on)!r}).read()
    """
    manifest = one_tool("slow:work").replace("use: memory", f"use: sqlite, path: {str(tmp_path / 's.db')!r}")
    path = write_project(tmp_path, manifest, slow=tool)
    first = Command("run", path, "--message", "hi", "--session", "s")
    first.wait_for(started)
    second = run("run", path, "--message", "hi", "--session", "s")
    assert second.code == 1
    assert "error[session_busy]" in second.err
    goes_on.write_text("done")
    assert first.outcome().out == "success: true\n"


def test_what_is_missing_at_the_start_is_told_all_at_once(tmp_path: Path) -> None:
    manifest = """
    models:
      m: {use: openai_chat, model: "${env:TRIAL_MODEL}", api_key: {secret: {env: TRIAL_KEY}}}
    agents: {a: {model: m}}
    runners: {r: {agent: a}}
    """
    outcome = run("run", write_project(tmp_path, manifest), "--message", "hi")
    assert outcome.code == 1
    assert "TRIAL_MODEL is not set" in outcome.err
    assert "TRIAL_KEY is not set" in outcome.err
    assert "Traceback" not in outcome.err


def test_code_that_can_not_be_imported_is_a_start_error(tmp_path: Path) -> None:
    manifest, code = one_plugin("pass")
    path = write_project(tmp_path, manifest, bad="raise RuntimeError('canary-9f2c')\n" + code)
    outcome = run("run", path, "--message", "hi")
    assert outcome.code == 1
    assert "error" in outcome.err
    assert "'bad'" in outcome.err
    assert "canary" not in outcome.err
    assert "Traceback" not in outcome.err
    assert outcome.left == []


def test_a_manifest_with_mistakes_shows_them_and_runs_nothing(tmp_path: Path) -> None:
    manifest, code = one_plugin("pass")
    path = write_project(tmp_path, manifest.replace("timeout_ms", "timeout_msec"), bad=code)
    outcome = run("run", path, "--message", "hi")
    assert (outcome.code, outcome.out) == (1, "")
    assert "ADK110" in outcome.err


def test_stream_prints_the_answer_once() -> None:
    outcome = run("run", QUICKSTART, "--message", QUESTION, "--stream")
    assert outcome.out == "Order 1042 is out for delivery in Lisbon. We wrote to m***@example.com.\n"
