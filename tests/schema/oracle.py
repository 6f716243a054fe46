"""The `jsonschema` package as a judge of our evaluator, and random changes of plain data to judge by."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Mapping
from typing import Any

from jsonschema import Draft202012Validator, ValidationError
from jsonschema.validators import extend

from adk_decl.schema.load import Shape
from tests.schema.shapes import check, node_of

STRICTER = frozenset({"ADK303", "ADK306"})
"""What our evaluator refuses and JSON Schema can't: references and secrets where none may stand."""

_VALUES: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    1,
    -1,
    2,
    1.5,
    0.5,
    10**12,
    "",
    "x",
    "a b",
    "5s",
    "yes",
    "open",
    "worker",
    "observe",
    "native",
    "${env:NAME}",
    "${env:NAME:-5}",
    "5${env:NAME}",
    "python:a.b:c",
    "https://example.com",
    "é" * 300,
    "\x07",
    [],
    [1],
    ["x"],
    ["x", "x"],
    [{"id": "x", "use": "y"}],
    {},
    {"x": 1},
    {"x-note": 1},
    {"use": "x"},
    {"secret": {"env": "NAME"}},
    {"secret": {"file": "/x", "env": "NAME"}},
)
_KEYS = ("x", "x-note", "use", "timeout_ms", "name", "id", "1st", "a b", "config", "model")

Change = Callable[[random.Random, Any], None]


def accepts(schema: Mapping[str, Any]) -> Callable[[Any], bool]:
    """JSON Schema's verdict, with our two evaluated keywords and an integer that is never written `1.0`."""
    integers = Draft202012Validator.TYPE_CHECKER.redefine(
        "integer", lambda _, value: isinstance(value, int) and not isinstance(value, bool)
    )
    keywords = {"x-max-bytes": _max_bytes, "x-exactly-one": _exactly_one}
    judge: Any = extend(Draft202012Validator, keywords, type_checker=integers)  # type: ignore[no-untyped-call]
    return judge(schema).is_valid  # type: ignore[no-any-return]


def _max_bytes(judge: Any, most: int, value: Any, schema: Any) -> Any:
    if isinstance(value, str) and len(value.encode()) > most:
        yield ValidationError("too long")


def _exactly_one(judge: Any, names: list[str], value: Any, schema: Any) -> Any:
    if isinstance(value, dict) and sum(name in value for name in names) != 1:
        yield ValidationError("not exactly one")


def assert_same_verdict(shape: Shape, judge: Callable[[Any], bool], data: Any) -> None:
    """Our evaluator and the oracle agree about `data`, but for what only we refuse."""
    codes = {finding.code for finding in check(shape, node_of(data))[0]}
    if judge(data):
        assert codes <= STRICTER, (data, codes)
    else:
        assert codes, data


def mutated(original: Any, source: random.Random) -> Any:
    """A copy with one to three changes at random places."""
    data = copy.deepcopy(original)
    for _ in range(source.choice((1, 1, 2, 3))):
        places = list(_places(data))
        if places:
            source.choice((_replace, _replace, _delete, _insert))(source, *source.choice(places))
    return data


def _places(data: Any) -> Any:
    keys = list(data) if isinstance(data, dict) else range(len(data)) if isinstance(data, list) else ()
    for key in keys:
        yield data, key
        yield from _places(data[key])


def _replace(source: random.Random, holder: Any, key: Any) -> None:
    holder[key] = copy.deepcopy(source.choice(_VALUES))


def _delete(source: random.Random, holder: Any, key: Any) -> None:
    del holder[key]


def _insert(source: random.Random, holder: Any, key: Any) -> None:
    if isinstance(holder, list):
        holder.append(copy.deepcopy(source.choice((holder[key], *_VALUES))))
    elif source.random() < 0.5:
        holder[source.choice(_KEYS)] = copy.deepcopy(source.choice(_VALUES))
    else:
        holder[f"{key}{source.choice('sx_')}"] = holder.pop(key)
