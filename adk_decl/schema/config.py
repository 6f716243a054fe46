"""Checks the `config` of a component against the component's own schema, without ever showing a value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from adk_decl.diagnostics.diagnostic import Diagnostic, DiagnosticBag
from adk_decl.schema.evaluate import ShapeResult, Walk, evaluate
from adk_decl.schema.free_checks import free_check
from adk_decl.schema.load import InvalidSchema, Shape, shape_from
from adk_decl.schema.places import describe, first_span, key_span, node_at
from adk_decl.schema.subset import in_subset

if TYPE_CHECKING:
    from adk_decl.json_schema import Problem
    from adk_decl.schema.load import Schema
    from adk_decl.syntax.document import Node, Path

_CODES: Mapping[str, str] = {
    "type": "ADK101",
    "additionalProperties": "ADK110",
    "unevaluatedProperties": "ADK110",
    "propertyNames": "ADK110",
    "required": "ADK111",
    "dependentRequired": "ADK111",
    "enum": "ADK120",
    "const": "ADK120",
    "minimum": "ADK121",
    "maximum": "ADK121",
    "exclusiveMinimum": "ADK121",
    "exclusiveMaximum": "ADK121",
    "multipleOf": "ADK121",
    "minLength": "ADK123",
    "maxLength": "ADK123",
    "x-max-bytes": "ADK123",
    "minItems": "ADK123",
    "maxItems": "ADK123",
    "minProperties": "ADK123",
    "maxProperties": "ADK123",
    "x-exactly-one": "ADK123",
    "uniqueItems": "ADK124",
}
"""The code of each keyword of JSON Schema; others are ADK122."""

_KEPT = 256
_known: dict[int, tuple[Any, bool]] = {}


def check_config(
    descriptor_schema: Schema,
    node: Node,
    *,
    file: str,
    bag: DiagnosticBag,
    path: Path,
    elsewhere: frozenset[str] = frozenset(),
) -> ShapeResult:
    """Check a `config` against the schema of its component; an empty schema accepts anything.

    That a key of `elsewhere` is missing is not told: it was found at a wrong place.

    Findings never show a value. A schema beyond the subset is left to the `jsonschema` package; one that can't be
    used at all is ADK218. References and secrets may stand only where the schema says so.
    """
    if _is_simple(descriptor_schema):
        try:
            shape = shape_from(descriptor_schema)
            return evaluate(shape, node, file=file, bag=bag, path=path, mask_values=True, elsewhere=elsewhere)
        except InvalidSchema:
            pass
    return _by_package(descriptor_schema, node, file, bag, path)


def _is_simple(schema: Any) -> bool:
    known = _known.get(id(schema))
    if known is not None and known[0] is schema:
        return known[1]
    if len(_known) >= _KEPT:
        _known.clear()
    simple = in_subset(schema)
    _known[id(schema)] = (schema, simple)
    return simple


def _by_package(schema: Any, node: Node, file: str, bag: DiagnosticBag, path: Path) -> ShapeResult:
    from adk_decl.json_schema import UnusableSchema, validator

    walk = Walk(Shape({}), node, path, file, bag)
    walk.masked = True
    free_check(node, path, walk)
    result = ShapeResult()
    result.poisoned = walk.poisoned
    try:
        problems = validator(schema)(node.to_plain())
    except UnusableSchema as unusable:
        bag.add(_unusable(walk, unusable.problems[0]))
        result.poisoned.add(id(node))
        return result
    for problem in problems:
        place = (*path, *problem.path)
        wrong = node_at(walk, place)
        if id(wrong) not in result.poisoned:
            result.poisoned.add(id(wrong))
            bag.add(_finding(walk, wrong, place, problem))
    return result


def _finding(walk: Walk, node: Node, path: Path, problem: Problem) -> Diagnostic:
    return Diagnostic(
        code=_CODES.get(problem.keyword, "ADK122"),
        severity="error",
        message=f"{describe(walk, path)} {problem.message}",
        span=first_span(walk, node) if node.kind == "scalar" else key_span(walk, node, path),
        label=problem.message,
        path=path,
        mask_values=True,
    )


def _unusable(walk: Walk, problem: Problem) -> Diagnostic:
    place = "/".join(str(part) for part in problem.path) or "its root"
    return Diagnostic(
        code="ADK218",
        severity="error",
        message=f"the schema that this component gives for its configuration can't be used: {problem.message}",
        span=first_span(walk, walk.root),
        label="can't be checked",
        path=walk.base,
        notes=(f"in the schema at {place}",),
        help="update the component, or mend its `config_schema`",
        mask_values=True,
    )
