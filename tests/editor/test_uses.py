"""The components that a manifest names, whatever else is wrong with it."""

from __future__ import annotations

from pathlib import Path

from adk_decl.compiler.context import Context
from adk_decl.diagnostics.diagnostic import DiagnosticBag
from adk_decl.editor.uses import Components, Use, component_places, uses_of
from adk_decl.schema.load import load_schema
from adk_decl.syntax.document import Document
from adk_decl.syntax.read import read_bytes
from tests.compiler.project import PLUGIN, write_files


def _document(text: str) -> Document:
    document = read_bytes(text.encode(), file="m", format="yaml", bag=DiagnosticBag())
    assert document is not None
    return document


def test_every_use_once_in_order() -> None:
    text = """\
models: {a: {use: scripted, wrong: 1}, b: {use: scripted}}
agents: {c: {plugins: [{id: x, use: inline_one}, named]}}
plugins: {d: {use: "python:own:P"}, e: {use: 3}, f: nothing}
runners: {g: {session_store: {use: sqlite}}}
"""
    assert list(uses_of(_document(text))) == [
        Use("model", "scripted"),
        Use("plugin", "inline_one"),
        Use("plugin", "python:own:P"),
        Use("session_store", "sqlite"),
    ]
    assert list(uses_of(_document("[1, 2]"))) == []


def test_the_places_that_hold_components() -> None:
    kinds = [kind for _, kind in component_places(load_schema("Manifest"))]
    assert sorted(kinds) == ["criterion", "exporter", "model", "plugin", "plugin", "session_store"]


def test_schemas_of_components_and_of_classes(tmp_path: Path) -> None:
    schema = '{"type": "object", "properties": {"n": {"type": "integer"}}}'
    code = f"{PLUGIN}class P(Plugin):\n    config_schema = {schema}\n    def after_run(self, ctx, value): ...\n"
    write_files(tmp_path, {"own.py": code + "\n\ndef function(): ...\n", "broken.py": "def ("})
    components = Components(Context(str(tmp_path / "m.adk.yaml")), _document("name: x"))
    found = components.config_schema(Use("plugin", "global_instruction"))
    assert found is not None
    assert found["required"] == ["instruction"]
    assert components.config_schema(Use("plugin", "python:own:P")) == {
        "type": "object",
        "properties": {"n": {"type": "integer"}},
    }
    for name in ("nothing", "python:own:function", "python:own:Gone", "python:broken:P", "python:", "python:os:P"):
        assert components.config_schema(Use("plugin", name)) is None
    assert components.config_schema(Use("model", "python:own:P")) is None


def test_modules_are_looked_up_where_the_manifest_says(tmp_path: Path) -> None:
    write_files(tmp_path, {"src/own.py": "class P: ...\n"})
    context = Context(str(tmp_path / "m.adk.yaml"))
    assert Components(context, _document("code_roots: [src]")).module("own") is not None
    assert Components(context, _document("name: x")).module("own") is None
    assert Components(context, None).roots() == (str(tmp_path),)
