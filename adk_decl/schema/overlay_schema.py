"""Derives the schema of an overlay from that of a manifest: no key has to be there, and directives may stand.

It is for editors. The compiler itself checks an overlay with the manifest's schema, after it has carried the directives
out; a test holds both to one verdict. Conditions (`if` and `else`) tell a directive from a value, which the subset of
our evaluator has no need of.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Schema = Mapping[str, Any]

IDENTITY = "urn:adk-decl:schema:overlay:v1"
_PREFIX = "layer-"
_DELETE: Schema = {
    "description": "Removes what a lower layer states here.",
    "type": "object",
    "required": ["$delete"],
    "additionalProperties": False,
    "properties": {"$delete": {"description": "Only `true`, with nothing beside it.", "const": True}},
}
_MERGE_MAP: Schema = {
    "description": "`replace`: this map takes the place of the one below instead of being merged into it.",
    "const": "replace",
}
_MERGE_LIST: Schema = {
    "description": "What becomes of the list below: `append` puts the items behind its own, `replace` takes its place.",
    "enum": ["append", "replace"],
}
_DIRECTIVE_KEYS = {"enum": ["$merge"]}
_IS_DELETE = {"type": "object", "required": ["$delete"]}
_WORDS = ("title", "description")
_OF_WHOLE_MAPS = ("required", "x-exactly-one", "minProperties", "dependentRequired")


def overlay_schema(manifest: Schema) -> dict[str, Any]:
    """The schema of an overlay, and of a manifest that extends another one. `manifest` stays as it is."""
    root = {key: value for key, value in manifest.items() if key not in ("$id", "$defs", "required")}
    definitions = manifest["$defs"]
    keys = {name: _value(part) for name, part in manifest["properties"].items() if name not in ("kind", "apiVersion")}
    kind = {
        "description": "`Overlay`: a part of a manifest, laid over a whole one. `Manifest`: one that extends another.",
        "enum": ["Overlay", "Manifest"],
    }
    return {
        **root,
        "$id": IDENTITY,
        "title": "overlay",
        "description": "What differs from the layers below. Maps merge by key; lists need `$merge`; `$delete` removes.",
        "properties": {"apiVersion": manifest["properties"]["apiVersion"], "kind": kind, **keys},
        "if": {"required": ["kind"], "properties": {"kind": {"const": "Manifest"}}},
        "else": {"properties": {"extends": False, "overlays": False}},
        "$defs": {
            **definitions,
            "delete": _DELETE,
            **{_PREFIX + name: _merged(part) for name, part in definitions.items()},
        },
    }


def _value(schema: Any) -> Any:
    """The schema of what may stand under a key: a value, or a directive in its place."""
    if not isinstance(schema, Mapping):
        return schema
    words = {key: schema[key] for key in _WORDS if key in schema}
    return {**words, "if": _IS_DELETE, "then": {"$ref": "#/$defs/delete"}, "else": _or_list_directive(schema)}


def _or_list_directive(schema: Schema) -> Schema:
    if schema.get("type") != "array":
        return _merged(schema)
    directive = {
        "required": ["$merge", "items"],
        "additionalProperties": False,
        "properties": {"$merge": _MERGE_LIST, "items": schema},
    }
    return {"if": {"type": "object"}, "then": directive, "else": schema}


def _merged(schema: Schema) -> Schema:
    """A schema without what only a whole value has to fulfil. Lists and secrets are whole in every layer."""
    if schema.get("x-secret"):
        return schema
    if "$ref" in schema:
        return {**schema, "$ref": _layer_reference(schema["$ref"])}
    if schema.get("type") == "array":
        return _or_list_directive(schema)
    result = {key: value for key, value in schema.items() if key not in _OF_WHOLE_MAPS}
    if "object" in _types(schema) and schema.get("additionalProperties", True) is not True:
        result["properties"] = {"$merge": _MERGE_MAP}
    if "properties" in schema:
        values = {name: _value(part) for name, part in schema["properties"].items()}
        result["properties"] = {**result.get("properties", {}), **values}
    if isinstance(schema.get("additionalProperties"), Mapping):
        result["additionalProperties"] = _value(schema["additionalProperties"])
    if "propertyNames" in schema:
        result["propertyNames"] = {"if": _DIRECTIVE_KEYS, "else": schema["propertyNames"]}
    for key in ("then", "else"):
        if key in schema:
            result[key] = _narrowed(schema[key])
    if "allOf" in schema:
        result["allOf"] = [_narrowed(part) for part in schema["allOf"]]
    return result


def _narrowed(schema: Any) -> Any:
    """A conditional part: what it says of a value holds for values, and not for the directives in their place."""
    if not isinstance(schema, Mapping):
        return schema
    result = {key: value for key, value in schema.items() if key not in _OF_WHOLE_MAPS}
    if "properties" in schema:
        result["properties"] = {
            name: part if not isinstance(part, Mapping) else {"if": _IS_DELETE, "else": _merged(part)}
            for name, part in schema["properties"].items()
        }
    for key in ("then", "else"):
        if key in schema:
            result[key] = _narrowed(schema[key])
    return result


def _layer_reference(reference: str) -> str:
    """The relaxed twin of a definition. One of a part of a definition leads to a value, directives included."""
    head, _, name = reference.rpartition("#/$defs/")
    return f"{head}#/$defs/{_PREFIX}{name}"


def _types(schema: Schema) -> tuple[str, ...]:
    stated = schema.get("type", "object" if "properties" in schema else ())
    return (stated,) if isinstance(stated, str) else tuple(stated)
