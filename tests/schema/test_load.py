"""Schemas are read once, references are followed, and pieces are compiled when they are met."""

from __future__ import annotations

import pytest

from adk_decl.schema.load import InvalidSchema, Shape, load_schema, load_shape, shape_from
from tests.schema.shapes import check, node_of


def test_a_shape_is_loaded_once_and_a_schema_is_a_fresh_copy() -> None:
    assert load_shape("Manifest") is load_shape("Manifest")
    assert load_schema("Manifest") is not load_schema("Manifest")
    with pytest.raises(KeyError):
        load_shape("Unknown")


def test_the_same_schema_gives_the_same_shape() -> None:
    schema = {"type": "string"}
    assert shape_from(schema) is shape_from(schema)
    assert shape_from({"type": "string"}) is not shape_from(schema)


def test_what_stands_beside_a_reference_wins() -> None:
    shape = Shape({"$defs": {"a": {"type": "string", "description": "of a", "maxLength": 1}}})
    resolved = shape.resolve({"$ref": "#/$defs/a", "description": "mine"})
    assert resolved == {"type": "string", "description": "mine", "maxLength": 1}


def test_properties_and_defaults() -> None:
    shape = load_shape("Manifest")
    model = shape.resolve({"$ref": "#/$defs/model"})
    assert shape.default(model, "timeout_ms") == 60000
    assert shape.default(model, "use") is None
    assert shape.default(model, "no such key") is None
    assert shape.property(shape.root["properties"]["models"], "any") == model


@pytest.mark.parametrize("target", ["#/$defs/none", "https://example.com/x", "#/$defs/loop", "#/$defs/list", "other"])
def test_a_broken_reference_is_an_error_of_the_schema(target: str) -> None:
    shape = Shape({"$ref": target, "$defs": {"loop": {"$ref": "#/$defs/loop"}, "list": []}})
    with pytest.raises(InvalidSchema):
        check(shape, node_of({}))


def test_names_with_slashes_and_tildes() -> None:
    shape = Shape({"$defs": {"a/b~c": {"type": "integer"}}, "$ref": "#/$defs/a~1b~0c"})
    assert check(shape, node_of(1))[0] == ()
    assert check(shape, node_of("x"))[0] != ()


def test_a_recursive_schema_is_followed_as_deep_as_the_document() -> None:
    shape = Shape({"type": "object", "properties": {"next": {"$ref": "#"}}, "additionalProperties": False})
    assert check(shape, node_of({"next": {"next": {}}}))[0] == ()
    (finding,) = check(shape, node_of({"next": {"next": {"other": 1}}}))[0]
    assert finding.path == ("next", "next", "other")
