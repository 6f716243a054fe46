"""How two layers meet, and that a layered manifest is the manifest that one would write in one piece."""

from __future__ import annotations

import copy
import itertools
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adk_decl.compiler.compile import compile_file
from adk_decl.diagnostics import text
from tests.compiler.layered import BASE_TEXT, HEAD, OVERLAY, as_toml, as_yaml, compile_layers, over_base
from tests.compiler.project import codes, write_files

DESK = "runners: {desk: {plugins: %s}}\n"
AUDIT = "plugins: {audit: {use: metadata_logger}}\n"


@pytest.fixture(autouse=True)
def _in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("overlay", "plugins"),
    [
        ("plugins: {log: {timeout_ms: 9}}\n", [("log", 9)]),
        (AUDIT + DESK % "{$merge: append, items: [audit]}", [("log", 250), ("audit", 1000)]),
        (
            "x-a: 1\n" + DESK % "{items: [{id: own, use: metadata_logger}, log], $merge: replace}",
            [("own", 1000), ("log", 250)],
        ),
        (DESK % "{$merge: replace, items: []}" + "plugins: {log: {$delete: true}}\n", []),
        (DESK % "{$delete: true}" + "plugins: {$delete: true}\n", []),
        ("plugins: {log: {$merge: replace, use: metadata_logger}}\n", [("log", 1000)]),
        ("plugins: {$merge: replace, log: {use: metadata_logger, timeout_ms: 8}}\n", [("log", 8)]),
        ("plugins: {log: {timeout_ms: {$delete: true}}}\n", [("log", 1000)]),
    ],
)
def test_what_becomes_of_plugins(tmp_path: Path, overlay: str, plugins: list[tuple[str, int]]) -> None:
    result = over_base(tmp_path, overlay)
    assert result.diagnostics == ()
    assert result.plan is not None
    assert [(plugin.id, plugin.timeout_ms) for plugin in result.plan.runners["desk"].plugins] == plugins


def test_appending_where_nothing_lies(tmp_path: Path) -> None:
    base = BASE_TEXT.replace(", plugins: [log]", "")
    overlay = DESK % "{$merge: append, items: [log]}"
    plan = compile_layers(tmp_path, {"base.yaml": base, "over.yaml": overlay}, overlays=["over.yaml"]).plan
    assert plan is not None
    assert [plugin.id for plugin in plan.runners["desk"].plugins] == ["log"]


def test_a_secret_is_replaced_as_a_whole(tmp_path: Path) -> None:
    base = BASE_TEXT.replace("{use: scripted", "{api_key: {secret: {env: KEY}}, use: scripted")
    overlay = "models: {clerk: {api_key: {secret: {file: /run/key}}}}\n"
    plan = compile_layers(tmp_path, {"base.yaml": base, "over.yaml": overlay}, overlays=["over.yaml"]).plan
    assert plan is not None
    key = plan.models["clerk"].api_key
    assert key is not None
    assert (key.source, key.name) == ("file", "/run/key")


@pytest.mark.parametrize(
    ("overlay", "code", "line", "column"),
    [
        (DESK % "[log]", "ADK503", 1, 18),
        (DESK % "[{id: log, use: metadata_logger}]", "ADK503", 1, 18),
        ("plugins: {logg: {$delete: true}}\n", "ADK504", 1, 18),
        ("tools: {$delete: true}\n", "ADK504", 1, 9),
        ("plugins: {new: {use: metadata_logger, mode: {$delete: true}}}\n", "ADK504", 1, 46),
        (DESK % "{$merge: append, items: [{$delete: true}]}", "ADK505", 1, 53),
        ("plugins: {log: {$delete: false}}\n", "ADK506", 1, 26),
        ("plugins: {log: {$delete: 'true'}}\n", "ADK506", 1, 26),
        ("plugins: {log: {$delete: true, use: x}}\n", "ADK506", 1, 32),
        ("plugins: {log: {$merge: replace, $delete: true}}\n", "ADK506", 1, 34),
        (DESK % "{$merge: prepend, items: []}", "ADK506", 1, 36),
        (DESK % "{$merge: append}", "ADK506", 1, 36),
        (DESK % "{$merge: append, items: 3}", "ADK506", 1, 36),
        ("plugins: {$merge: append, items: [log]}\n", "ADK506", 1, 11),
        ("name: {$merge: append, items: [log]}\n", "ADK506", 1, 8),
        (DESK % "{$append: [log]}", "ADK506", 1, 28),
        ("plugins: {log: {$delet: true}}\n", "ADK506", 1, 17),
    ],
)
def test_what_does_not_meet(tmp_path: Path, overlay: str, code: str, line: int, column: int) -> None:
    found = [each for each in over_base(tmp_path, overlay).diagnostics if each.severity == "error"]
    assert [each.code for each in found] == [code]
    assert (found[0].span.file, found[0].span.line, found[0].span.column) == ("over.yaml", line, column)


@pytest.mark.parametrize(
    ("overlay", "help_text"),
    [
        (DESK % "{$append: [log]}", "write `{$merge: append, items: [...]}`"),
        ("plugins: {log: {$remove: true}}\n", "write `{$delete: true}`"),
        ("plugins: {log: {$delet: true}}\n", "did you mean `$delete`?"),
    ],
)
def test_directives_of_other_systems(tmp_path: Path, overlay: str, help_text: str) -> None:
    (found,) = over_base(tmp_path, overlay).diagnostics
    assert (found.code, found.help) == ("ADK506", help_text)


def test_schemas_have_keys_with_a_dollar_sign(tmp_path: Path) -> None:
    schema = "{type: object, properties: {a: {$ref: '#/$defs/b'}}, $defs: {b: {type: string}}}"
    assert over_base(tmp_path, f"agents: {{support: {{output_schema: {schema}}}}}\n").diagnostics == ()


def test_nobody_looks_below_an_x_key(tmp_path: Path) -> None:
    base = BASE_TEXT + "x-list: [1]\nx-map: {$merge: prepend, a: [{$delete: 1}]}\n"
    overlay = "x-list: [2]\nx-map: {$append: [3]}\nx-new: {a: {$merge: 5}}\n"
    result = compile_layers(tmp_path, {"base.yaml": base, "over.yaml": overlay}, overlays=["over.yaml"])
    assert result.diagnostics == ()


def test_a_near_name_of_what_is_removed(tmp_path: Path) -> None:
    (found,) = over_base(tmp_path, "plugins: {logg: {$delete: true}}\n").diagnostics
    assert found.help == "did you mean `log`?"


@pytest.mark.parametrize(
    "value", ["{$merge: append, items: [log]}", "[{id: log, use: metadata_logger, $delete: true}]"]
)
def test_directives_over_nothing(tmp_path: Path, value: str) -> None:
    base = BASE_TEXT.replace("[log]", value).replace("  log:", "  x-log:" if "id" in value else "  log:")
    assert codes(compile_layers(tmp_path, {"base.yaml": base})) == ["ADK505"]


def test_no_value_of_a_configuration_is_shown(tmp_path: Path) -> None:
    base = BASE_TEXT.replace("{use: scripted,", "{use: scripted, max_concurrency: 1,").replace(
        "text: Hello.", "text: Geheim1"
    )
    overlay = "models: {clerk: {config: {replies: [{text: Geheim2}]}}}\n"
    result = compile_layers(tmp_path, {"base.yaml": base, "over.yaml": overlay}, overlays=["over.yaml"])
    assert codes(result) == ["ADK503"]
    shown = text.render(result.diagnostics, result.sources)
    assert "replies" in shown
    assert "Geheim" not in shown


def test_a_masked_line_of_a_merged_configuration(tmp_path: Path) -> None:
    """A finding about another key of a line inside `config` masks its values in whichever layer it lies."""
    base = BASE_TEXT.replace("{text: Hello.}", "{text: Geheim1, delay_ms: soon}")
    overlay = "models: {clerk: {config: {on_empty: Geheim2}}}\n"
    result = compile_layers(tmp_path, {"base.yaml": base, "over.yaml": overlay}, overlays=["over.yaml"])
    assert {found.span.file for found in result.diagnostics} == {"base.yaml", "over.yaml"}
    assert "Geheim" not in text.render(result.diagnostics, result.sources)


WHOLE: dict[str, Any] = {
    **HEAD,
    "name": "shop",
    "description": "All of it.",
    "models": {
        "fast": {
            "use": "scripted",
            "timeout_ms": 2000,
            "retries": {"max_attempts": 2, "base_delay_ms": 10},
            "config": {"replies": [{"text": "a"}, {"text": "b"}]},
        },
        "keyed": {"use": "openai_chat", "model": "${env:M:-m}", "api_key": {"secret": {"env": "KEY"}}},
    },
    "agents": {
        "one": {"model": "fast", "instruction": "Cost is $$5.", "generation": {"temperature": 0.5, "stop": ["x", "y"]}},
        "two": {"model": "keyed"},
    },
    "plugins": {"log": {"use": "metadata_logger", "timeout_ms": 9}, "log2": {"use": "metadata_logger"}},
    "runners": {
        "desk": {"agent": "one", "plugins": ["log", "log2"], "limits": {"run_timeout_ms": 5000}},
        "shop": {"agent": "two", "plugins": [{"id": "own", "use": "metadata_logger"}, "log"]},
    },
}
"""A manifest whose parts the property test spreads over layers."""


def spread(tree: dict[str, Any], source: random.Random, layers: int) -> list[dict[str, Any]]:
    """Layers that together say `tree`: values overridden, entries removed again, lists in pieces."""
    parts: list[dict[str, Any]] = [{} for _ in range(layers)]
    for key, value in tree.items():
        if isinstance(value, dict) and "secret" not in value:
            for part, inner in zip(parts, spread(value, source, layers), strict=True):
                if inner or source.random() < 0.1:
                    part[key] = inner
            if not any(key in part for part in parts):
                parts[0][key] = {}
            continue
        first = source.randrange(layers)
        if isinstance(value, list):
            _spread_list(key, value, parts[first:], source)
        else:
            for part in parts[first:-1]:
                if source.random() < 0.5:
                    part[key] = source.choice([value, "other", 7, {"secret": {"file": "f"}}])
            parts[-1][key] = value
    if layers > 1 and source.random() < 0.3:
        born = source.randrange(layers - 1)
        parts[born]["gone"] = source.choice([{"use": 3}, 5, [1]])
        parts[source.randrange(born + 1, layers)]["gone"] = {"$delete": True}
    return parts


def _spread_list(key: str, value: list[Any], parts: list[dict[str, Any]], source: random.Random) -> None:
    places = sorted(source.sample(range(len(parts)), source.randint(1, len(parts))))
    if source.random() < 0.5:
        for place in places[:-1]:
            parts[place][key] = {"$merge": "replace", "items": ["decoy"]}
        parts[places[-1]][key] = {"$merge": "replace", "items": value}
        return
    cuts = sorted(source.randrange(len(value) + 1) for _ in places[1:])
    for place, (start, end) in zip(places, itertools.pairwise([0, *cuts, len(value)]), strict=True):
        parts[place][key] = {"$merge": "append", "items": value[start:end]}


def plain_bottom(tree: Any) -> Any:
    """The lowest layer, where no directive may stand."""
    if isinstance(tree, dict):
        if set(tree) == {"$merge", "items"}:
            return tree["items"]
        return {key: plain_bottom(value) for key, value in tree.items()}
    return tree


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**32), layers=st.integers(1, 4), parents=st.integers(0, 3))
def test_layers_give_the_plan_of_the_whole(tmp_path: Path, seed: int, layers: int, parents: int) -> None:
    source = random.Random(seed)
    body = {key: value for key, value in copy.deepcopy(WHOLE).items() if key not in HEAD}
    parts = spread(body, source, layers)
    parts[0] = plain_bottom(parts[0])
    parents = min(parents, layers - 1)
    files: dict[str, str] = {"whole.yaml": as_yaml(WHOLE)}
    names = [f"l{index}.{source.choice(['yaml', 'toml'])}" for index in range(layers)]
    for index, (name, part) in enumerate(zip(names, parts, strict=True)):
        head = dict(HEAD if index <= parents else source.choice([OVERLAY, HEAD, {}]))
        if 0 < index <= parents:
            head["extends"] = names[index - 1]
        files[name] = (as_toml if name.endswith("toml") else as_yaml)({**head, **part})
    write_files(tmp_path, files)
    whole = compile_file(str(tmp_path / "whole.yaml"))
    layered = compile_file(str(tmp_path / names[parents]), overlays=[str(tmp_path / n) for n in names[parents + 1 :]])
    assert whole.plan is not None, whole.diagnostics
    assert layered.plan is not None, (layered.diagnostics, files)
    assert layered.plan.digest == whole.plan.digest
    assert layered.plan == whole.plan


SCRAPS = st.recursive(
    st.sampled_from([True, False, None, 3, "log", "replace", "append", "${env:A}"]),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(["$merge", "$delete", "items", "plugins", "log", "desk", "runners", "use", "config", "id"]),
            inner,
            max_size=3,
        ),
    ),
    max_leaves=12,
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(overlay=st.dictionaries(st.sampled_from(["plugins", "runners", "$merge", "$delete", "models"]), SCRAPS))
def test_no_overlay_makes_the_compiler_fail(tmp_path: Path, overlay: dict[str, Any]) -> None:
    result = over_base(tmp_path, as_yaml(overlay))
    assert (result.plan is None) == any(found.severity == "error" for found in result.diagnostics)
    for found in result.diagnostics:
        assert 1 <= found.span.line <= len(result.sources[found.span.file].split("\n"))
    compile_file(str(tmp_path / "over.yaml"), checks_only=True)
