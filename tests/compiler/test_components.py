"""Components by name: built in, installed, unknown, or with broken data."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from adk_decl.components import catalogue
from tests.compiler.project import BASE, codes, compile_text, compiled, with_plugin


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder on `sys.path` for installed packages."""
    folder = tmp_path / "site-packages"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    catalogue.forget()
    yield folder
    catalogue.forget()


def _install(folder: Path, data: str) -> None:
    package, info = folder / "acme_quota", folder / "acme_quota-1.0.dist-info"
    package.mkdir()
    info.mkdir()
    (package / "__init__.py").write_text("raise SystemExit('imported')\n")
    (package / "components.json").write_text(data)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-quota\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[adk_decl.components]\nquota = acme_quota:components.json\n")


QUOTA = {
    "name": "quota",
    "kind": "plugin",
    "entry": "acme_quota:Quota",
    "summary": "a quota",
    "hooks": ["before_model"],
    "guard": True,
    "defaults": {"timeout_ms": 50},
    "config_schema": {
        "type": "object",
        "required": ["daily"],
        "properties": {"daily": {"type": "integer"}, "unit": {"type": "string", "default": "calls"}},
        "additionalProperties": False,
    },
}


def test_an_installed_component(tmp_path: Path, packages: Path) -> None:
    _install(packages, json.dumps({"format_version": 1, "components": [QUOTA]}))
    plan = compiled(tmp_path, with_plugin("use: quota, mode: intervene, config: {daily: 5}"))
    plugin = plan.runners["desk"].plugins[0]
    assert plugin.domain == "dist:acme-quota"
    assert (plugin.code.module, plugin.code.attribute, plugin.code.file) == ("acme_quota", "Quota", None)
    assert (plugin.timeout_ms, plugin.failure_policy) == (50, "closed")
    assert plugin.config == {"daily": 5, "unit": "calls"}


@pytest.mark.parametrize(
    ("rest", "found"),
    [
        (", config: {daily: x}", ["ADK101"]),
        (", config: {}", ["ADK111"]),
        ("", ["ADK111"]),
        (", config: {daily: 5}, failure_policy: open", ["ADK403"]),
        (", config: {daily: 5, dayly: 6}", ["ADK110"]),
    ],
)
def test_its_configuration_and_policy(tmp_path: Path, packages: Path, rest: str, found: list[str]) -> None:
    _install(packages, json.dumps({"format_version": 1, "components": [QUOTA]}))
    assert codes(compile_text(tmp_path, with_plugin(f"use: quota{rest}"))) == found


@pytest.mark.parametrize(("stage", "found"), [("alpha", ["ADK417"]), ("beta", []), ("stable", [])])
def test_an_alpha_component_is_warned_about_at_each_use(
    tmp_path: Path, packages: Path, stage: str, found: list[str]
) -> None:
    _install(packages, json.dumps({"format_version": 1, "components": [{**QUOTA, "stage": stage}]}))
    manifest = with_plugin("use: quota, mode: intervene, config: {daily: 5}")
    result = compile_text(tmp_path, manifest)
    assert codes(result) == found
    assert result.plan is not None
    silenced = manifest.replace("daily: 5}}", "daily: 5}}  # adk: ignore[ADK417] pinned")
    assert codes(compile_text(tmp_path, silenced)) == ([] if found else ["ADK902"])


@pytest.mark.parametrize("data", ["{", "[]", '{"format_version": 1, "components": [{"name": "quota"}]}'])
def test_broken_data_of_a_package(tmp_path: Path, packages: Path, data: str) -> None:
    _install(packages, data)
    assert codes(compile_text(tmp_path, with_plugin("use: quota"))) == ["ADK201", "ADK218"]
    assert codes(compile_text(tmp_path, with_plugin("use: metadata_logger"))) == []


def test_an_unknown_component(tmp_path: Path) -> None:
    found = compile_text(tmp_path, BASE.replace("use: scripted", "use: scriptd")).diagnostics
    assert [d.code for d in found] == ["ADK201"]
    assert found[0].help == "did you mean `scripted`?"
    store = BASE.replace("{agent: support}", "{agent: support, session_store: {use: redis}}")
    assert codes(compile_text(tmp_path, store)) == ["ADK201"]
