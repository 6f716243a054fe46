"""References to the environment, escapes and their places."""

from __future__ import annotations

from pathlib import Path

import pytest

from adk_decl.plan.model import EnvRef, EnvText
from tests.compiler.project import AGENT, BASE, HEAD, PLUGIN, RUNNER, codes, compile_text, compiled, with_plugin

ENDPOINT = "models:\n  clerk: {{use: openai_chat, model: m, base_url: https://a.example, {}}}\n"


def _model(field: str) -> str:
    return HEAD + ENDPOINT.format(field) + AGENT + RUNNER


@pytest.mark.parametrize(
    ("field", "found"),
    [
        ('timeout_ms: "${env:T}"', []),
        ('timeout_ms: "${env:T:-30}"', []),
        ('timeout_ms: "${env:T:-0}"', ["ADK304"]),
        ('timeout_ms: "${env:T:-3.5}"', ["ADK304"]),
        ('timeout_ms: "${env:T:-}"', ["ADK304"]),
        ('timeout_ms: "${env:T:-1}0"', ["ADK101"]),
        ('timeout_ms: "${env T}"', ["ADK302"]),
        ('timeout_ms: "${env:T"', ["ADK302"]),
        ('timeout_ms: "30"', ["ADK101"]),
        ('generation: {temperature: "${env:T:-0.5}"}', []),
        ('generation: {temperature: "${env:T:-3}"}', ["ADK304"]),
        ('generation: {stop: ["${env:T}"]}', ["ADK303"]),
        ('use: "${env:T}"', ["ADK006"]),
        ('tool_calling: "${env:T}"', ["ADK303"]),
        ('retries: {max_attempts: "${env:T:-3}"}', ["ADK303"]),
        ('x-note: "${not a reference"', []),
    ],
)
def test_where_a_reference_may_stand(tmp_path: Path, field: str, found: list[str]) -> None:
    assert codes(compile_text(tmp_path, _model(field))) == found


@pytest.mark.parametrize(
    ("default", "found"), [("https://a.example", []), ("ftp://a.example", ["ADK304"]), ("", ["ADK304"])]
)
def test_a_default_has_the_form_of_its_field(tmp_path: Path, default: str, found: list[str]) -> None:
    text = _model("timeout_ms: 5").replace("https://a.example", f'"${{env:URL:-{default}}}"')
    assert codes(compile_text(tmp_path, text)) == found


def test_names_take_no_reference(tmp_path: Path) -> None:
    assert codes(compile_text(tmp_path, BASE.replace("model: clerk", 'model: "${env:M}"'))) == ["ADK303"]


def test_configurations_take_references_where_their_schema_says_so(tmp_path: Path) -> None:
    schema = "{'type': 'object', 'properties': {'n': {'type': ['integer', 'string'], 'pattern': '^[$]', 'x-env': True, "
    schema += (
        "'x-env-type': 'integer', 'maximum': 9}, 's': {'type': 'string'}, 'd': {'type': 'integer', 'default': 4}}}"
    )
    code = {
        "own.py": f"{PLUGIN}class P(Plugin):\n    config_schema = {schema}\n    def on_event(self, ctx, value): ...\n"
    }

    def text(config: str) -> str:
        return with_plugin(f'use: "python:own:P", config: {config}')

    plan = compiled(tmp_path, text('{n: "${env:N:-3}", s: "a $$ b"}'), code)
    config = plan.runners["desk"].plugins[0].config
    assert config["n"] == EnvText(parts=(EnvRef(name="N", default="3"),), type="integer", maximum=9)
    assert (config["s"], config["d"]) == ("a $ b", 4)
    assert codes(compile_text(tmp_path, text('{n: "${env:N:-10}"}'), code)) == ["ADK304"]
    assert codes(compile_text(tmp_path, text('{s: "${env:N}"}'), code)) == ["ADK303"]
    assert codes(compile_text(tmp_path, text('{n: "${oops}"}'), code)) == ["ADK302"]
    assert all(d.mask_values for d in compile_text(tmp_path, text('{n: "${oops}"}'), code).diagnostics)


def test_free_configurations_take_no_reference(tmp_path: Path) -> None:
    code = {"own.py": f"{PLUGIN}class P(Plugin):\n    def on_event(self, ctx, value): ...\n"}
    text = with_plugin('use: "python:own:P", config: {a: [{b: "${env:N}"}], c: "$$5"}')
    assert codes(compile_text(tmp_path, text, code)) == ["ADK303"]


def test_a_secret_in_a_configuration_is_not_available_yet(tmp_path: Path) -> None:
    schema = "{'type': 'object', 'properties': {'k': {'type': 'object', 'x-secret': True}}}"
    code = {
        "own.py": f"{PLUGIN}class P(Plugin):\n    config_schema = {schema}\n    def on_event(self, ctx, value): ...\n"
    }
    text = with_plugin('use: "python:own:P", config: {k: {secret: {env: K}}}')
    assert codes(compile_text(tmp_path, text, code)) == ["ADK209"]


@pytest.mark.parametrize(
    ("field", "column", "end"),
    [
        ("base_url: https://${oops}/v1", 23, 30),
        ('base_url: "https://${oops}/v1"', 24, 31),
        ("base_url: https://a/${env:A}/${oops}", 34, 41),
        ('base_url: "https://\\x24{oops}"', 15, 35),
    ],
)
def test_the_place_inside_a_text(tmp_path: Path, field: str, column: int, end: int) -> None:
    text = HEAD + f"models:\n  clerk:\n    use: openai_chat\n    {field}\n" + AGENT + RUNNER
    found = [d for d in compile_text(tmp_path, text).diagnostics if d.code == "ADK302"]
    assert [(d.span.column, d.span.end_column) for d in found] == [(column, end)]
