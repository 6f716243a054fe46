"""JSON arguments as what the annotations of a function say.

The arguments were validated against the tool's schema. An `Enum` then becomes its member (by value), a dataclass an
instance, text a `datetime.date`, a `float` parameter a float even for `1`, an `int` parameter an int even for `1.0`;
this holds inside lists, dicts and optional types too. A parameter whose annotation can't be converted so (another
class, a union of two dataclasses, a name that exists only for type checkers) receives the JSON value as it is.
"""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Callable
from typing import Any

from adk_decl.tools.failure import failed
from adk_decl.wire import UnknownClass, WireError, convert_known, decoder

Binder = Callable[[dict[str, Any]], dict[str, Any]]


def binder(function: Callable[..., Any]) -> Binder:
    """A function that turns JSON arguments into typed ones. It raises `ToolFailed` with `invalid_arguments`."""
    hints = _convertible_hints(function)

    def bind(arguments: dict[str, Any]) -> dict[str, Any]:
        return {n: _typed(value, hints[n]) if n in hints else value for n, value in arguments.items()}

    return bind


def _convertible_hints(function: Callable[..., Any]) -> dict[str, Any]:
    found = {}
    inner = inspect.unwrap(function)
    namespace = getattr(inner, "__globals__", {})
    for name, annotation in inspect.get_annotations(inner).items():
        try:
            holder = types.SimpleNamespace(__annotations__={name: annotation})
            hint = typing.get_type_hints(holder, globalns=namespace)[name]
            decoder(hint)
        except Exception:  # noqa: BLE001, S112 - an annotation is the author's expression: it may raise anything
            continue
        found[name] = hint
    return found


def _typed(value: Any, hint: Any) -> Any:
    try:
        try:
            return convert_known(value, hint)
        except WireError:
            return convert_known(_whole_floats_as_integers(value), hint)
    except UnknownClass:
        return value
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001 - the `__post_init__` of a dataclass is the author's code
        raise failed("invalid_arguments") from None


def _whole_floats_as_integers(value: Any) -> Any:
    """In JSON Schema 1.0 is an integer; conversion takes an integer for a float as well."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [_whole_floats_as_integers(item) for item in value]
    if isinstance(value, dict):
        return {key: _whole_floats_as_integers(item) for key, item in value.items()}
    return value
