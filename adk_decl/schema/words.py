"""Schemas in words: types, bounds and counts as messages name them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from adk_decl.schema.checks import types_of

if TYPE_CHECKING:
    from adk_decl.schema.load import Schema
    from adk_decl.syntax.document import Node

_TYPE_WORDS = {
    "object": "a map",
    "array": "a list",
    "string": "text",
    "number": "a number",
    "integer": "a whole number",
    "boolean": "true or false",
    "null": "null",
}


def asked_types(schema: Schema) -> tuple[str, ...]:
    """The types a schema asks for; text that stands only for a reference does not count."""
    types = types_of(schema)
    if schema.get("x-env-type", "string") != "string":
        types = tuple(t for t in types if t != "string")
    return types


def expected_words(schema: Schema) -> str:
    """What a schema asks for: `a whole number`, `text or a map`."""
    words = [_TYPE_WORDS[name] for name in asked_types(schema)]
    if schema.get("x-secret") is True:
        return "a reference to a secret"
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def actual_words(node: Node) -> str:
    """What a node is, without its value."""
    if node.kind != "scalar":
        return "a map" if node.kind == "map" else "a list"
    if isinstance(node.value, bool):
        return "true or false"
    if isinstance(node.value, int):
        return "a whole number"
    return "a number with a fraction" if isinstance(node.value, float) else "text"


def bounds_words(schema: Schema) -> str:
    """The bounds of a number with a space before them, or nothing."""
    least, most = schema.get("minimum"), schema.get("maximum")
    if least is not None and most is not None:
        return f" from {least} to {most}"
    parts = [f"at least {least}"] if least is not None else [f"at most {most}"] if most is not None else []
    if "exclusiveMinimum" in schema:
        parts.append(f"above {schema['exclusiveMinimum']}")
    if "exclusiveMaximum" in schema:
        parts.append(f"below {schema['exclusiveMaximum']}")
    return f" {' and '.join(parts)}" if parts else ""


def a_or_an(noun: str) -> str:
    """A noun with its article."""
    return f"{'an' if noun[:1] in 'aeiou' else 'a'} {noun}"


def count_words(least: int, most: int | None, noun: str) -> str:
    """How many there have to be: `1 to 3 items`."""
    many = "s" if (most if most is not None else least) != 1 else ""
    if most is None:
        return f"at least {least} {noun}{many}"
    if least == most:
        return f"exactly {least} {noun}{many}"
    return f"{least} to {most} {noun}{many}" if least else f"at most {most} {noun}{many}"


def json_word(value: Any) -> str:
    """A scalar as JSON writes it, text without quotes."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return str(value)
