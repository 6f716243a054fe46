"""The guards and the redactor in real runs: compiled, in workers, with stored sessions. A canary leaves nowhere."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import adk_decl
from adk_decl.errors import RunError
from adk_decl.plan.model import SessionStorePlan
from adk_decl.runtime.result import RunResult
from adk_decl.sessions.build import build_store
from adk_decl.sessions.protocol import SessionKey
from adk_decl.values import Event, ToolResultPart

CANARY = "kim.canary@example.org"

CODE = '''
from adk_decl.plugins import Plugin, amend


def read_file(path: str, note: str = "") -> str:
    """Reads a file."""
    return "read " + path


def who(name: str) -> dict:
    """Tells about somebody."""
    return {"mail": "kim.canary@example.org", "password": "kim.canary@example.org", "plan": "basic"}


class Rewriter(Plugin):
    """Makes another call of every call."""

    def before_tool(self, ctx, value):
        return amend(args={**value.args, **self.config["args"]})
'''


class Ran(NamedTuple):
    """What a run left."""

    result: RunResult
    events: list[Event]
    stored: list[Event]
    error: RunError | None
    logs: str

    @property
    def bodies(self) -> list[dict[str, Any]]:
        """What the model was told of tool calls."""
        return [part.body for event in self.stored for part in event.content if isinstance(part, ToolResultPart)]

    def outcomes(self, phase: str) -> list[list[str]]:
        """The outcomes of each time that a phase ran."""
        return [[entry.outcome for entry in record.entries] for record in self.result.traces if record.phase == phase]

    def told(self) -> str:
        """All that leaves the run."""
        events = [event.to_json().decode() for event in [*self.events, *self.stored]]
        error = f"{self.error} {self.error.to_dict()}" if self.error else ""
        return "\n".join([repr(self.result), error, self.logs, *events])


@pytest.fixture
def run(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> Any:
    """Runs plugins over a scripted conversation."""
    caplog.set_level(logging.DEBUG, logger="adk_decl")

    async def go(
        *plugins: dict[str, Any], replies: list[dict[str, Any]], message: str = "hi", stream: bool = False
    ) -> Ran:
        (tmp_path / "pyproject.toml").touch()
        (tmp_path / "project_code.py").write_text(CODE, encoding="utf-8")
        path = tmp_path / "run.adk.yaml"
        path.write_text(json.dumps(_manifest(plugins, replies)), encoding="utf-8")
        plan = adk_decl.load(str(path))
        events: list[Event] = []
        error: RunError | None = None
        async with adk_decl.Runner(plan, "desk") as runner:
            running = runner.run(message, user_id="u", session_id="s", stream=stream)
            try:
                async for event in running:
                    events.append(event)  # noqa: PERF401 - what came before an error counts
            except RunError as caught:
                error = caught
        logs = "\n".join(f"{record.getMessage()} {record.__dict__}" for record in caplog.records)
        return Ran(running.result, events, await _stored(tmp_path), error, logs)

    return go


def _manifest(plugins: tuple[dict[str, Any], ...], replies: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "apiVersion": "adk-decl/v1",
        "kind": "Manifest",
        "name": "guards",
        "models": {"script": {"use": "scripted", "config": {"replies": replies}}},
        "tools": {name: {"use": f"python:project_code:{name}"} for name in ("read_file", "who")},
        "agents": {"support": {"model": "script", "tools": ["read_file", "who"]}},
        "runners": {
            "desk": {
                "agent": "support",
                "plugins": [{"mode": "intervene", "id": f"p{n}", **plugin} for n, plugin in enumerate(plugins)],
                "session_store": {"use": "sqlite", "path": "sessions.db"},
            }
        },
    }


async def _stored(folder: Path) -> list[Event]:
    path = str(folder / "sessions.db")
    store = build_store(SessionStorePlan(use="sqlite", path=path), default_path=path)
    await store.open()
    try:
        return list(await store.events(SessionKey("guards", "u", "s")))
    finally:
        await store.close()


def calls(tool: str, **args: Any) -> list[dict[str, Any]]:
    """The model calls a tool once and is done."""
    return [{"tool_calls": [{"name": tool, "args": args}]}, {"text": "done"}]


def guard(root: Path) -> dict[str, Any]:
    return {"use": "tool_guard", "config": {"paths": [{"name": "data", "args": ["path"], "roots": [str(root)]}]}}


async def test_tool_guard_lets_pass_and_denies(run: Any, tmp_path: Path) -> None:
    ran = await run(guard(tmp_path), replies=calls("read_file", path=f"{tmp_path}/x"))
    assert ran.bodies == [{"success": True, "result": f"read {tmp_path}/x"}]
    assert ran.result.status == "completed"


async def test_tool_guard_denies_and_the_run_goes_on(run: Any, tmp_path: Path) -> None:
    ran = await run(guard(tmp_path), replies=calls("read_file", path=f"{tmp_path}/../{CANARY}", note="x"))
    (body,) = ran.bodies
    assert body["success"] is False
    assert (body["error"]["reason"], body["error"]["component"]) == ("denied_by_guard", "plugin")
    assert body["error"]["details"] == {"guard": "data"}
    assert ran.result.status == "completed"
    assert ran.result.text == "done"
    assert "path_goes_up" in ran.logs
    assert CANARY not in ran.logs


async def test_tool_guard_sees_what_a_later_plugin_made_of_the_call(run: Any, tmp_path: Path) -> None:
    rewriter = {"use": "python:project_code:Rewriter", "config": {"args": {"path": "/etc/hostname"}}}
    ran = await run(guard(tmp_path), rewriter, replies=calls("read_file", path=f"{tmp_path}/x"))
    assert ran.bodies[0]["error"]["details"] == {"guard": "data"}
    assert ran.outcomes("before_tool") == [["observed", "amended"], ["returned"]]


async def test_tool_guard_allows_an_amendment_that_stays_inside(run: Any, tmp_path: Path) -> None:
    rewriter = {"use": "python:project_code:Rewriter", "config": {"args": {"note": "checked"}}}
    ran = await run(guard(tmp_path), rewriter, replies=calls("read_file", path=f"{tmp_path}/x"))
    assert ran.bodies[0]["success"] is True
    assert ran.outcomes("before_tool") == [["observed", "amended"], ["observed"]]


async def test_tool_guard_denies_by_pattern_and_by_name(run: Any) -> None:
    by_pattern = {"denied_patterns": [{"name": "no-canary", "pattern": "canary@"}]}
    ran = await run({"use": "tool_guard", "config": by_pattern}, replies=calls("read_file", path="/x", note=CANARY))
    assert ran.bodies[0]["error"]["details"] == {"guard": "no-canary"}
    assert CANARY not in ran.logs


@pytest.mark.parametrize("stream", [False, True])
async def test_pii_redactor_takes_out_answers_and_results(run: Any, stream: bool) -> None:
    replies = [*calls("who", name="Kim")[:1], {"chunks": ["It is kim.canary", "@example.org, bye"]}]
    plugin = {"use": "pii_redactor", "config": {"fields": ["password"]}}
    ran = await run(plugin, replies=replies, stream=stream)
    assert ran.result.text == "It is [EMAIL], bye"
    assert ran.bodies == [{"success": True, "result": {"mail": "[EMAIL]", "password": "[FIELD]", "plan": "basic"}}]
    assert "kim.canary" not in ran.told()


async def test_pii_redactor_takes_out_what_users_say(run: Any) -> None:
    plugin = {"use": "pii_redactor", "config": {"apply_to": ["user_messages"], "marker": "({type})"}}
    ran = await run(plugin, replies=[{"text": "done"}], message=f"I am {CANARY}")
    assert [event.text for event in ran.stored] == ["I am (EMAIL)", "done"]
    assert CANARY not in ran.told()


async def test_pii_redactor_hides_from_the_model_what_the_session_keeps(run: Any) -> None:
    plugin = {"use": "pii_redactor", "config": {"apply_to": ["model_requests"]}}
    replies = [{"when": {"contains": "[EMAIL]"}, "text": "hidden"}, {"text": "seen"}]
    ran = await run(plugin, replies=replies, message=f"I am {CANARY}")
    assert [event.text for event in ran.stored] == [f"I am {CANARY}", "hidden"]
    assert CANARY not in ran.logs


@pytest.mark.parametrize("stream", [False, True])
async def test_content_guard_halts(run: Any, stream: bool) -> None:
    plugin = {"use": "content_guard", "config": {"blocked_keywords": ["canary"]}}
    ran = await run(plugin, replies=[{"chunks": ["kim.", CANARY]}], stream=stream)
    assert ran.result.status == "halted"
    assert ran.error is not None
    assert "canary" not in ran.told().replace("kim_canary", "")
    assert "blocked_keywords" in ran.told()


async def test_content_guard_stops_what_users_say_before_it_is_stored(run: Any) -> None:
    plugin = {"use": "content_guard", "config": {"blocked_keywords": ["canary"], "answer": "I can't help with that."}}
    ran = await run(plugin, replies=[{"error": "server_error"}], message=CANARY)
    assert ran.result.text == "I can't help with that."
    assert [event.text for event in ran.stored] == ["I can't help with that."]
    assert "canary" not in ran.told()


async def test_schema_guard_answers_in_place(run: Any) -> None:
    config = {"schema": {"type": "object", "required": ["total"]}, "answer": "Please ask again."}
    ran = await run({"use": "schema_guard", "config": config}, replies=[{"text": f'{{"who": "{CANARY}"}}'}])
    assert ran.result.text == "Please ask again."
    assert CANARY not in ran.told()
    ran = await run({"use": "schema_guard", "config": config}, replies=[{"text": '{"total": 3}'}])
    assert ran.result.text == '{"total": 3}'


async def test_schema_guard_halts(run: Any) -> None:
    config = {"schema": {"type": "object", "properties": {"total": {"type": "number"}}}}
    ran = await run({"use": "schema_guard", "config": config}, replies=[{"text": f'{{"total": "{CANARY}"}}'}])
    assert ran.result.status == "halted"
    assert CANARY not in ran.told()


async def test_logging_tells_a_run_in_facts(run: Any) -> None:
    plugin = {"use": "logging", "mode": "observe", "config": {"log_level": "info"}}
    ran = await run(plugin, replies=[*calls("who", name=CANARY)[:1], {"text": CANARY}], message=CANARY)
    for event in ("user_message", "run_started", "model_call_ended", "tool_call_ended", "run_ended", "duration_ms"):
        assert event in ran.logs
    assert CANARY not in ran.logs
    assert not ran.result.warnings


async def test_a_guard_that_fails_ends_the_run(run: Any) -> None:
    plugin = {"use": "pii_redactor", "max_result_bytes": 10}
    ran = await run(plugin, replies=[{"text": f"{CANARY} and more"}])
    assert ran.result.status == "failed"
    assert "result_too_large" in ran.told()
    assert CANARY not in ran.told()


async def test_a_rule_that_could_see_nothing_refuses_the_start(run: Any) -> None:
    config = {"paths": [{"name": "r", "args": ["token_path"], "roots": ["/"]}]}
    with pytest.raises(adk_decl.AdkDeclError):
        await run({"use": "tool_guard", "config": config}, replies=[{"text": "x"}])
