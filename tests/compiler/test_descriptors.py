"""Which default wins, and which limits, modes and isolations go together."""

from __future__ import annotations

from pathlib import Path

import pytest

from adk_decl.compiler.bound import BoundPlugin
from adk_decl.compiler.descriptors import settle_plugins
from adk_decl.compiler.names import resolve_names
from adk_decl.compiler.shape import check_shape
from adk_decl.compiler.tree import Tree
from adk_decl.diagnostics.diagnostic import DiagnosticBag
from adk_decl.plan.model import Breaker, CodeRef, PluginDescriptor
from adk_decl.plan.record import EMPTY_MAP, FrozenMap
from adk_decl.syntax.read import read_bytes
from tests.compiler.project import AGENT, HEAD, MODEL, PLUGIN, codes, compile_text, compiled, with_plugin

LOGGER = "use: metadata_logger"
PROJECT = {"own.py": f"{PLUGIN}class P(Plugin):\n    def after_model(self, ctx, value): ...\n"}


def _descriptor(folder: Path, manifest: str) -> PluginDescriptor:
    return compiled(folder, manifest, PROJECT).runners["desk"].plugins[0]


def test_every_default_is_stated(tmp_path: Path) -> None:
    plugin = _descriptor(tmp_path, with_plugin(LOGGER))
    assert (plugin.mode, plugin.failure_policy, plugin.isolation) == ("observe", "open", "worker")
    assert (plugin.timeout_ms, plugin.max_heap_mib, plugin.max_result_bytes, plugin.priority) == (1000, 64, 262144, 0)
    assert not plugin.heap_declared


def test_the_defaults_of_a_runner_come_after_the_descriptor(tmp_path: Path) -> None:
    runner = ", plugin_defaults: {timeout_ms: 7, failure_policy: closed, mode: intervene, max_heap_mib: 9}"
    plugin = _descriptor(tmp_path, with_plugin(f"{LOGGER}, timeout_ms: 8", runner=runner))
    assert (plugin.timeout_ms, plugin.failure_policy, plugin.mode) == (8, "closed", "intervene")
    assert (plugin.max_heap_mib, plugin.heap_declared) == (9, True)


@pytest.mark.parametrize(
    ("descriptor", "runner", "found"),
    [
        ("max_heap_mib: 8, max_heap_words: 2000000", "", ["ADK408"]),
        ("max_heap_words: 1000", "", ["ADK409"]),
        ("max_heap_words: 524288", "", []),
        ("isolation: inline", "", []),
        ("isolation: inline, max_heap_mib: 8", "", ["ADK402"]),
        ("priority: 1", "", ["ADK407"]),
        ("priority: 1", ", plugin_order: priority", []),
        ("priority: 1", ", plugin_order: sideways", ["ADK120"]),
        ("hooks: [before_model]", "", []),
        ("hooks: [before_modell]", "", ["ADK210"]),
        ("mode: shadow", "", []),
        ("breaker: {}", "", []),
        ("breaker: {failures: 1, window_ms: 1, cooldown_ms: 3600000}", "", []),
        ("breaker: {failures: 0}", "", ["ADK121"]),
        ("breaker: {window_ms: 3600001}", "", ["ADK121"]),
        ("breaker: {failure: 3}", "", ["ADK110"]),
        ("isolation: fresh, max_heap_mib: 8", "", ["ADK209"]),
    ],
)
def test_what_goes_together(tmp_path: Path, descriptor: str, runner: str, found: list[str]) -> None:
    assert codes(compile_text(tmp_path, with_plugin(f"{LOGGER}, {descriptor}", runner=runner))) == found


def test_a_breaker_has_every_number(tmp_path: Path) -> None:
    assert _descriptor(tmp_path, with_plugin(LOGGER)).breaker is None
    found = _descriptor(tmp_path, with_plugin(f"{LOGGER}, breaker: {{failures: 3}}")).breaker
    assert found == Breaker(failures=3, window_ms=60_000, cooldown_ms=60_000)


def test_words_become_mib_and_are_raised(tmp_path: Path) -> None:
    assert _descriptor(tmp_path, with_plugin(f"{LOGGER}, max_heap_words: 1000")).max_heap_mib == 4
    assert _descriptor(tmp_path, with_plugin(f"{LOGGER}, max_heap_words: 524289")).max_heap_mib == 5


def test_a_plugin_that_has_to_intervene(tmp_path: Path) -> None:
    config = "use: global_instruction, config: {instruction: Be brief.}"
    assert codes(compile_text(tmp_path, with_plugin(config))) == ["ADK405"]
    assert codes(compile_text(tmp_path, with_plugin(f"{config}, mode: observe"))) == ["ADK405"]
    assert codes(compile_text(tmp_path, with_plugin(f"{config}, mode: shadow"))) == []
    assert codes(compile_text(tmp_path, with_plugin(f"{config}, mode: intervene"))) == []
    assert codes(compile_text(tmp_path, with_plugin(config, runner=", plugin_defaults: {mode: intervene}"))) == []


def test_project_code_never_runs_inline(tmp_path: Path) -> None:
    text = with_plugin('use: "python:own:P", isolation: inline')
    assert codes(compile_text(tmp_path, text, PROJECT)) == ["ADK410"]


def test_the_trust_domain_keeps_origins_apart(tmp_path: Path) -> None:
    text = (
        f"{HEAD}{MODEL}{AGENT}plugins:\n"
        "  a: {use: metadata_logger, domain: pii}\n"
        '  b: {use: "python:own:P", domain: pii}\n'
        '  c: {use: "python:own:P"}\n'
        "  d: {use: metadata_logger}\n"
        "runners:\n  desk: {agent: support, plugins: [a, b, c, d]}\n"
    )
    plugins = compiled(tmp_path, text, PROJECT).runners["desk"].plugins
    assert [p.domain for p in plugins] == ["domain:pii@builtin", "domain:pii@project", "project", "builtin"]


def test_an_unused_descriptor_is_checked_too(tmp_path: Path) -> None:
    text = with_plugin(LOGGER, plugins="").replace("  p:", "  p: {use: metadata_logger}\n  q:")
    text = text.replace("q: {use: metadata_logger}", "q: {use: global_instruction, config: {instruction: x}}")
    assert codes(compile_text(tmp_path, text)) == ["ADK204", "ADK204", "ADK405"]


@pytest.mark.parametrize(
    ("own", "defaults", "policy", "found"),
    [
        ("", "", "closed", []),
        ("", ", plugin_defaults: {failure_policy: open}", "closed", []),
        (", failure_policy: closed", "", "closed", []),
        (", failure_policy: open", "", "open", ["ADK403"]),
    ],
)
def test_a_guard_opens_on_its_own_descriptor_only(own: str, defaults: str, policy: str, found: list[str]) -> None:
    settled, bag = _settle_guard(with_plugin(f"use: guard{own}", runner=defaults))
    assert settled.failure_policy == policy
    assert [d.code for d in bag.sorted()] == found
    assert settled.timeout_ms == 77


def _settle_guard(manifest: str) -> tuple[PluginDescriptor, DiagnosticBag]:
    """Settle a guard that no catalogue has yet."""
    bag = DiagnosticBag()
    document = read_bytes(manifest.encode(), file="m.yaml", format="yaml", bag=bag)
    assert document is not None
    tree = Tree(check_shape(document, DiagnosticBag()), {})
    graph = resolve_names(tree, bag)
    source = graph.sources[0]
    guard = BoundPlugin(
        source=source,
        use="guard",
        code=CodeRef(module="guards", attribute="Guard"),
        origin="dist:guards",
        hooks=("before_tool",),
        priority=0,
        requires_intervene=False,
        guard=True,
        inline_safe=False,
        defaults=FrozenMap({"timeout_ms": 77}),
        returns=frozenset(),
        config=EMPTY_MAP,
    )
    settled = settle_plugins(tree, graph, {id(source.node): guard}, bag)
    return settled.runners["desk"][0].descriptor, bag


def test_component_data_says_what_is_a_guard_and_which_limits_it_has(tmp_path: Path) -> None:
    runner = ", plugin_defaults: {failure_policy: open, timeout_ms: 7}"
    guard = _descriptor(tmp_path, with_plugin("use: pii_redactor, mode: intervene", runner=runner))
    assert (guard.guard, guard.failure_policy) == (True, "closed")
    assert (guard.timeout_ms, guard.max_heap_mib, guard.max_result_bytes) == (5000, 256, 8_388_608)
    assert not _descriptor(tmp_path, with_plugin(LOGGER)).guard
