"""The schema of manifests with the configurations of components in it."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from adk_decl.compiler.context import Context
from adk_decl.components import catalogue
from adk_decl.diagnostics.diagnostic import DiagnosticBag
from adk_decl.editor.component_schema import schema_with_components
from adk_decl.editor.uses import Components, Use, uses_of
from adk_decl.schema.subset import in_subset
from adk_decl.syntax.document import Document
from adk_decl.syntax.read import read_file
from tests.architecture.sources import CHECKOUT
from tests.compiler.project import PLUGIN, write_files
from tests.components.packages import install, row

EXAMPLES = sorted((CHECKOUT / "manifests").glob("*.adk.*"))


def _read(path: Path) -> tuple[Document, dict[str, Any]]:
    document = read_file(str(path), bag=DiagnosticBag())
    assert document is not None
    return document, schema_with_components(Components(Context(str(path)), document), uses_of(document))


def _errors(schema: dict[str, Any], value: Any) -> list[str]:
    found = jsonschema.Draft202012Validator(schema).iter_errors(value)
    return sorted("/".join(map(str, error.path)) for error in found)


@pytest.fixture(scope="module")
def quickstart() -> tuple[Any, dict[str, Any]]:
    document, schema = _read(CHECKOUT / "manifests" / "quickstart.adk.yaml")
    return document.root.to_plain(), schema


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_the_examples_fit(path: Path) -> None:
    document, schema = _read(path)
    jsonschema.Draft202012Validator.check_schema(schema)
    assert in_subset(schema)
    assert "oneOf" not in str(schema)
    assert _errors(schema, document.root.to_plain()) == []


@pytest.mark.parametrize(
    ("path", "value", "place"),
    [
        (("plugins", "house-style", "config", "position"), "in front", "plugins/house-style/config/position"),
        (("plugins", "house-style", "config"), {}, "plugins/house-style/config"),
        (
            ("plugins", "mask-emails", "config", "visible_characters"),
            9,
            "plugins/mask-emails/config/visible_characters",
        ),
        (("models", "clerk", "config", "replys"), [], "models/clerk/config"),
        (("runners", "desk", "session_store", "config"), {"x": 1}, "runners/desk/session_store/config"),
        (
            ("runners", "desk", "plugins"),
            [{"id": "a", "use": "context_filter", "config": {"max_messages": 0}}],
            "runners/desk/plugins/0/config/max_messages",
        ),
    ],
)
def test_a_wrong_configuration_is_found_at_its_place(
    quickstart: tuple[Any, dict[str, Any]], path: tuple[str, ...], value: Any, place: str
) -> None:
    plain, schema = copy.deepcopy(quickstart[0]), quickstart[1]
    inner = plain
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    assert _errors(schema, plain) == [place]


def test_a_configuration_that_has_to_be_there(quickstart: tuple[Any, dict[str, Any]]) -> None:
    plain, schema = copy.deepcopy(quickstart[0]), quickstart[1]
    del plain["plugins"]["house-style"]["config"]
    assert _errors(schema, plain) == ["plugins/house-style"]


def test_a_component_that_is_unknown_takes_anything(quickstart: tuple[Any, dict[str, Any]]) -> None:
    plain, schema = copy.deepcopy(quickstart[0]), quickstart[1]
    plain["plugins"]["audit"] = {"use": "of_a_package_that_is_elsewhere", "config": {"x": 1}}
    assert _errors(schema, plain) == []


def test_names_are_offered_for_use(quickstart: tuple[Any, dict[str, Any]]) -> None:
    offered = quickstart[1]["$defs"]["plugin"]["properties"]["use"]["examples"]
    assert {"global_instruction", "python:support.policy:MaskEmails"} <= set(offered)


def test_schemas_of_packages_keep_their_inner_references(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inner = {
        "$id": "https://example.com/x",
        "type": "object",
        "properties": {"daily": {"$ref": "#/$defs/n"}, "$id": {"type": "string"}},
        "$defs": {"n": {"type": "integer"}},
    }
    install(tmp_path, row(config_schema=inner), row(name="acme_free", config_schema={"oneOf": [{}, {}]}))
    monkeypatch.syspath_prepend(str(tmp_path))
    catalogue.forget()
    try:
        schema = schema_with_components(Components(Context("m.adk.yaml"), None), [])
    finally:
        monkeypatch.undo()
        catalogue.forget()
    head = {"apiVersion": "adk-decl/v1", "kind": "Manifest", "name": "x"}
    wrong = {**head, "plugins": {"a": {"use": "acme_quota", "config": {"daily": "x", "$id": 1}}}}
    assert _errors(schema, wrong) == ["plugins/a/config/$id", "plugins/a/config/daily"]
    assert "oneOf" not in str(schema)
    assert _errors(schema, {**head, "plugins": {"a": {"use": "acme_free", "config": {"x": 1}}}}) == []


def test_a_literal_that_is_no_json_is_left_out(tmp_path: Path) -> None:
    literal = '{"type": "object", "properties": {"n": {"default": {1, 2}}}}'
    code = f"{PLUGIN}class P(Plugin):\n    config_schema = {literal}\n    def after_run(self, ctx, value): ...\n"
    write_files(tmp_path, {"own.py": code})
    use = Use("plugin", "python:own:P")
    schema = schema_with_components(Components(Context(str(tmp_path / "m.adk.yaml")), None), [use])
    assert use.name in schema["$defs"]["plugin"]["properties"]["use"]["examples"]
    assert use.name not in str(schema["$defs"]["plugin"]["allOf"])
