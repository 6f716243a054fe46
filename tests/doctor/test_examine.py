"""All that doctor says about one runner, with real workers and a real file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from adk_decl.cli.doctor_output import as_json, as_text
from adk_decl.doctor import examine as examining
from adk_decl.doctor.check import failed
from tests.doctor.subjects import AGENT, HEAD, SCRIPTED, chat, checks, statuses

SECRET = "sk-canary-8d1c2f"
GOOD_TOOL = "def look(order: str) -> str:\n    return order\n"
BROKEN = (
    "import os\nimport does_not_exist\nfrom adk_decl.plugins import Plugin\n\n\n"
    "class Guard(Plugin):\n    def before_run(self, ctx, value):\n        return None\n"
)
PLUGINS = (
    "plugins:\n  guard: {use: 'python:guard:Guard'}\n"
    "  notes: {use: global_instruction, mode: intervene, config: {instruction: Hi}}\n"
)


def test_a_runner_that_can_run(tmp_path: Path) -> None:
    found = checks(tmp_path, HEAD + SCRIPTED + AGENT)
    assert not failed(found.values()), [c for c in found.values() if c.status == "fail"]
    assert statuses(found, "limits", "sandbox") == {
        "limits/max_heap_mib": "ok",
        "limits/timeout_ms": "ok",
        "sandbox/no new privileges": "ok",
        "sandbox/closed descriptors": "ok",
        "sandbox/empty environment": "ok",
        "sandbox/no core dumps": "ok",
    }
    assert found["model/m"].status == "ok"
    assert {"python", "system", "packages"} <= {c.name for c in found.values() if c.group == "machine"}


def test_nothing_is_left_behind(tmp_path: Path) -> None:
    checks(tmp_path, HEAD + SCRIPTED + AGENT)
    assert not (tmp_path / "state").exists()
    assert not (tmp_path / "cache").exists()


def test_settings_are_shown_with_their_origin(tmp_path: Path) -> None:
    environment = {"ADK_DECL_WORKERS": "7", "ADK_DECL_COLOR": SECRET}
    found = checks(tmp_path, HEAD + SCRIPTED + AGENT, environment=environment)
    assert found["settings/workers"].facts == {"value": 7, "origin": "environment ADK_DECL_WORKERS"}
    assert found["settings/log_level"].facts == {"value": "warning", "origin": "default"}
    assert found["settings/color"].status == "fail"
    assert SECRET not in repr(found)


def test_every_check_is_made_though_one_fails(tmp_path: Path) -> None:
    manifest = (
        HEAD
        + "models:\n  m: {use: openai_chat, model: '${env:MODEL}', base_url: 'https://x.example', "
        + "api_key: {secret: {env: KEY}}}\n"
        + "tools:\n  look: {use: 'python:shop:look'}\n"
        + PLUGINS
        + "agents:\n  support: {model: m, tools: [look]}\n"
        + "runners:\n  desk: {agent: support, plugins: [guard, notes]}\n"
    )
    found = checks(tmp_path, manifest, {"guard.py": BROKEN, "shop.py": GOOD_TOOL})
    assert statuses(found, "environment", "secrets", "code", "model", "sessions") == {
        "environment/MODEL": "fail",
        "secrets/env:KEY": "fail",
        "code/project": "fail",
        "code/builtin": "ok",
        "code/tools@project": "ok",
        "model/m": "skipped",
        "sessions/memory": "ok",
    }
    assert "ModuleNotFoundError" in found["code/project"].summary
    assert "guard" in found["code/project"].summary


def test_values_are_never_shown(tmp_path: Path) -> None:
    manifest = chat("${env:ADDRESS}", more=", timeout_ms: '${env:LIMIT:-1000}', api_key: {secret: {env: KEY}}")
    environment = {"ADDRESS": f"https://{SECRET}@host", "LIMIT": SECRET, "KEY": SECRET}
    found = checks(tmp_path, manifest, environment=environment, offline=True)
    assert found["environment/ADDRESS"].facts == {"origin": "environment"}
    assert found["environment/value"].status == "fail"
    assert found["secrets/env:KEY"].status == "ok"
    for text in (
        repr(found),
        as_text(tuple(found.values())),
        as_json(tuple(found.values()), manifest="m", runner="r", plan_digest="d"),
    ):
        assert SECRET not in text


def test_code_that_runs_inline_is_tried_in_a_worker(tmp_path: Path) -> None:
    tool = "import os\n\nasync def look(order: str) -> str:\n    return order\n\n(_ for _ in ()).throw(KeyError)\n"
    manifest = (
        HEAD + SCRIPTED + "tools:\n  look: {use: 'python:shop:look'}\n"
        "agents:\n  support: {model: m, tools: [look]}\nrunners:\n  desk: {agent: support}\n"
    )
    check = checks(tmp_path, manifest, {"shop.py": tool})["code/tools@project"]
    assert check.status == "fail"
    assert check.facts["inline"] is True
    assert check.facts["tools"] == ("look",)


def test_an_unknown_error_is_one_failed_check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(subject: object) -> object:
        raise ZeroDivisionError(SECRET)

    monkeypatch.setattr(examining, "check_model", broken)
    found = checks(tmp_path, HEAD + SCRIPTED + AGENT)
    assert found["model/check"].status == "fail"
    assert found["sessions/memory"].status == "ok"
    assert SECRET not in repr(found)


def test_json_holds_every_check(tmp_path: Path) -> None:
    found = tuple(checks(tmp_path, HEAD + SCRIPTED + AGENT).values())
    document = json.loads(as_json(found, manifest="m.adk.yaml", runner="desk", plan_digest="d"))
    assert document["ready"] is True
    assert [(c["group"], c["name"]) for c in document["checks"]] == [(c.group, c.name) for c in found]
    assert {tuple(check) for check in document["checks"]} == {("group", "name", "status", "summary", "facts", "mend")}
