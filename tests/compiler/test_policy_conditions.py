"""Conditions of plugins: names, what never holds, and what the plan keeps."""

from __future__ import annotations

from pathlib import Path

import pytest

from adk_decl.plan.model import When
from tests.compiler.project import HEAD, PLUGIN, codes, compile_text, compiled

FILES = {
    "tools.py": "\n\n\n".join(f'def {name}(x: int) -> int:\n    """Does it."""\n    return x' for name in "ab") + "\n",
    "own.py": PLUGIN
    + "class T(Plugin):\n    def before_tool(self, ctx, value): ...\n\n\n"
    + "class M(Plugin):\n    def before_model(self, ctx, value): ...\n\n\n"
    + 'class Stop(Plugin):\n    def before_tool(self, ctx, value):\n        return ret(text_response("no"))\n',
}


def _manifest(*plugins: str, runner: str = "") -> str:
    listed = ", ".join(f"{{id: p{number}, {plugin}}}" for number, plugin in enumerate(plugins))
    return (
        f"{HEAD}models:\n  clerk: {{use: scripted, config: {{replies: [{{text: x}}]}}}}\n"
        "  other: {use: scripted, config: {replies: [{text: x}]}}\n"
        'tools:\n  a: {use: "python:tools:a"}\n  b: {use: "python:tools:b"}\n'
        "agents:\n  support: {model: clerk, tools: [a]}\n  second: {model: other, tools: [b]}\n"
        f"runners:\n  desk: {{agent: support, plugins: [{listed}]{runner}}}\n  back: {{agent: second}}\n"
    )


TOOLS, MODELS = 'use: "python:own:T"', 'use: "python:own:M"'


@pytest.mark.parametrize(
    ("plugin", "found"),
    [
        (f"{TOOLS}, when: {{tools: [a]}}", []),
        (f"{TOOLS}, when: {{tools: [a, b], agents: [support], x-note: 1}}", []),
        (f"{TOOLS}, when: {{}}", []),
        (f"{TOOLS}, when: {{tools: [b]}}", ["ADK418"]),
        (f"{TOOLS}, when: {{agents: [second]}}", ["ADK418"]),
        (f"{TOOLS}, when: {{models: [clerk]}}", ["ADK418"]),
        (f"{MODELS}, when: {{models: [other]}}", ["ADK418"]),
        (f"{MODELS}, when: {{models: [clerk]}}", []),
        (f"{MODELS}, when: {{tools: [a]}}", ["ADK418"]),
        (f"{TOOLS}, when: {{tools: [aa]}}", ["ADK202"]),
        (f"{TOOLS}, when: {{agents: [suport], models: [clark]}}", ["ADK202", "ADK202"]),
        (f"{TOOLS}, when: {{tool: [a]}}", ["ADK110"]),
        (f"{TOOLS}, when: {{tools: []}}", ["ADK123"]),
    ],
)
def test_a_condition_is_checked(tmp_path: Path, plugin: str, found: list[str]) -> None:
    assert codes(compile_text(tmp_path, _manifest(plugin), FILES)) == found


def test_the_finding_stands_at_the_condition_and_says_what_there_is(tmp_path: Path) -> None:
    result = compile_text(tmp_path, _manifest(f"{TOOLS}, when: {{tools: [b]}}"), FILES)
    (found,) = result.diagnostics
    assert found.message == "plugin `p0` never runs for its `tools`: tools of runner `desk`: a"
    assert found.path == ("runners", "desk", "plugins", 0, "when", "tools")
    assert result.plan is not None


def test_an_unknown_name_offers_the_nearest(tmp_path: Path) -> None:
    (found, *_) = compile_text(tmp_path, _manifest(f"{MODELS}, when: {{models: [clrk]}}"), FILES).diagnostics
    assert found.help == "did you mean `clerk`?"


def test_the_order_of_names_does_not_count(tmp_path: Path) -> None:
    plans = [
        compiled(tmp_path, _manifest(f"{TOOLS}, when: {{tools: [{names}], agents: [support]}}"), FILES)
        for names in ("a, b", "b, a")
    ]
    assert plans[0].digest == plans[1].digest
    assert plans[1].runners["desk"].plugins[0].when == When(agents=("support",), tools=("a", "b"))
    first, second = (plans[1].origins[f"/runners/desk/plugins/0/when/tools/{index}"] for index in (0, 1))
    assert first.column > second.column


def test_deadlines_add_up_for_one_tool_and_not_for_all(tmp_path: Path) -> None:
    slow = [f"{TOOLS}, timeout_ms: 600, when: {{tools: [{tool}]}}" for tool in ("a", "b")]
    manifest = _manifest(*slow, runner=", limits: {run_timeout_ms: 1000}").replace("tools: [a]}", "tools: [a, b]}", 1)
    assert codes(compile_text(tmp_path, manifest, FILES)) == []
    manifest = manifest.replace("when: {tools: [b]}", "when: {tools: [a]}")
    assert codes(compile_text(tmp_path, manifest, FILES)) == ["ADK401"]


def test_what_always_returns_for_one_tool_blocks_that_tool_only(tmp_path: Path) -> None:
    stop = 'use: "python:own:Stop", mode: intervene'
    manifest = _manifest(f"{stop}, when: {{tools: [a]}}", TOOLS)
    assert codes(compile_text(tmp_path, manifest, FILES)) == []
    assert codes(compile_text(tmp_path, _manifest(stop, TOOLS), FILES)) == ["ADK404"]
