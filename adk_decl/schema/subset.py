"""The part of JSON Schema 2020-12 that adk-decl evaluates over nodes, with places and its own words.

Our schemas in `schemas/` use nothing else. A component's `config_schema` may use more; then the `jsonschema` package
decides, findings are less exact, and no `${env:NAME}` or secret may stand in that configuration.

| keywords | notes |
|---|---|
| `type` | one type or a list of types; `1.0` is no integer |
| `properties` `patternProperties` `additionalProperties` `propertyNames` `required` | maps |
| `minProperties` `maxProperties` `items` `minItems` `maxItems` `uniqueItems` | sizes and lists |
| `enum` `const` | scalars only |
| `minLength` `maxLength` `pattern` `minimum` `maximum` `exclusiveMinimum` `exclusiveMaximum` | scalars |
| `$ref` `$defs` | references inside the schema; keys beside `$ref` win |
| `if` `then` `else` `allOf` | parts hold keywords of maps only |
| `title` `description` `default` `examples` `deprecated` `format` `$schema` `$id` `$comment` | not evaluated |

Unions are written as a list of types, whose keywords apply each to its own type, or as a discriminator with
`if` and `then`; there is no `oneOf` and no `anyOf`. A `pattern` repeats nothing that repeats or branches itself.

Our own keywords:

| keyword | meaning |
|---|---|
| `x-env`, `x-env-type` | `${env:NAME}` may stand here; the type that its text is converted to |
| `x-secret` | `{secret: {env: NAME}}` or `{secret: {file: PATH}}` stands here; text too if `type` has `string` |
| `x-mask` | no finding shows a value of this part |
| `x-name-of` | the name of a definition: `plugins`, `models`, `tools`, `agents`, `exporters`, `runners`, `evals` |
| `x-component` | the name of a component of this kind, or a `python:` reference |
| `x-code` | a `python:` reference |
| `x-path` | a path: `read` at compile time, or `data` of a run |
| `x-limit` | the row of the table of limits that the numbers repeat |
| `x-exactly-one` | of these keys exactly one is there |
| `x-max-bytes` | size of a text in UTF-8 |
| `x-form` | what a `pattern` asks for, in words |
| `x-regex` | the text is a regular expression that can't take long to match |
| `x-json-schema` | the map is a JSON Schema |
| `x-enum-code` | code of the finding about a value outside `enum`, in place of ADK120 |
| `x-length-code` | code of the finding about the size of a list, in place of ADK123 |
| `x-deprecated` | beside `deprecated: true`: `since`, `removed_in`, `replacement`; see `adk_decl.schema.deprecated` |
| `x-removed` | keys that this map once had, each with `removed_in` and `replacement` |

Keys beginning with `x-` that `patternProperties` admits with `true` are neither checked nor read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from adk_decl.regex_safety import pattern_problem

_TYPES = frozenset({"object", "array", "string", "number", "integer", "boolean", "null"})
_DEEPEST = 64


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_scalar(value: Any) -> bool:
    return value is None or isinstance(value, bool | int | float | str)


def _is_texts(value: Any) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(item, str) for item in value)


def _is_type(value: Any) -> bool:
    if isinstance(value, str):
        return value in _TYPES
    return _is_texts(value) and len(value) > 0 and set(value) <= _TYPES


def _is_safe_pattern(value: Any) -> bool:
    return isinstance(value, str) and pattern_problem(value) is None


def _is_reference(value: Any) -> bool:
    return isinstance(value, str) and (value == "#" or value.startswith("#/"))


def _anything(value: Any) -> bool:
    return True


_PLAIN: Mapping[str, Callable[[Any], bool]] = {
    "type": _is_type,
    "required": _is_texts,
    "x-exactly-one": _is_texts,
    "enum": lambda value: isinstance(value, list | tuple) and len(value) > 0 and all(_is_scalar(v) for v in value),
    "const": _is_scalar,
    "uniqueItems": lambda value: isinstance(value, bool),
    "pattern": _is_safe_pattern,
    "$ref": _is_reference,
    **dict.fromkeys(("minProperties", "maxProperties", "minItems", "maxItems"), _is_count),
    **dict.fromkeys(("minLength", "maxLength", "x-max-bytes"), _is_count),
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), _is_number),
    **dict.fromkeys(("title", "description", "x-form"), lambda value: isinstance(value, str)),
    **dict.fromkeys(("default", "examples", "deprecated", "format", "$schema", "$id", "$comment"), _anything),
}
_OF_NAMES = frozenset({"type", "description", "minLength", "maxLength", "pattern", "enum", "const", "$ref"})
_OF_PARTS = frozenset({"properties", "patternProperties", "required", "if", "then", "else", "allOf", "description"})
_CONDITION = frozenset({"if", "then", "else", "description"})
EVALUATED_KEYWORDS = frozenset(_PLAIN) | {
    "properties",
    "patternProperties",
    "additionalProperties",
    "propertyNames",
    "items",
    "$defs",
    "if",
    "then",
    "else",
    "allOf",
}
"""Every keyword of the subset; beside them, any that begins with `x-`."""


def in_subset(schema: Any) -> bool:
    """Whether a schema uses nothing but the subset, in the right form."""
    return _fits(schema, 0)


def _fits(schema: Any, depth: int) -> bool:
    if isinstance(schema, bool):
        return True
    if not isinstance(schema, Mapping) or depth > _DEEPEST:
        return False
    return all(_keyword_fits(key, value, depth + 1) for key, value in schema.items())


def _keyword_fits(key: str, value: Any, depth: int) -> bool:
    if key in _PLAIN:
        return _PLAIN[key](value)
    if key in ("properties", "$defs"):
        return isinstance(value, Mapping) and all(_fits(part, depth) for part in value.values())
    if key == "patternProperties":
        return isinstance(value, Mapping) and all(_is_safe_pattern(p) and _fits(s, depth) for p, s in value.items())
    if key in ("additionalProperties", "items", "if"):
        return _fits(value, depth)
    if key == "propertyNames":
        return _fits(value, depth) and isinstance(value, Mapping) and _only(value, _OF_NAMES)
    if key in ("then", "else"):
        return _part_fits(value, depth)
    if key == "allOf":
        return isinstance(value, list | tuple) and all(_part_fits(part, depth) for part in value)
    return key.startswith("x-")


def _part_fits(part: Any, depth: int) -> bool:
    if not isinstance(part, Mapping) or not _only(part, _CONDITION if "if" in part else _OF_PARTS):
        return False
    return _fits(part, depth)


def _only(schema: Mapping[str, Any], keywords: frozenset[str]) -> bool:
    return all(key in keywords or key.startswith("x-") for key in schema)
