"""Turns one schema into one closure `(node, path, walk)` that checks a node and, through it, what it holds.

Each closure does no more than its schema needs; what goes wrong is worded elsewhere, after the fact.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from adk_decl.schema.evaluate import Walk
from adk_decl.schema.free_checks import free_check, ignore_check
from adk_decl.schema.free_checks import is_secret_form as is_secret_form
from adk_decl.schema.map_checks import map_check
from adk_decl.schema.scalar_tests import number_tests, text_tests, value_tests
from adk_decl.schema.subset import in_subset
from adk_decl.syntax.document import Node, Path
from adk_decl.syntax.env_refs import ReferenceSyntaxError, has_reference, parse_text

if TYPE_CHECKING:
    from adk_decl.schema.load import Schema, Shape

Check = Callable[[Node, Path, Walk], None]
_PYTHON_TYPES: Mapping[str, tuple[type, ...]] = {
    "boolean": (bool,),
    "integer": (int,),
    "number": (int, float),
    "null": (type(None),),
}
ALL_TYPES = ("object", "array", "string", "number", "integer", "boolean", "null")


def types_of(schema: Schema) -> tuple[str, ...]:
    """The types that a schema allows; all of them when it does not say."""
    stated = schema.get("type", ALL_TYPES)
    return (stated,) if isinstance(stated, str) else tuple(stated)


def compile_check(shape: Shape, schema: Schema) -> Check:
    """The closure for a resolved schema."""
    if not schema:
        return free_check
    if schema.get("x-never"):
        return _never_check(schema)
    check = _value_check(shape, schema)
    if schema.get("x-json-schema"):
        check = _schema_check(schema, check)
    if schema.get("x-mask") or schema.get("x-secret"):
        return _masking(check, secret=schema.get("x-secret") is True)
    return check


def _never_check(schema: Schema) -> Check:
    def check(node: Node, path: Path, walk: Walk) -> None:
        walk.fail("never", schema, node, path)

    return check


def _schema_check(schema: Schema, check: Check) -> Check:
    """What a node says must be usable as a JSON Schema; one within the subset needs no package to be judged."""

    def is_schema(node: Node, path: Path, walk: Walk) -> None:
        check(node, path, walk)
        plain = node.to_plain()
        if node.kind != "map" or id(node) in walk.poisoned or in_subset(plain):
            return
        from adk_decl.json_schema import schema_problems

        problems = schema_problems(plain)
        if problems:
            walk.fail("json_schema", schema, node, path, problems[0])

    return is_schema


def _masking(check: Check, *, secret: bool) -> Check:
    def masked(node: Node, path: Path, walk: Walk) -> None:
        if not walk.masked:
            walk.private.append(node)
        before = walk.masked, walk.secret
        walk.masked = True
        walk.secret = walk.secret or secret
        check(node, path, walk)
        walk.masked, walk.secret = before

    return masked


def _value_check(shape: Shape, schema: Schema) -> Check:
    types = types_of(schema)
    on_scalar = _scalar_check(shape, schema, types)
    on_map = map_check(shape, schema) if "object" in types else None
    on_list = _list_check(shape, schema) if "array" in types else None

    def check(node: Node, path: Path, walk: Walk) -> None:
        walk.schemas[id(node)] = schema
        kind = node.kind
        if kind == "scalar":
            on_scalar(node, path, walk)
        elif kind == "map":
            if on_map is None:
                walk.fail("wrong_type", schema, node, path)
            else:
                on_map(node, path, walk)
        elif on_list is None:
            walk.fail("wrong_type", schema, node, path)
        else:
            on_list(node, path, walk)

    return check


def _scalar_check(shape: Shape, schema: Schema, types: tuple[str, ...]) -> Check:
    accepted = frozenset(t for name in types for t in _PYTHON_TYPES.get(name, ()))
    takes_text = "string" in types
    takes_references = bool(schema.get("x-env"))
    whole_only = schema.get("x-env-type", "string") != "string"
    tests_of_text = (*value_tests(schema), *text_tests(shape, schema)) if takes_text else ()
    other_tests = (*value_tests(schema), *number_tests(schema))

    def check(node: Node, path: Path, walk: Walk) -> None:
        value = node.value
        kind = type(value)
        if kind is str:
            if "$" in value and has_reference(value):  # type: ignore[operator, arg-type]
                if not takes_references:
                    walk.fail("reference", schema, node, path)
                elif whole_only and not _is_whole_reference(value):  # type: ignore[arg-type]
                    walk.fail("part_reference", schema, node, path)
                return
            tests = tests_of_text
            if not takes_text:
                walk.fail("wrong_type", schema, node, path)
                return
        elif kind in accepted:
            tests = other_tests
        else:
            walk.fail("wrong_type", schema, node, path)
            return
        for test in tests:
            what = test(value)
            if what is not None:
                walk.fail(what, schema, node, path)
                return

    return check


def _is_whole_reference(text: str) -> bool:
    """Whether a text is one reference and nothing else. What is no valid reference is left to a later pass."""
    try:
        return len(parse_text(text)) == 1
    except ReferenceSyntaxError:
        return True


def _list_check(shape: Shape, schema: Schema) -> Check:
    least, most = schema.get("minItems", 0), schema.get("maxItems", float("inf"))
    unique = schema.get("uniqueItems") is True
    items = schema.get("items")
    item_check: Check = ignore_check if schema.get("x-mask") else free_check
    if items is not None:
        item_check = shape.check(items)

    def check(node: Node, path: Path, walk: Walk) -> None:
        if not least <= len(node.items) <= most:
            walk.fail("length", schema, node, path)
        # A layer states a list as a whole, so its items lack nothing.
        partial, walk.partial = walk.partial, False
        for index, item in enumerate(node.items):
            item_check(item, (*path, index), walk)
        walk.partial = partial
        if unique and len(node.items) > 1:
            _check_unique(schema, node, path, walk)

    return check


def _check_unique(schema: Schema, node: Node, path: Path, walk: Walk) -> None:
    first: dict[str, Node] = {}
    for index, item in enumerate(node.items):
        key = _identity(item)
        if key in first:
            walk.fail("repeated", schema, item, (*path, index), first[key])
        else:
            first[key] = item


def _identity(node: Node) -> str:
    """Equal for equal JSON values: numbers by value, maps in any order."""
    if node.kind == "scalar":
        value = node.value
        return repr(float(value)) if type(value) is int and abs(value) < 2**53 else repr(value)
    if node.kind == "list":
        return "[" + ",".join(_identity(item) for item in node.items) + "]"
    return "{" + ",".join(sorted(f"{key.text!r}:{_identity(value)}" for key, value in node.entries)) + "}"
