"""Reads component data: a JSON file with `format_version: 1` and a list of `components`.

`schemas/components.v1.schema.json` describes it for authors. A component that is wrong becomes a problem and the
others stay usable; nothing in here raises for what a file holds.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from adk_decl.components.descriptor import KINDS, STAGES, ComponentDescriptor
from adk_decl.plan.frozen_json import freeze
from adk_decl.plan.phases import PHASES

FORMAT_VERSION = 1
DEFAULT_KEYS = ("mode", "failure_policy", "timeout_ms", "max_heap_mib", "max_result_bytes", "isolation")
"""Descriptor keys that a component may give a default."""

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,127}\Z")
_ENTRY = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*:[A-Za-z_][A-Za-z0-9_]*\Z")
_MODULE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*\Z")
_REQUIRED = ("name", "kind", "entry", "summary")


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and 0 < len(value) <= 500


def _is_truth(value: Any) -> bool:
    return isinstance(value, bool)


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and len(value) <= 64 and all(_is_text(item) for item in value)


def _matches(pattern: re.Pattern[str]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, str) and pattern.match(value) is not None


_FIELDS: Mapping[str, Callable[[Any], bool]] = {
    "name": _matches(_NAME),
    "kind": lambda value: value in KINDS,
    "entry": _matches(_ENTRY),
    "summary": _is_text,
    "stage": lambda value: value in STAGES,
    "hooks": lambda value: _is_texts(value) and all(hook in PHASES for hook in value),
    "config_schema": lambda value: isinstance(value, dict),
    "requires_intervene": _is_truth,
    "inline_safe": _is_truth,
    "guard": _is_truth,
    "stateless": _is_truth,
    "stream_safe": _is_truth,
    "reads": _is_texts,
    "defaults": lambda value: isinstance(value, dict) and set(value) <= set(DEFAULT_KEYS),
    "priority": lambda value: isinstance(value, int) and not isinstance(value, bool) and -(2**31) <= value < 2**31,
    "extra": lambda value: value is None or _is_text(value),
    "needs": lambda value: value is None or (isinstance(value, str) and _MODULE.match(value) is not None),
}


def read_components(
    data: bytes, *, distribution: str, package: str | None = None
) -> tuple[tuple[ComponentDescriptor, ...], tuple[str, ...]]:
    """The components of one file, and what is wrong with it in words.

    With `package`, each `entry` has to lie inside that top package.
    """
    rows = _rows(data)
    if isinstance(rows, str):
        return (), (rows,)
    components: list[ComponentDescriptor] = []
    problems: list[str] = []
    for index, row in enumerate(rows):
        problem = _problem(row, package)
        if problem is not None:
            problems.append(f"component {index + 1}: {problem}")
        else:
            values: dict[str, Any] = {key: freeze(value) for key, value in row.items()}
            components.append(ComponentDescriptor(**values, distribution=distribution))
    return tuple(components), tuple(problems)


def _rows(data: bytes) -> list[Any] | str:
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        return "the file is not JSON"
    if not isinstance(document, dict) or document.get("format_version") != FORMAT_VERSION:
        return f"the file is not a map with format_version {FORMAT_VERSION}"
    if set(document) - {"$schema", "format_version", "components"}:
        return "the file has a key that is unknown"
    rows = document.get("components")
    if not isinstance(rows, list) or len(rows) > 1000:
        return "`components` is not a list of at most 1000 components"
    return rows


def _problem(row: Any, package: str | None) -> str | None:
    if not isinstance(row, dict):
        return "not a map"
    for name in _REQUIRED:
        if name not in row:
            return f"`{name}` is missing"
    for name, value in row.items():
        if name not in _FIELDS:
            return "a key that is unknown"
        if not _FIELDS[name](value):
            return f"`{name}` is not what it has to be"
    if package is not None and row["entry"].split(":")[0].split(".")[0] != package:
        return "`entry` lies outside the package"
    return None
