"""What this version can't do: one finding, and nothing else about it."""

from __future__ import annotations

from pathlib import Path

import pytest

from adk_decl.plan.features import UNAVAILABLE
from tests.compiler.project import BASE, codes, compile_text, with_plugin


@pytest.mark.parametrize(
    ("text", "count"),
    [
        (BASE + "exporters: {c: {use: otlp_http_json, config: {endpoint: 3}, nonsense: 1}}\n", 1),
        (BASE + "evals: 3\n", 1),
        (BASE.replace("{agent: support}", "{agent: support, observability: {exporters: [none]}}"), 1),
        (BASE.replace("{model: clerk}", "{model: clerk, sub_agents: [nobody]}"), 1),
        (BASE.replace("use: scripted", "fallback: nobody, use: scripted"), 1),
        (BASE.replace("use: scripted, config: {replies: [{text: Hello.}]}", "use: gemini, config: {x: 1}"), 1),
        (with_plugin("use: response_cache, config: {anything: 1}"), 1),
        (with_plugin("use: metadata_logger, isolation: fresh, sandbox: strict, state: {max_queue: -1}"), 3),
        (with_plugin("use: metadata_logger", plugins="p, {id: q, use: metadata_logger, state: {max_queue: -1}}"), 1),
    ],
)
def test_one_finding_for_each(tmp_path: Path, text: str, count: int) -> None:
    assert codes(compile_text(tmp_path, text)) == ["ADK209"] * count


def test_rows_are_not_repeated() -> None:
    keys = [(row.what, row.pattern, row.value) for row in UNAVAILABLE]
    assert len(keys) == len(set(keys))
