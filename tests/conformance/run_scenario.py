"""Makes a project out of a scenario, runs it through a real runner, and gathers everything that can be observed."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any, NamedTuple

import adk_decl
from adk_decl.errors import RunError
from adk_decl.plan.model import SessionStorePlan
from adk_decl.runtime.result import RunResult
from adk_decl.sessions.build import build_store
from adk_decl.sessions.protocol import SessionKey
from adk_decl.values import Event, ToolResultPart
from tests.conformance.probe import SHORT, shown
from tests.conformance.scenario_data import FOLDER

USER, SESSION = "u1", "s1"
HOOKS = {short: name for name, short in SHORT.items()}
TOOLS = ("ok_tool", "raise_tool", "slow_tool", "fast_tool", "ref_tool")
DONE = {"text": "done"}


class Observed(NamedTuple):
    """What a run left: its result, what probes and tools logged, the events delivered and those stored."""

    result: RunResult
    log: list[dict[str, Any]]
    events: list[Event]
    stored: list[Event]
    error: RunError | None

    @property
    def entries(self) -> list[str]:
        """Who was called, in order."""
        return [record["entry"] for record in self.log]

    @property
    def tool_bodies(self) -> list[dict[str, Any]]:
        """What the model was told of each tool call, in order."""
        return [part.body for event in self.events for part in event.content if isinstance(part, ToolResultPart)]

    def last_seen(self, entry: str) -> Any:
        """What was seen the last time under this entry."""
        return [record["seen"] for record in self.log if record["entry"] == entry][-1]

    def texts(self) -> str:
        """Every text that leaves the run, to look for what must not be in it."""
        parts = [repr(self.result), str(self.error), repr(self.error and self.error.to_dict())]
        parts += [event.to_json().decode() for event in [*self.events, *self.stored]]
        return "\n".join(parts)


async def run_scenario(scenario: dict[str, Any], folder: Path) -> Observed:
    """Run one scenario in an empty folder."""
    plan = adk_decl.load(str(write_project(scenario, folder)))
    if scenario.get("direct_prompt"):
        result = await adk_decl.prompt(plan, agent="support", message=_message(scenario))
        return Observed(result, _read_log(folder), [], [], None)
    async with adk_decl.Runner(plan, "desk") as runner:
        for earlier in scenario.get("history", []):
            await runner.run(earlier, user_id=USER, session_id=SESSION).wait()
        (folder / "log.jsonl").unlink(missing_ok=True)
        events: list[Event] = []
        error: RunError | None = None
        stream = bool(scenario.get("stream"))
        run = runner.run(_message(scenario), user_id=USER, session_id=SESSION, stream=stream)
        try:
            async for event in run:
                events.append(event)  # noqa: PERF401 - what came before an error counts
        except RunError as caught:
            error = caught
        return Observed(run.result, _read_log(folder), events, await _stored(folder), error)


def write_project(scenario: dict[str, Any], folder: Path) -> Path:
    """The manifest of a scenario, with the probe and its settings beside it."""
    shutil.copy(FOLDER / "probe.py", folder / "probe.py")
    local = scenario.get("local", {})
    settings = {"log": str(folder / "log.jsonl"), "actions": local}
    (folder / "local.json").write_text(json.dumps(settings), encoding="utf-8")
    path = folder / "scenario.adk.yaml"
    path.write_text(json.dumps(_manifest(scenario, folder), indent=1), encoding="utf-8")
    return path


def _manifest(scenario: dict[str, Any], folder: Path) -> dict[str, Any]:
    agent: dict[str, Any] = {
        "model": "script",
        "tools": list(TOOLS),
        "callbacks": {HOOKS[short]: "python:probe:local" for short in scenario.get("local", {})},
        "plugins": [_descriptor(plugin, folder) for plugin in scenario.get("agent_plugins", [])],
    }
    if "instruction" in scenario:
        agent["instruction"] = scenario["instruction"]
    return {
        "apiVersion": "adk-decl/v1",
        "kind": "Manifest",
        "name": "conformance",
        "models": {
            "script": {"use": "scripted", "config": {"replies": _replies(scenario)}},
            "spare": {"use": "scripted", "config": {"replies": [DONE]}},
        },
        "tools": {name: _tool(name, scenario) for name in TOOLS},
        "agents": {"support": agent, "other": {"model": "spare"}},
        "runners": {
            "desk": {
                "agent": "support",
                "plugins": [_descriptor(plugin, folder) for plugin in scenario["plugins"]],
                "plugin_order": scenario.get("plugin_order", "declared"),
                "session_store": {"use": "sqlite", "path": "sessions.db"},
                "limits": {"run_timeout_ms": scenario.get("run_timeout_ms", 60_000)},
            }
        },
    }


def _descriptor(plugin: dict[str, Any], folder: Path) -> dict[str, Any]:
    descriptor = {"use": "python:probe:Probe", "mode": "intervene", "failure_policy": "closed", "timeout_ms": 10_000}
    descriptor |= {key: value for key, value in plugin.items() if key != "actions"}
    if str(descriptor["use"]).startswith("python:probe:"):
        config = {"log": str(folder / "log.jsonl"), "actions": plugin.get("actions", {})}
        descriptor["config"] = config
    return descriptor


def _tool(name: str, scenario: dict[str, Any]) -> dict[str, Any]:
    timeout_ms = min(10_000, scenario.get("run_timeout_ms", 10_000))
    tool: dict[str, Any] = {"use": f"python:probe:{name}", "timeout_ms": timeout_ms}
    return tool | ({"max_concurrency": 1} if scenario.get("serial_tools") else {})


def _replies(scenario: dict[str, Any]) -> list[dict[str, Any]]:
    """Each reply costs one token, by which the responses that were used can be counted."""
    return [{"usage": {"input_tokens": 1}} | reply for reply in scenario.get("replies", [DONE])]


def _message(scenario: dict[str, Any]) -> str:
    if "message_bytes" in scenario:
        return "x" * int(scenario["message_bytes"])
    return str(scenario.get("message", "hi"))


def _read_log(folder: Path) -> list[dict[str, Any]]:
    path = folder / "log.jsonl"
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


async def _stored(folder: Path) -> list[Event]:
    path = str(folder / "sessions.db")
    store = build_store(SessionStorePlan(use="sqlite", path=path), default_path=path)
    await store.open()
    try:
        return list(await store.events(SessionKey("conformance", USER, SESSION)))
    finally:
        await store.close()


def stored_lines(events: list[Event]) -> list[str]:
    """Events as the scenarios write them."""
    return [f"{event.author}: {shown(event.content)}" for event in events]
