"""References by name."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.compiler.project import AGENT, BASE, HEAD, MODEL, RUNNER, codes, compile_text

LOG = "{id: log, use: metadata_logger}"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (BASE, []),
        (BASE.replace("model: clerk", "model: clerc"), ["ADK202"]),
        (BASE.replace("agent: support", "agent: suport"), ["ADK202"]),
        (BASE.replace("{model: clerk}", "{model: clerk, tools: [one, two]}"), ["ADK202", "ADK202"]),
        (BASE.replace("{agent: support}", "{agent: support, plugins: [x]}"), ["ADK202"]),
        (BASE.replace("{agent: support}", f"{{agent: support, plugins: [{LOG}, {LOG}]}}"), ["ADK203"]),
        (BASE.replace("{agent: support}", f"{{agent: support, plugins: [{LOG}, {LOG}, {LOG}]}}"), ["ADK203", "ADK203"]),
        (BASE.replace("{model: clerk}", f"{{model: clerk, plugins: [{LOG}]}}"), []),
        (BASE + "plugins: {x: {use: metadata_logger}}\n", ["ADK204"]),
        (BASE.replace("agents:", "agents:\n  spare: {model: clerk}"), ["ADK204"]),
        (BASE.replace("models:", "models:\n  spare: {use: scripted, config: {replies: [{text: x}]}}"), ["ADK204"]),
        (BASE.replace("models:", "models:\n  spare: 3"), ["ADK101"]),
        (HEAD + MODEL + "agents:\n  support: {model: [clerk]}\n" + RUNNER, ["ADK101"]),
        (HEAD + MODEL + "agents:\n  support: {instruction: x, model: }\n" + RUNNER, ["ADK112"]),
    ],
)
def test_references(tmp_path: Path, text: str, found: list[str]) -> None:
    assert codes(compile_text(tmp_path, text)) == found


def test_an_id_is_unique_over_a_runner_and_its_agent(tmp_path: Path) -> None:
    text = HEAD + MODEL + f"agents:\n  support: {{model: clerk, plugins: [{LOG}]}}\n"
    text += f"runners:\n  desk: {{agent: support, plugins: [{LOG}]}}\n  other: {{agent: support}}\n"
    found = compile_text(tmp_path, text).diagnostics
    assert [d.code for d in found] == ["ADK203"]
    assert found[0].path == ("agents", "support", "plugins", 0)
    assert found[0].labels[0].span.line == 9


def test_a_name_that_is_near_is_suggested(tmp_path: Path) -> None:
    found = compile_text(tmp_path, BASE.replace("agent: support", "agent: suport")).diagnostics[0]
    assert found.help == "did you mean `support`?"
    assert found.notes == ("agents: support",)
    assert (found.span.line, found.span.column) == (9, 17)


def test_agents_need_no_runner(tmp_path: Path) -> None:
    assert codes(compile_text(tmp_path, HEAD + MODEL + AGENT)) == ["ADK413"]


@pytest.mark.parametrize("count", [128, 129])
def test_the_length_of_a_list(tmp_path: Path, count: int) -> None:
    items = "\n".join(f"      - {{id: p{i}, use: metadata_logger, timeout_ms: 1}}" for i in range(count))
    result = compile_text(
        tmp_path, HEAD + MODEL + AGENT + f"runners:\n  desk:\n    agent: support\n    plugins:\n{items}\n"
    )
    assert codes(result) == ([] if count == 128 else ["ADK416"])
