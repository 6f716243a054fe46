"""Tests of single values: each says what is wrong by the name of a wording, or None."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from adk_decl.regex_safety import compile_pattern, compile_safe, pattern_problem

if TYPE_CHECKING:
    from adk_decl.schema.load import Schema, Shape

Test = Callable[[Any], str | None]
"""Says what is wrong with a scalar: the name of a wording, or None."""


def value_tests(schema: Schema) -> tuple[Test, ...]:
    """Whether a scalar is one of those allowed, by `const` or `enum`."""
    if "const" not in schema and "enum" not in schema:
        return ()
    allowed = [schema["const"]] if "const" in schema else list(schema["enum"])
    # True equals 1 in Python and not in JSON, so a value counts together with whether it is a boolean.
    known = frozenset((type(value) is bool, value) for value in allowed)
    return (lambda value: None if (type(value) is bool, value) in known else "choice",)


def text_tests(shape: Shape, schema: Schema) -> tuple[Test, ...]:
    """Length, size and form of a text."""
    tests: list[Test] = []
    if "minLength" in schema or "maxLength" in schema:
        least, most = schema.get("minLength", 0), schema.get("maxLength", float("inf"))
        tests.append(lambda value: None if least <= len(value) <= most else "length")
    if "x-max-bytes" in schema:
        most_bytes = schema["x-max-bytes"]
        tests.append(lambda value: None if len(value.encode("utf-8", "replace")) <= most_bytes else "byte_length")
    if "pattern" in schema and schema.get("x-env-type", "string") == "string":
        search = search_of(shape, schema["pattern"])
        tests.append(lambda value: None if search(value) else "form")
    elif "pattern" in schema:
        # Only a reference may stand here as text, and this text is none.
        tests.append(lambda value: "wrong_type")
    if schema.get("x-regex"):
        tests.append(lambda value: "regex" if pattern_problem(value) else None)
    return tuple(tests)


def search_of(shape: Shape, pattern: str) -> Callable[[str], object]:
    """The search for a pattern, in an engine that can not take long where the pattern is not our own."""
    return compile_pattern(pattern) if shape.trusted else compile_safe(pattern)


def number_tests(schema: Schema) -> tuple[Test, ...]:
    """The bounds of a number; other scalars pass."""
    bounds = [
        (key, schema[key]) for key in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum") if key in schema
    ]
    if not bounds:
        return ()
    least, most = schema.get("minimum", float("-inf")), schema.get("maximum", float("inf"))
    above, below = schema.get("exclusiveMinimum", float("-inf")), schema.get("exclusiveMaximum", float("inf"))

    def test(value: Any) -> str | None:
        if value is None or value is True or value is False:
            return None
        return None if least <= value <= most and above < value < below else "range"

    return (test,)
