"""The schema of manifests with the configurations of components in it, so that editors complete inside `config`.

Still JSON Schema 2020-12 without `oneOf`: where `use` is the name of a component, `config` is what it takes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from adk_decl.components.descriptor import KINDS
from adk_decl.editor.uses import Components, Use, component_places
from adk_decl.schema.load import load_schema
from adk_decl.schema.subset import in_subset

_LEFT_OUT = frozenset(("$schema", "$id"))


def schema_with_components(components: Components, uses: Iterable[Use]) -> dict[str, Any]:
    """The manifest's schema with the `config` of every built-in and installed component, and of each of `uses`.

    A configuration schema beyond our subset of JSON Schema is left out: its `config` stays free in the editor, and
    `validate` checks it all the same.
    """
    schema = load_schema("Manifest")
    schema["$id"] += ":components"
    named = {use: None for kind in KINDS for use in (Use(kind, name) for name in components.names(kind))}
    every = list({**named, **dict.fromkeys(uses)})
    known = {use: found for use in every if (found := _usable(components, use)) is not None}
    keys = {use: f"config-{number}" for number, use in enumerate(known, start=1)}
    places = list(component_places(schema))
    for place, kind in places:
        _name_components(place, [use.name for use in every if use.kind == kind])
        cases = [_case(use, known[use], keys[use]) for use in known if use.kind == kind]
        if cases:
            place["allOf"] = [*place.get("allOf", ()), *cases]
    for use, found in known.items():
        schema["$defs"][keys[use]] = _moved(found, f"#/$defs/{keys[use]}")
    return schema


def _usable(components: Components, use: Use) -> dict[str, Any] | None:
    found = components.config_schema(use)
    return found if found and in_subset(found) and _is_json(found) else None


def _is_json(schema: dict[str, Any]) -> bool:
    """Whether the literal of a Python class is JSON too: it may hold tuples, sets and numbers that are none."""
    try:
        return bool(json.loads(json.dumps(schema, allow_nan=False)) == schema)
    except (TypeError, ValueError, RecursionError):
        return False


def _name_components(place: dict[str, Any], names: list[str]) -> None:
    """What editors offer for `use`. The schema may be shared by reference, so the property becomes its own."""
    use = place["properties"]["use"]
    if names:
        place["properties"]["use"] = {**use, "examples": names}


def _case(use: Use, schema: dict[str, Any], key: str) -> dict[str, Any]:
    required = ["config"] if schema.get("required") else []
    return {
        "if": {"required": ["use"], "properties": {"use": {"const": use.name}}},
        "then": {
            **({"required": required} if required else {}),
            "properties": {"config": {"$ref": f"#/$defs/{key}"}},
        },
    }


def _moved(schema: Any, base: str) -> Any:
    """A schema that stands at `base` of another one now: its references follow."""
    if isinstance(schema, dict):
        return {
            key: base + value[1:] if key == "$ref" and isinstance(value, str) else _moved(value, base)
            for key, value in schema.items()
            if key not in _LEFT_OUT or not isinstance(value, str)
        }
    return [_moved(item, base) for item in schema] if isinstance(schema, list) else schema
