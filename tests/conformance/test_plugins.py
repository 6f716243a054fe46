"""Every scenario of `plugins.yaml`, through the real compiler, runner and workers."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

import pytest

from adk_decl.compiler.compile import compile_file
from adk_decl.diagnostics import concise
from tests.conformance.run_scenario import Observed, run_scenario, stored_lines
from tests.conformance.scenario_data import manifests, scenarios, sequence


@pytest.mark.parametrize("scenario", scenarios(), ids=lambda row: f"{row['id']} {row['title']}")
async def test_scenario(
    scenario: dict[str, Any], tmp_path: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG, logger="adk_decl")
    observed = await run_scenario(scenario, tmp_path)
    expect = scenario["expect"]
    _check_outcome(expect, observed)
    _check_log(scenario, observed)
    _check_events(expect, observed)
    warnings = [w for w in observed.result.warnings if w.startswith("plugin ")]
    assert scenario.get("allow_warnings") or len(warnings) == expect.get("warnings", 0), warnings
    captured = capfd.readouterr()
    logs = "\n".join(f"{record.getMessage()} {record.__dict__}" for record in caplog.records)
    if "canary_absent" in expect:
        assert expect["canary_absent"] not in observed.texts() + logs + captured.out + captured.err
    for hook in expect.get("logged", []):
        assert hook in logs
    assert expect.get("logs_without", "\0") not in logs


def _check_outcome(expect: dict[str, Any], observed: Observed) -> None:
    result = observed.result
    if "status" in expect:
        assert result.status == expect["status"], result.error
    if "text" in expect:
        assert result.text == expect["text"]
    if "failure" in expect:
        assert result.error is not None
        assert {key: result.error.get(key) for key in expect["failure"]} == expect["failure"]
    if "model_calls" in expect:
        assert result.usage.input_tokens == expect["model_calls"]
    for phase, outcomes in expect.get("trace", {}).items():
        record = next(record for record in result.traces if record.phase == phase)
        assert [entry.outcome for entry in record.entries] == outcomes
    for phase, every in expect.get("traces", {}).items():
        records = [record for record in result.traces if record.phase == phase]
        assert [[entry.outcome for entry in record.entries] for record in records] == every
    for phase, paths in expect.get("changed", {}).items():
        record = next(record for record in result.traces if record.phase == phase)
        assert [list(entry.changed) for entry in record.entries] == paths
    assert result.duration_ms <= expect.get("at_most_ms", 60_000)


def _check_log(scenario: dict[str, Any], observed: Observed) -> None:
    expect = scenario["expect"]
    wanted = sequence(scenario)
    if wanted is not None:
        assert observed.entries == wanted
    assert set(expect.get("contains", [])) <= set(observed.entries)
    assert not set(expect.get("absent", [])) & set(observed.entries)
    for entry, seen in expect.get("seen", {}).items():
        assert observed.last_seen(entry) == seen


def _check_events(expect: dict[str, Any], observed: Observed) -> None:
    if "stored" in expect:
        assert stored_lines(observed.stored) == expect["stored"]
    if "tool_error" in expect:
        assert observed.tool_bodies[-1]["error"]["reason"] == expect["tool_error"]
    if "attempts" in expect:
        details = [body.get("error", {}).get("details", {}) for body in observed.tool_bodies]
        assert [detail.get("adk_retry", {}).get("attempt") for detail in details] == expect["attempts"]


@pytest.mark.parametrize("row", manifests(), ids=lambda row: f"{row['id']} {row['title']}")
def test_manifest(row: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "hooked.py").write_text(_HOOKED, encoding="utf-8")
    (tmp_path / "hookless.py").write_text(_HOOKLESS, encoding="utf-8")
    path = tmp_path / "case.adk.yaml"
    path.write_text(json.dumps(_manifest_of(row), indent=1), encoding="utf-8")
    compiled = compile_file(str(path))
    codes = sorted(d.code for d in compiled.diagnostics)
    assert codes == sorted(row["codes"])
    assert (compiled.plan is None) == any(d.severity == "error" for d in compiled.diagnostics)
    if "canary_absent" in row:
        assert row["canary_absent"] not in concise.render(compiled.diagnostics, compiled.sources)


def _manifest_of(row: dict[str, Any]) -> dict[str, Any]:
    plugin = {"id": "p", "use": "python:hooked:Hooked", "mode": "intervene", "config": {}} | row.get("plugin", {})
    plugin = {key: value for key, value in plugin.items() if value is not None and key not in row.get("without", [])}
    if "id_bytes" in row:
        plugin["id"] = "x" * row["id_bytes"]
    if "config_bytes" in row:
        plugin["config"] = {"text": "CANARY" * (row["config_bytes"] // 6)}
    plugins = [plugin | {"id": f"p{n}"} for n in range(row["plugin_count"])] if "plugin_count" in row else [plugin]
    return {
        "apiVersion": "adk-decl/v1",
        "kind": "Manifest",
        "name": "case",
        "models": {"script": {"use": "scripted", "config": {"replies": [{"text": "done"}]}}},
        "agents": {"support": {"model": "script"}},
        "runners": {
            "desk": {
                "agent": "support",
                "plugins": plugins * (2 if row.get("twice") else 1),
                "plugin_defaults": row.get("plugin_defaults", {}),
                "limits": {"run_timeout_ms": 600_000},
            }
        },
    }


_HOOKED = """
from adk_decl.plugins import Plugin


class Hooked(Plugin):
    def before_run(self, ctx, value):
        return None
"""

_HOOKLESS = """
from adk_decl.plugins import Plugin


class Hookless(Plugin):
    pass
"""
