"""What a lock file says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from adk_decl.compiler.compile import compile_file
from adk_decl.json_schema import validator
from adk_decl.lock.content import Lock, lock_path, make_lock
from adk_decl.plan.canonical import digest
from tests.architecture.sources import CHECKOUT
from tests.compiler.project import BASE, HEAD, MODEL, PLUGIN, compile_text, write_files

PROJECT = HEAD.replace("example", "shop") + (
    "extends: base.yaml\n"
    "tools:\n  find: {use: 'python:shop.tools:find'}\n"
    "agents:\n  support: {model: clerk, tools: [find], output_schema: answer.json,"
    " callbacks: {before_tool: 'python:shop.callbacks:check'}}\n"
    "plugins:\n  mine: {use: 'python:shop.policy:Mine'}\n  log: {use: metadata_logger}\n"
    "runners:\n  desk: {agent: support, plugins: [mine, log], session_store: {use: sqlite}}\n"
)
FILES = {
    "base.yaml": HEAD + MODEL,
    "answer.json": '{"type": "object"}',
    "shop/__init__.py": "",
    "shop/tools.py": "from shop import words\n\ndef find(text: str) -> str:\n    return text\n",
    "shop/words.py": "",
    "shop/callbacks.py": "def check(ctx, value):\n    return None\n",
    "shop/policy.py": PLUGIN + "class Mine(Plugin):\n    def before_model(self, ctx, value):\n        return None\n",
    "shop/unused.py": "",
}


def locked(folder: Path) -> Lock:
    """The lock of the project in a folder."""
    result = compile_file(str(folder / "m.adk.yaml"))
    assert result.plan is not None, [(found.code, found.message) for found in result.diagnostics]
    return make_lock(result.plan, result.sources)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a parent layer, a schema file, and code of every kind."""
    write_files(tmp_path, {**FILES, "m.adk.yaml": PROJECT})
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_every_file_that_was_read_stands_in_it(project: Path) -> None:
    content = locked(project).content
    assert set(content["files"]) == {"m.adk.yaml", "base.yaml", "answer.json"}
    assert set(content["code"]) == {f"shop/{name}.py" for name in ("__init__", "tools", "words", "callbacks", "policy")}
    assert content["files"]["base.yaml"] == digest((project / "base.yaml").read_bytes())


def test_every_component_stands_in_it(project: Path) -> None:
    components = locked(project).content["components"]
    assert {kind: set(group) for kind, group in components.items()} == {
        "model": {"scripted"},
        "tool": {"python:shop.tools:find"},
        "plugin": {"python:shop.policy:Mine", "metadata_logger"},
        "callback": {"python:shop.callbacks:check"},
        "session_store": {"sqlite"},
    }
    assert components["plugin"]["metadata_logger"]["distribution"] == "adk-decl"
    assert set(components["tool"]["python:shop.tools:find"]) == {"code"}


def test_who_runs_a_file(project: Path) -> None:
    assert locked(project).users["shop/words.py"] == ("tool python:shop.tools:find",)
    assert len(locked(project).users["shop/__init__.py"]) == 3


def test_it_follows_its_schema_and_is_stable(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    schema = json.loads((CHECKOUT / "schemas" / "lock.v1.schema.json").read_text("utf-8"))
    text = locked(project).text()
    assert validator(schema)(json.loads(text)) == []
    (project / "sub").mkdir()
    monkeypatch.chdir(project / "sub")
    assert locked(project).text() == text
    assert text == json.dumps(json.loads(text), sort_keys=True, indent=2, ensure_ascii=False) + "\n"


def test_the_place_of_the_checkout_does_not_count(project: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    other = tmp_path_factory.mktemp("elsewhere")
    write_files(other, {**FILES, "m.adk.yaml": PROJECT})
    assert locked(other).text() == locked(project).text()


def test_its_name_is_that_of_the_manifest(tmp_path: Path) -> None:
    result = compile_text(tmp_path, BASE)
    assert result.plan is not None
    assert lock_path(result.plan) == str(tmp_path / "example.lock.json")
