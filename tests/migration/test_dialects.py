"""Spellings of other systems, as operators of those write them."""

from __future__ import annotations

from pathlib import Path

import pytest

from adk_decl.components.catalogue import find
from adk_decl.diagnostics.diagnostic import DiagnosticBag
from adk_decl.migration.dialects import DIALECTS
from adk_decl.migration.engine import Migrated, migrate
from adk_decl.plan.features import UNAVAILABLE
from adk_decl.plan.phases import PHASES
from adk_decl.syntax.read import read_bytes
from tests.compiler.project import AGENT, HEAD, MODEL, codes, compile_text

BASE = HEAD + MODEL

ERLANG = """\
plugins:
  - id: house-style   # first
    module: adk_plugin_global_instruction
    mode: intervene
    failure_policy: closed
    timeout_ms: 250
    max_heap_words: 8388608
    max_result_bytes: 65536
    isolation: process
    config: {instruction: Be short.}
runners:
  desk:
    agent: support
    plugins: [house-style, {id: log, module: metadata_logger, failure_policy: fail_open}]
"""
RUST = """\
plugins:
  - name: retry-reflect
    mode: intervene
    config:
      max_retries: 3
      backoff: exponential   # slower each time
agents:
  support:
    model: clerk
    instructions: Be short.
    callbacks: {before_tool_call: "python:shop:cb"}
    plugins:
      - {name: metadata-logger, hooks: [before_tool_call, after_model_call]}
runners:
  desk: {agent: support, plugins: [retry-reflect]}
"""
GOOGLE = """\
plugins:
  - name: retry
    class: ReflectAndRetryToolPlugin
    mode: intervene
    config: {max_retries: 2, throw_exception_if_retry_exceeded: true}
  - name: filter
    class: ContextFilterPlugin
    mode: intervene
    hooks: [before_model_callback]
    config: {num_invocations_to_keep: 3}
agents:
  support:
    agent_class: LlmAgent
    model: clerk
    generate_content_config: {stop_sequences: [end], temperature: 0.5}
    callbacks: {before_model_callback: "python:shop:cb"}
runners:
  desk: {agent: support, plugins: [retry, filter]}
"""


def turned(text: str, dialect: str) -> Migrated:
    document = read_bytes(text.encode(), file="m.adk.yaml", format="yaml", bag=DiagnosticBag())
    assert document is not None
    return migrate(document, DIALECTS[dialect])


def test_erlang(tmp_path: Path) -> None:
    done = turned(BASE + AGENT + ERLANG, "erlang")
    assert codes(compile_text(tmp_path, done.text)) == []
    assert "  house-style:   # first\n    use: global_instruction\n" in done.text
    assert "{id: log, use: metadata_logger, failure_policy: open}" in done.text
    assert not any(change.by_hand for change in done.changes)


def test_adk_rust(tmp_path: Path) -> None:
    done = turned(BASE + RUST, "adk-rust")
    assert [change.message for change in done.changes if change.by_hand] == [
        "`backoff` has no counterpart: a retry counts attempts of each tool, and never waits"
    ]
    left = done.text.replace("      backoff: exponential   # slower each time\n", "")
    result = compile_text(tmp_path, left, {"shop.py": "def cb(ctx, value):\n    return None\n"})
    assert codes(result) == []
    assert "  retry-reflect:\n    use: reflect_retry\n    mode: intervene\n" in done.text
    assert "max_attempts: 3" in done.text
    assert "{use: metadata_logger, id: metadata-logger, hooks: [before_tool, after_model]}" in done.text


def test_google_adk(tmp_path: Path) -> None:
    done = turned(BASE + GOOGLE, "google-adk")
    assert sum(change.by_hand for change in done.changes) == 2
    left = done.text.replace(", throw_exception_if_retry_exceeded: true", "")
    left = left.replace("num_invocations_to_keep: 3", "max_messages: 30")
    result = compile_text(tmp_path, left, {"shop.py": "def cb(ctx, value):\n    return None\n"})
    assert codes(result) == []
    assert "generation: {stop: [end], temperature: 0.5}" in done.text


@pytest.mark.parametrize("dialect", DIALECTS)
def test_our_own_spelling_stays(dialect: str) -> None:
    text = turned(BASE + AGENT + ERLANG, "erlang").text
    assert turned(text, dialect) == Migrated(text=text, changes=())


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_table_names_only_what_there_is(dialect: str) -> None:
    later = {row.pattern.partition(":")[2] for row in UNAVAILABLE if row.what == "component"}
    for rule in DIALECTS[dialect]:
        assert sum(x is not None for x in (rule.rename, rule.insert_before, rule.key_by, rule.by_hand)) <= 1
        if rule.component is not None:
            assert find("plugin", rule.component) is not None
        last = rule.pattern.rpartition(".")[2]
        if last == "use" or rule.insert_before == "use":
            assert all(find("plugin", name) or name in later for name in rule.values.values()), rule
        if ".hooks." in rule.pattern:
            assert set(rule.values.values()) <= set(PHASES)
