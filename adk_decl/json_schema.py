"""JSON Schema (draft 2020-12) over plain data, by the `jsonschema` package; its only importer.

Nothing is ever fetched: a `$ref` reaches only the schema itself and the published vocabularies. A `pattern` must be
free of what makes matching take for ever. No problem holds a value of the data.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Any

from adk_decl.plan.frozen_json import thaw
from adk_decl.plan.limits import LIMITS
from adk_decl.plan.record import Record
from adk_decl.regex_safety import compile_safe, pattern_problem

_MOST_PROBLEMS = LIMITS["schema.problems"].default
_VALIDATORS_KEPT = 256
_validators: dict[str, Validator] = {}
_class: Any = None


class Problem(Record):
    """Where data does not fit: the path from its root, the keyword that failed, and what was expected in words."""

    path: tuple[str | int, ...]
    keyword: str
    message: str


Validator = Callable[[Any], list[Problem]]


class UnusableSchema(ValueError):
    """A schema that is not valid JSON Schema, refers outside itself, or has an unsafe pattern. `problems` say where."""

    def __init__(self, problems: list[Problem]) -> None:
        self.problems = problems
        first = problems[0]
        place = "/".join(str(part) for part in first.path) or "its root"
        super().__init__(f"the schema can't be used: {first.message} at {place}")


def validator(schema: Any) -> Validator:
    """A function that lists where a value does not fit `schema`: at most 100 problems, by path.

    The schema may be frozen. Kept for schemas that are equal. Raises `UnusableSchema`.
    """
    plain = thaw(schema)
    key = json.dumps(plain, sort_keys=True, default=repr)
    known = _validators.get(key)
    if known is None:
        problems = schema_problems(plain)
        if problems:
            raise UnusableSchema(problems)
        if len(_validators) >= _VALIDATORS_KEPT:
            _validators.clear()
        known = _validators[key] = _build(plain)
    return known


def schema_problems(schema: Any) -> list[Problem]:
    """Why `schema` can't be used as a JSON Schema here; empty when it can."""
    plain = thaw(schema)
    try:
        errors = list(islice(_validator_class()(_validator_class().META_SCHEMA).iter_errors(plain), _MOST_PROBLEMS))
        problems = sorted((_problem(error) for error in errors), key=_order)
        return problems or list(islice(_outside(plain), _MOST_PROBLEMS))
    except RecursionError:
        return [Problem(path=(), keyword="depth", message="is nested too deeply")]


def _build(schema: Any) -> Validator:
    import referencing.exceptions
    from referencing import Registry

    checker = _validator_class()(schema, registry=Registry(retrieve=_refuse))  # type: ignore[call-arg]

    def check(value: Any) -> list[Problem]:
        try:
            return sorted((_problem(error) for error in islice(checker.iter_errors(value), _MOST_PROBLEMS)), key=_order)
        except RecursionError:
            return [Problem(path=(), keyword="depth", message="is nested too deeply")]
        except referencing.exceptions.Unresolvable:
            return [Problem(path=(), keyword="$ref", message="the schema refers to something that it does not hold")]

    return check


def _refuse(uri: str) -> Any:
    from referencing.exceptions import NoSuchResource

    raise NoSuchResource(uri)


def _validator_class() -> Any:
    """The draft's validator with safe patterns and our two keywords, for frozen data too."""
    global _class
    if _class is None:
        from jsonschema import Draft202012Validator
        from jsonschema.validators import extend

        types = Draft202012Validator.TYPE_CHECKER.redefine_many(
            {
                "object": lambda _, value: isinstance(value, Mapping),
                "array": lambda _, value: isinstance(value, list | tuple),
            }
        )
        keywords = {
            "pattern": _pattern,
            "x-max-bytes": _max_bytes,
            "x-exactly-one": _exactly_one,
            "x-regex": _regex,
        }
        _class = extend(Draft202012Validator, keywords, type_checker=types)  # type: ignore[no-untyped-call]
    return _class


def _pattern(checker: Any, pattern: str, value: Any, schema: Any) -> Iterator[Any]:
    from jsonschema import ValidationError

    if isinstance(value, str) and compile_safe(pattern)(value) is None:
        yield ValidationError("")


def _max_bytes(checker: Any, most: int, value: Any, schema: Any) -> Iterator[Any]:
    from jsonschema import ValidationError

    if isinstance(value, str) and len(value.encode("utf-8", "replace")) > most:
        yield ValidationError("")


def _regex(checker: Any, wanted: bool, value: Any, schema: Any) -> Iterator[Any]:
    from jsonschema import ValidationError

    if wanted and isinstance(value, str) and pattern_problem(value):
        yield ValidationError("")


def _exactly_one(checker: Any, names: list[str], value: Any, schema: Any) -> Iterator[Any]:
    from jsonschema import ValidationError

    if isinstance(value, Mapping) and sum(name in value for name in names) != 1:
        yield ValidationError("")


def _outside(schema: Any) -> Iterator[Problem]:
    """References that leave the schema and patterns that are not safe."""
    pending: list[tuple[tuple[str | int, ...], Any]] = [((), schema)]
    while pending:
        path, part = pending.pop()
        if isinstance(part, Mapping):
            for keyword in ("$ref", "$dynamicRef"):
                target = part.get(keyword)
                if isinstance(target, str) and not target.startswith("#"):
                    yield Problem(path=(*path, keyword), keyword=keyword, message="must refer to a part of the schema")
            yield from _unsafe_patterns(part, path)
            pending.extend(((*path, str(key)), value) for key, value in part.items() if key not in ("enum", "const"))
        elif isinstance(part, list | tuple):
            pending.extend(((*path, index), value) for index, value in enumerate(part))


def _unsafe_patterns(part: Mapping[str, Any], path: tuple[str | int, ...]) -> Iterator[Problem]:
    written = part.get("pattern")
    named = part.get("patternProperties")
    patterns = [(("pattern",), written)] if isinstance(written, str) else []
    patterns += [(("patternProperties", p), p) for p in named] if isinstance(named, Mapping) else []  # type: ignore[misc]
    for place, pattern in patterns:
        reason = pattern_problem(pattern)
        if reason is not None:
            yield Problem(path=(*path, *place), keyword=place[0], message=reason)


def _order(problem: Problem) -> tuple[tuple[str, ...], str]:
    return tuple(f"{part:09d}" if isinstance(part, int) else part for part in problem.path), problem.keyword


def _problem(error: Any) -> Problem:
    keyword = str(error.validator)
    return Problem(path=tuple(error.absolute_path), keyword=keyword, message=_words(keyword, error.validator_value))


def _words(keyword: str, wanted: Any) -> str:
    """What a keyword asks for. Only the schema is quoted, never the data."""
    if keyword in ("enum", "const"):
        values = wanted if keyword == "enum" else [wanted]
        return f"must be {'one of: ' if len(values) > 1 else ''}{', '.join(json.dumps(v) for v in values[:8])}"
    if keyword == "type":
        return f"must be of type {wanted if isinstance(wanted, str) else ' or '.join(wanted)}"
    if keyword in _WITH_NUMBER:
        return _WITH_NUMBER[keyword].format(wanted)
    if keyword == "required":
        return f"must have the keys {', '.join(wanted[:8])}"
    if keyword == "x-exactly-one":
        return f"must have exactly one of the keys {', '.join(wanted)}"
    return _WITHOUT_NUMBER.get(keyword, f"must fit `{keyword}`")


_WITH_NUMBER = {
    "minimum": "must be at least {}",
    "maximum": "must be at most {}",
    "exclusiveMinimum": "must be more than {}",
    "exclusiveMaximum": "must be less than {}",
    "multipleOf": "must be a multiple of {}",
    "minLength": "must have at least {} characters",
    "maxLength": "must have at most {} characters",
    "x-max-bytes": "must have at most {} bytes",
    "minItems": "must have at least {} items",
    "maxItems": "must have at most {} items",
    "minProperties": "must have at least {} keys",
    "maxProperties": "must have at most {} keys",
    "pattern": "must match {}",
}
_WITHOUT_NUMBER = {
    "additionalProperties": "has a key that is not allowed",
    "unevaluatedProperties": "has a key that is not allowed",
    "propertyNames": "has a key whose name is not allowed",
    "uniqueItems": "must not have an item twice",
    "x-regex": "must be a regular expression that can't take long to match",
    "anyOf": "fits none of the alternatives",
    "oneOf": "must fit exactly one of the alternatives",
    "not": "must not fit what is excluded",
    "contains": "lacks an item that has to be there",
    "dependentRequired": "lacks a key that another one needs",
}
