"""Where names, code references and paths lead."""

from __future__ import annotations

from pathlib import Path

import pytest

from adk_decl.editor.definition import definition_at
from tests.compiler.project import PLUGIN, write_files
from tests.editor.cursor import manifest_at

TEXT = """\
apiVersion: adk-decl/v1
kind: Manifest
name: example
models:
  clerk: {use: scripted}
tools:
  find: {use: "python:own:find"}
agents:
  support: {model: clerk, tools: [find], output_schema: answer.yaml}
plugins:
  mask: {use: "python:own:Mask"}
runners:
  desk: {agent: support, plugins: [mask, gone]}
"""
CODE = (
    f"{PLUGIN}class Mask(Plugin):\n    def after_model(self, ctx, value): ...\n\n\ndef find(order: str) -> str: ...\n"
)


@pytest.mark.parametrize(
    ("place", "file", "line", "column"),
    [
        ("model: cl‸erk", "m.adk.yaml", 5, 3),
        ("[fi‸nd]", "m.adk.yaml", 7, 3),
        ("agent: ‸support", "m.adk.yaml", 9, 3),
        ("[mask‸,", "m.adk.yaml", 11, 3),
        ("python:own:Ma‸sk", "own.py", 4, 7),
        ("python:own:fi‸nd", "own.py", 8, 5),
        ("answer‸.yaml", "answer.yaml", 1, 1),
    ],
)
def test_definitions(tmp_path: Path, place: str, file: str, line: int, column: int) -> None:
    write_files(tmp_path, {"own.py": CODE, "answer.yaml": "type: object\n"})
    target = definition_at(*manifest_at(tmp_path, TEXT.replace(place.replace("‸", ""), place, 1)))
    assert target is not None
    assert (Path(target.path), target.span.line, target.span.column) == (tmp_path / file, line, column)


@pytest.mark.parametrize(
    "place", ["go‸ne", "mo‸del: clerk", "scrip‸ted", "exam‸ple", "python:own:fi‸nd", "answer.y‸aml"]
)
def test_what_leads_nowhere(tmp_path: Path, place: str) -> None:
    assert definition_at(*manifest_at(tmp_path, TEXT.replace(place.replace("‸", ""), place, 1))) is None


def test_a_text_that_does_not_parse_leads_nowhere(tmp_path: Path) -> None:
    assert definition_at(*manifest_at(tmp_path, "[" + TEXT.replace("model: clerk", "model: cl‸erk"))) is None


def test_a_name_that_a_layer_defines(tmp_path: Path) -> None:
    head, _, rest = TEXT.partition("models:\n  clerk: {use: scripted}\n")
    write_files(tmp_path, {"base.adk.yaml": f"{head}models:\n  clerk: {{use: scripted}}\n"})
    text = f"{head}extends: base.adk.yaml\n{rest}".replace("model: clerk", "model: cle‸rk")
    target = definition_at(*manifest_at(tmp_path, text))
    assert target is not None
    assert (target.path, target.span.line, target.span.column) == (str(tmp_path / "base.adk.yaml"), 5, 3)
    assert target.text is not None
    base = definition_at(*manifest_at(tmp_path, text.replace("‸", "").replace("base.adk", "base‸.adk")))
    assert base is not None
    assert base.path == str(tmp_path / "base.adk.yaml")
