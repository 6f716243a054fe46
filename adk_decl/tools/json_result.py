"""What a tool returned, as JSON within a bound.

JSON values pass. So do a dataclass (an object of its fields), a member of an `Enum` (its value), a tuple (a list)
and any mapping with text keys. Everything else, NaN and infinities included, is `invalid_result_type`: a set has
no order and a date has no one spelling, so the author decides.
"""

from __future__ import annotations

import dataclasses
import enum
import math
from collections.abc import Mapping
from typing import Any

from adk_decl.plan.limits import LIMITS
from adk_decl.tools.failure import failed
from adk_decl.wire import encode

_MAX_INTEGER_BITS = 1024


def encode_result(value: Any) -> bytes:
    """The result as JSON. Raises `ToolFailed` with `invalid_result_type` or `result_too_large`.

    The bound is `tool.max_result_bytes`, the depth that of `plugin.result_depth`; a value that contains itself is
    too deep.
    """
    bound = LIMITS["tool.max_result_bytes"].default
    plain = _Plain(bound).visit(value, LIMITS["plugin.result_depth"].default)
    try:
        data = encode(plain)
    except (UnicodeEncodeError, TypeError, ValueError, OverflowError):
        raise failed("invalid_result_type") from None
    if len(data) > bound:
        raise failed("result_too_large")
    return data


class _Plain:
    """Builds a copy of dicts, lists and scalars, and stops as soon as it can't fit."""

    def __init__(self, bound: int) -> None:
        self.left = bound

    def visit(self, value: Any, depth: int) -> Any:
        if depth == 0:
            raise failed("invalid_result_type")
        self._spend(1)
        if value is None or value is True or value is False:
            return value
        if isinstance(value, enum.Enum):
            return self.visit(value.value, depth - 1)
        if isinstance(value, str):
            self._spend(len(value))
            return str.__str__(value)
        if isinstance(value, int):
            return self._integer(value)
        if isinstance(value, float):
            return self._float(value)
        return self._container(value, depth - 1)

    def _container(self, value: Any, depth: int) -> Any:
        if isinstance(value, Mapping):
            return {self._key(key): self.visit(item, depth) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self.visit(item, depth) for item in value]
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            return {f.name: self.visit(getattr(value, f.name), depth) for f in dataclasses.fields(value)}
        raise failed("invalid_result_type")

    def _key(self, key: Any) -> str:
        if not isinstance(key, str):
            raise failed("invalid_result_type")
        self._spend(len(key))
        return str.__str__(key)

    def _integer(self, value: int) -> int:
        plain = int.__int__(value)
        if plain.bit_length() > _MAX_INTEGER_BITS:
            raise failed("invalid_result_type")
        return plain

    def _float(self, value: float) -> float:
        plain = float.__float__(value)
        if not math.isfinite(plain):
            raise failed("invalid_result_type")
        return plain

    def _spend(self, characters: int) -> None:
        """Each value and character takes at least a byte of JSON."""
        self.left -= characters
        if self.left < 0:
            raise failed("result_too_large")
