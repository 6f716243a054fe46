"""Limits that can't work together, and plugins that never run."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.compiler.project import AGENT, HEAD, MODEL, PLUGIN, RUNNER, codes, compile_text, with_plugin, with_tool

CODE = {
    "own.py": PLUGIN
    + """
class Closed(Plugin):
    def before_model(self, ctx, value):
        "Always."
        return ret(text_response("closed"))

    def after_run(self, ctx, value):
        return ret(text_response("ignored"))


class Sometimes(Plugin):
    def before_model(self, ctx, value):
        if value.messages:
            return ret(text_response("closed"))


def callback(ctx, value): ...


def tool(a: int) -> int: ...
"""
}


def _found(folder: Path, text: str) -> list[str]:
    return codes(compile_text(folder, text, CODE))


@pytest.mark.parametrize(
    ("timeout_ms", "run_ms", "found"),
    [(500, "1000", []), (501, "1000", ["ADK401"]), (501, '"${env:T:-1000}"', ["ADK401"]), (501, '"${env:T}"', [])],
)
def test_the_hooks_of_a_phase_fit_the_run(tmp_path: Path, timeout_ms: int, run_ms: str, found: list[str]) -> None:
    inner = f"use: metadata_logger, timeout_ms: {timeout_ms}"
    runner = f", limits: {{run_timeout_ms: {run_ms}}}"
    plugins = f"p, {{id: q, {inner}}}"
    assert _found(tmp_path, with_plugin(inner, runner=runner, plugins=plugins)) == found


def test_callbacks_and_agent_plugins_count(tmp_path: Path) -> None:
    text = (
        f"{HEAD}{MODEL}agents:\n"
        '  support: {model: clerk, callbacks: {before_model: "python:own:callback"}, '
        "plugins: [{id: a, use: metadata_logger}]}\n"
        "runners:\n  desk: {agent: support, limits: {run_timeout_ms: 5999}}\n"
    )
    assert _found(tmp_path, text) == ["ADK401"]
    assert _found(tmp_path, text.replace("5999", "6000")) == []
    shorter = text.replace("limits", "local_callbacks: {timeout_ms: 10}, limits")
    assert _found(tmp_path, shorter) == []


@pytest.mark.parametrize(
    "manifest",
    [
        with_plugin("use: metadata_logger, timeout_ms: 2000", runner=", limits: {run_timeout_ms: 1000}"),
        with_tool('use: "python:own:tool", timeout_ms: 2000').replace(
            "{agent: support}", "{agent: support, limits: {run_timeout_ms: 1000}}"
        ),
        (HEAD + MODEL + AGENT + RUNNER)
        .replace("use: scripted,", "use: scripted, timeout_ms: 2000,")
        .replace("{agent: support}", "{agent: support, limits: {run_timeout_ms: 1000}}"),
    ],
    ids=["plugin", "tool", "model"],
)
def test_a_stated_timeout_fits_the_run(tmp_path: Path, manifest: str) -> None:
    assert _found(tmp_path, manifest) == ["ADK411"]


def test_a_timeout_for_several_is_told_once(tmp_path: Path) -> None:
    runner = ", plugin_defaults: {timeout_ms: 2000}, limits: {run_timeout_ms: 1000}"
    text = with_plugin("use: metadata_logger", runner=runner, plugins="p, {id: q, use: metadata_logger}")
    assert _found(tmp_path, text) == ["ADK411"]
    callbacks = (
        f'{HEAD}{MODEL}agents:\n  support: {{model: clerk, callbacks: {{before_model: "python:own:callback"}}}}\n'
        "runners:\n  desk: {agent: support, local_callbacks: {timeout_ms: 9}, limits: {run_timeout_ms: 8}}\n"
    )
    assert _found(tmp_path, callbacks) == ["ADK411"]


def test_a_default_timeout_may_be_longer_than_the_run(tmp_path: Path) -> None:
    text = with_tool('use: "python:own:tool"').replace(
        "{agent: support}", "{agent: support, limits: {run_timeout_ms: 900}}"
    )
    assert _found(tmp_path, text) == []


@pytest.mark.parametrize(
    ("first", "mode", "order", "found"),
    [
        ("Closed", "intervene", "declared", ["ADK404"]),
        ("Closed", "observe", "declared", []),
        ("Sometimes", "intervene", "declared", []),
        ("Closed", "intervene", "priority", []),
    ],
)
def test_plugins_after_an_unconditional_return(
    tmp_path: Path, first: str, mode: str, order: str, found: list[str]
) -> None:
    prio = ", priority: 1" if order == "priority" else ""
    text = with_plugin(
        f'use: "python:own:{first}", mode: {mode}{prio}',
        runner=f", plugin_order: {order}",
        plugins="p, {id: q, use: metadata_logger, hooks: [before_model, after_run]}",
    )
    assert _found(tmp_path, text) == found


@pytest.mark.parametrize(
    ("url", "found"),
    [
        ("https://api.example.com/v1", []),
        ("http://localhost:8080/v1", []),
        ("http://127.0.0.1/v1", []),
        ("http://[::1]:80/v1", []),
        ("http://api.example.com/v1", ["ADK412"]),
        ("HTTP://API.example.com", ["ADK122"]),
        ("http://localhost@api.example.com/", ["ADK412"]),
        ("http://localhost.example.com/", ["ADK412"]),
        ("http://127.0.0.1.example.com/", ["ADK412"]),
        ("http://1270.0.0.1/", ["ADK412"]),
        ("${env:URL:-http://api.example.com}", ["ADK412"]),
        ("${env:URL}", []),
    ],
)
def test_plain_http_beyond_this_machine(tmp_path: Path, url: str, found: list[str]) -> None:
    model = f'models:\n  clerk: {{use: openai_chat, model: m, base_url: "{url}"}}\n'
    assert _found(tmp_path, HEAD + model + AGENT + RUNNER) == found
    allowed = model.replace("}\n", ", config: {insecure_http: true}}\n")
    assert _found(tmp_path, HEAD + allowed + AGENT + RUNNER) == [code for code in found if code != "ADK412"]


@pytest.mark.parametrize(
    ("retries", "found"),
    [
        ("base_delay_ms: 9000", ["ADK414"]),
        ("max_delay_ms: 100", ["ADK414"]),
        ("base_delay_ms: 8000", []),
        ("base_delay_ms: 10, max_delay_ms: 10", []),
        ("base_delay_ms: x", ["ADK101"]),
    ],
)
def test_delays_the_right_way_round(tmp_path: Path, retries: str, found: list[str]) -> None:
    model = f"models:\n  clerk: {{use: scripted, config: {{replies: [{{text: x}}]}}, retries: {{{retries}}}}}\n"
    assert _found(tmp_path, HEAD + model + AGENT + RUNNER) == found


def test_a_configuration_beyond_its_size(tmp_path: Path) -> None:
    # A quote is one byte of the file and two of JSON.
    lines = "\n".join(f"    k{i}: '" + '"' * 8000 + "'" for i in range(70))
    free = {"own.py": f"{PLUGIN}class P(Plugin):\n    def before_model(self, ctx, value): ...\n"}
    text = f'{HEAD}{MODEL}{AGENT}plugins:\n p:\n  use: "python:own:P"\n  config:\n{lines}\n'
    text += "runners:\n  desk: {agent: support, plugins: [p]}\n"
    result = compile_text(tmp_path, text, free)
    assert codes(result) == ["ADK415"]
    assert '""' not in result.diagnostics[0].message


def test_a_manifest_without_a_runner(tmp_path: Path) -> None:
    result = compile_text(tmp_path, HEAD + MODEL + AGENT)
    assert codes(result) == ["ADK413"]
    assert result.plan is not None
