"""Schemas of answers that stand in files."""

from __future__ import annotations

from pathlib import Path

import pytest

from adk_decl.compiler.compile import compile_file
from tests.compiler.project import BASE, codes, compile_text, compiled, write_files

SCHEMA = '{"type": "object", "properties": {"a": {"type": "string", "pattern": "^[a-z]$"}}}'


def _with(path: str) -> str:
    return BASE.replace("{model: clerk}", f"{{model: clerk, output_schema: {path}}}")


@pytest.mark.parametrize("name", ["s.json", "s.yaml", "deep/s.yml"])
def test_the_content_stands_in_the_plan(tmp_path: Path, name: str) -> None:
    plan = compiled(tmp_path, _with(name), {name: SCHEMA})
    inline = compiled(tmp_path, _with(SCHEMA))
    assert plan.agents["support"].output_schema == inline.agents["support"].output_schema
    assert plan.digest == inline.digest


@pytest.mark.parametrize(
    ("path", "content", "found"),
    [
        ("none.json", "", ["ADK217"]),
        ("s.json", "{", ["ADK217"]),
        ("s.json", '{"a": 1, "a": 2}', ["ADK217"]),
        ("s.json", "[]", ["ADK217"]),
        ("s.json", '{"type": "array"}', ["ADK217"]),
        ("s.json", '{"type": "object", "properties": {"a": {"type": "nothing"}}}', ["ADK217"]),
        ("s.json", '{"type": "object", "properties": {"a": {"pattern": "(a+)+$"}}}', ["ADK217"]),
        ("s.json", '{"type": "object", "anyOf": [{"required": ["a"]}]}', []),
        ("s.json", '{"type": "object", "$ref": "https://example.com/s.json"}', ["ADK217"]),
        ("s.yaml", "type: &a object", ["ADK217"]),
        ("s.txt", SCHEMA, ["ADK217"]),
        (".", "", ["ADK217"]),
        ("../s.json", "", ["ADK221"]),
        ("/etc/passwd", "", ["ADK221"]),
        ("{type: array}", "", ["ADK217"]),
    ],
)
def test_what_can_not_be_used(tmp_path: Path, path: str, content: str, found: list[str]) -> None:
    files = {path: content} if content else {}
    assert codes(compile_text(tmp_path, _with(path), files)) == found


def test_a_finding_names_the_place_in_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = compile_text(tmp_path, _with("s.json"), {"s.json": '{\n "type": }'}).diagnostics[0]
    assert found.span.file == "m.adk.yaml"
    assert found.notes[0].startswith("s.json:2:")


def test_a_large_file_is_refused(tmp_path: Path) -> None:
    assert codes(compile_text(tmp_path, _with("s.json"), {"s.json": " " * (1024 * 1024 + 1)})) == ["ADK217"]


def test_a_manifest_outside_the_named_root(tmp_path: Path) -> None:
    write_files(tmp_path, {"m.adk.yaml": BASE, "other/x": ""})
    assert codes(compile_file(str(tmp_path / "m.adk.yaml"), project_root=str(tmp_path / "other"))) == ["ADK221"]
