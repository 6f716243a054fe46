"""The schemas that ship: documented on every property, inside the subset, and in step with the tables of the code."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from adk_decl.components.catalogue import BUILTIN_FILES
from adk_decl.components.descriptor import KINDS, STAGES
from adk_decl.components.reading import DEFAULT_KEYS
from adk_decl.data_files import read_package_file
from adk_decl.diagnostics.codes import CODES
from adk_decl.models.protocol import MODEL_FAILURES
from adk_decl.plan.features import UNAVAILABLE
from adk_decl.plan.limits import LIMITS
from adk_decl.plan.phases import LOCAL_PHASES, PHASES
from adk_decl.schema.load import FILES, Shape, load_schema, load_shape
from adk_decl.schema.subset import EVALUATED_KEYWORDS
from tests.schema.shapes import EVERY_KEY, check, node_of, read, sub_schemas

CONFIGS = {
    f"{file}:{row['name']}": row["config_schema"]
    for file in BUILTIN_FILES
    for row in json.loads(read_package_file(file))["components"]
}
SCHEMAS: dict[str, Mapping[str, Any]] = {kind: load_schema(kind) for kind in FILES} | CONFIGS
OWN_KEYWORDS = {
    "x-env",
    "x-env-type",
    "x-secret",
    "x-mask",
    "x-name-of",
    "x-component",
    "x-code",
    "x-path",
    "x-limit",
    "x-exactly-one",
    "x-max-bytes",
    "x-form",
    "x-regex",
    "x-json-schema",
    "x-enum-code",
    "x-length-code",
    "x-deprecated",
    "x-removed",
}
NAMED = {"plugins", "models", "tools", "agents", "exporters", "runners", "evals"}
MANIFEST = SCHEMAS["Manifest"]


@pytest.mark.parametrize("name", SCHEMAS)
def test_only_keywords_of_the_subset_are_used(name: str) -> None:
    for path, schema in sub_schemas(SCHEMAS[name]):
        assert set(schema) <= EVALUATED_KEYWORDS | OWN_KEYWORDS, path


@pytest.mark.parametrize("name", SCHEMAS)
def test_what_goes_is_announced_to_editors_and_names_what_comes(name: str) -> None:
    for path, schema in sub_schemas(SCHEMAS[name]):
        assert bool(schema.get("deprecated")) == ("x-deprecated" in schema), path
        if "x-deprecated" in schema:
            assert set(schema["x-deprecated"]) == {"since", "removed_in", "replacement"}, path
        for notice in schema.get("x-removed", {}).values():
            assert set(notice) == {"removed_in", "replacement"}, path


@pytest.mark.parametrize("name", SCHEMAS)
def test_every_property_has_a_description(name: str) -> None:
    shape = Shape(SCHEMAS[name])
    for path, schema in sub_schemas(SCHEMAS[name]):
        if path and path[-2:-1] in (("properties",), ("$defs",)) and "if" not in path:
            assert shape.resolve(schema).get("description", "").strip(), path


@pytest.mark.parametrize("name", SCHEMAS)
def test_annotations_have_the_values_they_may_have(name: str) -> None:
    shape = Shape(SCHEMAS[name])
    for path, part in sub_schemas(SCHEMAS[name]):
        schema = shape.resolve(part)
        assert schema.get("x-name-of", "models") in NAMED, path
        assert schema.get("x-component", "model") in KINDS, path
        assert schema.get("x-path", "read") in ("read", "data"), path
        assert {schema.get("x-enum-code", "ADK120"), schema.get("x-length-code", "ADK123")} <= set(CODES), path
        assert ("x-env" in schema) == ("x-env-type" in schema), path
        if schema.get("x-env"):
            _check_reference_types(path, schema)


def _check_reference_types(path: tuple[str, ...], schema: Mapping[str, Any]) -> None:
    types = [schema["type"]] if isinstance(schema["type"], str) else schema["type"]
    assert schema["x-env-type"] in types, path
    assert "string" in types, path
    if schema["x-env-type"] != "string":
        assert schema["pattern"].startswith(r"^\$\{env:"), path


@pytest.mark.parametrize("name", SCHEMAS)
def test_defaults_fit_their_schemas(name: str) -> None:
    shape = Shape(SCHEMAS[name], trusted=True)
    for path, part in sub_schemas(SCHEMAS[name]):
        schema = shape.resolve(part)
        if "default" in schema:
            alone = Shape({**schema, "$defs": SCHEMAS[name].get("$defs", {})}, trusted=True)
            assert check(alone, node_of(schema["default"]))[0] == (), path


@pytest.mark.parametrize("name", SCHEMAS)
def test_numbers_of_limits_are_those_of_the_table(name: str) -> None:
    for path, schema in sub_schemas(SCHEMAS[name]):
        if "x-limit" in schema:
            limit = LIMITS[schema["x-limit"]]
            stated = schema["minimum"], schema["maximum"], schema["default"]
            assert stated == (limit.minimum, limit.maximum, limit.default), path


def test_every_limit_that_a_manifest_can_set_is_in_the_schema() -> None:
    repeated = {
        schema["x-limit"] for name in SCHEMAS for _, schema in sub_schemas(SCHEMAS[name]) if "x-limit" in schema
    }
    settable = {name for name, limit in LIMITS.items() if limit.minimum != limit.maximum}
    elsewhere = {"plugin.close_timeout_ms", "plugin.config_bytes", "plugin.id_bytes", "plugin.list_length"}
    elsewhere |= {"run.message_bytes"} | {name for name in settable if name.startswith(("workers.", "session."))}
    assert settable - repeated - elsewhere == set()


def test_the_numbers_of_lists_and_ids_are_those_of_the_table() -> None:
    definitions = MANIFEST["$defs"]
    assert definitions["pluginList"]["maxItems"] == LIMITS["plugin.list_length"].maximum
    assert definitions["pluginId"]["x-max-bytes"] == LIMITS["plugin.id_bytes"].maximum
    assert definitions["pluginId"]["maxLength"] == LIMITS["plugin.id_bytes"].maximum


def test_hooks_and_callbacks_are_those_of_the_phase_table() -> None:
    definitions = MANIFEST["$defs"]
    assert definitions["plugin"]["properties"]["hooks"]["items"]["enum"] == list(PHASES)
    told = {"on_agent_start", "on_agent_end", "on_tool_start", "on_tool_end", "on_error"}
    assert set(definitions["agent"]["properties"]["callbacks"]["properties"]) == {*LOCAL_PHASES, *told}
    component = SCHEMAS["Components"]["$defs"]["component"]["properties"]
    assert component["hooks"]["items"]["enum"] == list(PHASES)
    assert tuple(component["kind"]["enum"]) == KINDS
    assert tuple(component["stage"]["enum"]) == STAGES
    assert tuple(component["defaults"]["properties"]) == DEFAULT_KEYS


def test_scripted_errors_are_those_of_models() -> None:
    reply = CONFIGS["adk_decl/components/builtin.json:scripted"]["properties"]["replies"]["items"]
    assert reply["properties"]["error"]["enum"] == list(MODEL_FAILURES)


def test_an_inline_plugin_takes_the_keys_of_a_descriptor_and_its_id() -> None:
    definitions = MANIFEST["$defs"]
    keys = definitions["pluginEntry"]["properties"]
    assert set(keys) == {"id", *definitions["plugin"]["properties"]}


def test_what_is_not_available_yet_is_in_the_schema() -> None:
    shape = load_shape("Manifest")
    for row in UNAVAILABLE:
        if row.what == "component":
            continue
        schema: Any = shape.root
        for step in row.pattern.split("."):
            schema = shape.resolve(schema)
            schema = shape.resolve(schema["items"]) if "items" in schema else shape.property(schema, step)
            assert schema is not None, row.pattern
        if row.what == "value":
            assert row.value in schema["enum"], row.pattern


def test_every_key_is_known_and_every_known_key_is_tested() -> None:
    shape = load_shape("Manifest")
    root = read(EVERY_KEY).root
    found, result = check(shape, root)
    assert found == ()
    used = {key.text for key in _keys(root)}
    free = {"insecure_http", "endpoint", "instruction"}
    assert shape.property_names() - used - free == set()
    assert result.poisoned == set()


def _keys(node: Any) -> list[Any]:
    keys = [key for key, _ in node.entries]
    for child in [*node.items, *(value for _, value in node.entries)]:
        keys += _keys(child)
    return keys


@pytest.mark.parametrize("file", BUILTIN_FILES)
def test_built_in_component_data_fits_its_schema(file: str) -> None:
    data = json.loads(read_package_file(file))
    assert check(load_shape("Components"), node_of(data))[0] == ()
