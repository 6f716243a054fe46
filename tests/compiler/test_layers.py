"""Which files a manifest is made of, in which order, and what may not be a layer."""

from __future__ import annotations

from pathlib import Path

import pytest

from adk_decl.compiler.compile import compile_file
from adk_decl.diagnostics.diagnostic import Diagnostic
from adk_decl.plan.limits import LIMITS
from tests.compiler.layered import BASE_TEXT, compile_layers, over_base
from tests.compiler.project import codes, write_files

CHILD = "apiVersion: adk-decl/v1\nkind: Manifest\nname: child\n"


@pytest.fixture(autouse=True)
def _in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def timeout(milliseconds: int) -> str:
    return f"plugins: {{log: {{timeout_ms: {milliseconds}}}}}\n"


def only(result_diagnostics: tuple[Diagnostic, ...]) -> Diagnostic:
    (found,) = result_diagnostics
    return found


def test_the_order_of_layers(tmp_path: Path) -> None:
    layers = {
        "grand.yaml": BASE_TEXT + "overlays: [a.yaml]\n",
        "a.yaml": timeout(1) + "models: {clerk: {timeout_ms: 1, max_concurrency: 1}}\n",
        "mid.yaml": CHILD + "extends: grand.yaml\nmodels: {clerk: {timeout_ms: 2}}\n",
        "main.yaml": CHILD + "extends: mid.yaml\noverlays: [b.yaml, c.yaml]\ndescription: main\n",
        "b.yaml": timeout(3) + "description: b\n",
        "c.yaml": timeout(4),
        "d.yaml": timeout(5),
    }
    plan = compile_layers(tmp_path, layers, main="main.yaml", overlays=["d.yaml"]).plan
    assert plan is not None
    assert [Path(path).name for path in plan.layers] == [
        *("grand.yaml", "a.yaml", "mid.yaml", "main.yaml", "b.yaml", "c.yaml", "d.yaml")
    ]
    assert (plan.name, plan.body.description) == ("child", "b")
    model, plugin = plan.models["clerk"], plan.runners["desk"].plugins[0]
    assert (model.timeout_ms, model.max_concurrency, plugin.timeout_ms) == (2, 1, 5)


def test_a_manifest_without_layers_is_its_only_one(tmp_path: Path) -> None:
    plan = compile_layers(tmp_path, {}).plan
    assert plan is not None
    assert plan.layers == (str(tmp_path / "base.yaml"),)


@pytest.mark.parametrize(
    ("main", "others", "code", "place"),
    [
        ("extends: main.yaml\n", {}, "ADK501", "main.yaml:4:10"),
        ("extends: a.yaml\n", {"a.yaml": CHILD + "extends: main.yaml\n"}, "ADK501", "a.yaml:4:10"),
        ("extends: base.yaml\noverlays: [base.yaml]\n", {}, "ADK501", "main.yaml:5:12"),
        ("extends: base.yaml\noverlays: [a.yaml, ./a.yaml]\n", {"a.yaml": timeout(1)}, "ADK501", "main.yaml:5:20"),
        ("extends: nothing.yaml\n", {}, "ADK502", "main.yaml:4:10"),
        ("extends: folder\n", {"folder/x": ""}, "ADK502", "main.yaml:4:10"),
        ("extends: base.txt\n", {"base.txt": ""}, "ADK502", "main.yaml:4:10"),
        ("extends: ../base.yaml\n", {}, "ADK221", "main.yaml:4:10"),
        ('extends: "a\\0b"\n', {}, "ADK002", "main.yaml:4:10"),
        ("extends: a.yaml\n", {"a.yaml": "kind: [\n"}, "ADK004", "a.yaml:1:7"),
        ("extends: a.yaml\n", {"a.yaml": ""}, "ADK015", "a.yaml:1:1"),
        ("extends: a.yaml\n", {"a.yaml": "kind: Overlay\n"}, "ADK508", "main.yaml:4:10"),
        ("extends: a.yaml\n", {"a.yaml": "kind: EvalSet\n"}, "ADK209", "a.yaml:1:7"),
        ("extends: a.yaml\n", {"a.yaml": "something: else\n"}, "ADK130", "a.yaml:1:1"),
        ("extends: base.yaml\noverlays: [a.yaml]\n", {"a.yaml": "- 1\n"}, "ADK101", "a.yaml:1:1"),
        ("extends: base.yaml\noverlays: [a.yaml]\n", {"a.yaml": "overlays: [b.yaml]\n"}, "ADK509", "a.yaml:1:1"),
        ("extends: base.yaml\noverlays: [a.yaml]\n", {"a.yaml": "extends: 3\n"}, "ADK509", "a.yaml:1:1"),
        ("extends: base.yaml\noverlays: [a.yaml]\n", {"a.yaml": "apiVersion: adk-decl/v9\n"}, "ADK130", "a.yaml:1:13"),
        ("extends: base.yaml\noverlays: a.yaml\n", {}, "ADK101", "main.yaml:5:11"),
        ("extends: base.yaml\noverlays: [a.yaml, a.yaml]\n", {}, "ADK124", "main.yaml:5:20"),
    ],
)
def test_what_is_no_layer(tmp_path: Path, main: str, others: dict[str, str], code: str, place: str) -> None:
    found = only(compile_layers(tmp_path, {"main.yaml": CHILD + main, **others}, main="main.yaml").diagnostics)
    assert found.code == code
    if code != "ADK002":
        assert f"{found.span.file}:{found.span.line}:{found.span.column}" == place


def test_both_places_of_a_repeated_layer(tmp_path: Path) -> None:
    main = CHILD + "extends: base.yaml\noverlays: [a.yaml]\n"
    layers = {"main.yaml": main, "a.yaml": timeout(1)}
    found = only(compile_layers(tmp_path, layers, main="main.yaml", overlays=["a.yaml"]).diagnostics)
    assert (found.code, found.span.file) == ("ADK501", "a.yaml")
    assert [(label.span.file, label.span.line) for label in found.labels] == [("main.yaml", 5)]


def test_an_overlay_of_the_caller_that_is_not_there(tmp_path: Path) -> None:
    assert codes(compile_layers(tmp_path, {}, overlays=["gone.yaml"])) == ["ADK020"]


def test_a_link_out_of_the_project(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    outside = tmp_path_factory.mktemp("outside") / "base.yaml"
    outside.write_text(BASE_TEXT)
    (tmp_path / "link.yaml").symlink_to(outside)
    assert codes(compile_layers(tmp_path, {"main.yaml": CHILD + "extends: link.yaml\n"}, main="main.yaml")) == [
        "ADK221"
    ]


def test_too_many_layers(tmp_path: Path) -> None:
    most = LIMITS["layers.files"].maximum
    layers = {f"l{n}.yaml": timeout(n + 1) for n in range(most)}
    names = list(layers)
    assert compile_layers(tmp_path, layers, overlays=names[: most - 1]).plan is not None
    assert codes(compile_layers(tmp_path, layers, overlays=names)) == ["ADK507"]


def test_every_layer_that_is_wrong_is_reported(tmp_path: Path) -> None:
    main = CHILD + "extends: base.yaml\noverlays: [a.yaml, b.yaml, gone.yaml]\n"
    result = compile_layers(tmp_path, {"main.yaml": main, "a.yaml": "a: [", "b.yaml": "a: b: c"}, main="main.yaml")
    assert sorted(found.span.file for found in result.diagnostics) == ["a.yaml", "b.yaml", "main.yaml"]


def test_a_finding_lies_in_the_layer_that_states_it(tmp_path: Path) -> None:
    layers = {
        "main.yaml": CHILD + "extends: sub/base.yaml\nplugins: {log: {timeout_ms: -1}}\n",
        "sub/base.yaml": BASE_TEXT.replace("use: metadata_logger", "use: metadata_logger, max_heap_mib: many")
        + "tools: {find: {use: 'python:nowhere:find'}}\n",
    }
    result = compile_layers(tmp_path, layers, main="main.yaml")
    assert {(found.code, found.span.file, found.span.line) for found in result.diagnostics} == {
        ("ADK121", "main.yaml", 5),
        ("ADK101", "sub/base.yaml", 9),
        ("ADK206", "sub/base.yaml", 12),
    }
    assert set(result.sources) == {"main.yaml", "sub/base.yaml"}


def test_an_error_inside_a_reference_of_another_layer(tmp_path: Path) -> None:
    """The column is found in the text of the file that states it."""
    found = only(over_base(tmp_path, "# one\n# two\nmodels: {clerk: {base_url: 'https://${oops}/v1'}}\n").diagnostics)
    assert (found.code, found.span.file, found.span.line, found.span.column) == ("ADK302", "over.yaml", 3, 37)


def test_old_words_and_secrets_are_found_in_each_layer(tmp_path: Path) -> None:
    overlay = "description: NO\nx-note: sk-abcdefghij1234567890abcd\n"
    result = over_base(tmp_path, overlay)
    assert {(found.code, found.span.file) for found in result.diagnostics} == {
        ("ADK009", "over.yaml"),
        ("ADK301", "over.yaml"),
    }


def test_a_secret_that_a_higher_layer_hides_is_still_found(tmp_path: Path) -> None:
    secret = "sk-abcdefghij1234567890abcd"
    base = BASE_TEXT.replace("{use: scripted", f"{{api_key: {secret}, use: scripted")
    overlay = "models: {clerk: {api_key: {secret: {env: KEY}}}}\n"
    result = compile_layers(tmp_path, {"base.yaml": base, "over.yaml": overlay}, overlays=["over.yaml"])
    assert [(found.code, found.span.file) for found in result.diagnostics] == [("ADK301", "base.yaml")]


def test_paths_are_relative_to_the_layer_that_states_them(tmp_path: Path) -> None:
    base = BASE_TEXT.replace("plugins: [log]}", "plugins: [log], session_store: {use: sqlite, path: var/s.db}}")
    base = base.replace("{model: clerk}", "{model: clerk, output_schema: answer.json, tools: [find]}")
    layers = {
        "main.yaml": CHILD + "extends: sub/base.yaml\n",
        "sub/base.yaml": base + "tools: {find: {use: 'python:shop:find'}}\n",
        "sub/answer.json": '{"type": "object"}',
        "sub/shop.py": "def find(a: int) -> int:\n    return a\n",
    }
    plan = compile_layers(tmp_path, layers, main="main.yaml").plan
    assert plan is not None
    assert plan.runners["desk"].session_store.path == "sub/var/s.db"
    assert plan.agents["support"].output_schema == {"type": "object"}
    assert plan.tools["find"].code.file == "sub/shop.py"


def test_an_overlay_alone(tmp_path: Path) -> None:
    overlay = "kind: Overlay\nplugins:\n  log: {timeout_ms: 3, $merge: replace}\n  old: {$delete: true}\n"
    overlay += "runners: {desk: {plugins: {$merge: append, items: [new]}}}\n"
    write_files(tmp_path, {"over.yaml": overlay, "bad.yaml": "kind: Overlay\nplugins: {a: {timeout_msec: 3}}\n"})
    checked = compile_file("over.yaml", checks_only=True)
    assert (checked.diagnostics, checked.kind, checked.plan) == ((), "Overlay", None)
    assert codes(compile_file("over.yaml")) == ["ADK508"]
    assert codes(compile_file("bad.yaml", checks_only=True)) == ["ADK110"]


def test_a_secret_is_complete_in_an_overlay_alone(tmp_path: Path) -> None:
    write_files(tmp_path, {"over.yaml": "kind: Overlay\nmodels: {fast: {api_key: {secret: {}}}}\n"})
    assert len(compile_file("over.yaml", checks_only=True).diagnostics) == 1


def test_texts_stand_in_place_of_layers_too(tmp_path: Path) -> None:
    write_files(tmp_path, {"base.yaml": BASE_TEXT, "main.yaml": CHILD + "extends: base.yaml\n"})
    texts = {str(tmp_path / "base.yaml"): BASE_TEXT.replace("timeout_ms: 250", "timeout_ms: 77").encode()}
    plan = compile_file("main.yaml", texts=texts).plan
    assert plan is not None
    assert plan.runners["desk"].plugins[0].timeout_ms == 77


def test_a_definition_of_a_lower_layer_that_nothing_uses_any_more(tmp_path: Path) -> None:
    child = CHILD + "extends: base.yaml\nrunners: {desk: {plugins: {$merge: replace, items: []}}}\n"
    found = only(compile_layers(tmp_path, {"main.yaml": child}, main="main.yaml").diagnostics)
    assert (found.code, found.span.file) == ("ADK204", "base.yaml")
    assert found.help is not None
    assert "$delete" in found.help
    gone = child + "plugins: {log: {$delete: true}}\n"
    assert compile_layers(tmp_path, {"main.yaml": gone}, main="main.yaml").diagnostics == ()
