"""Plain values as YAML, in block style: what is printed reads back as the same values."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from adk_decl.scalars import suspicion, typed

_PLAIN = re.compile(r"[A-Za-z_./][A-Za-z0-9_./@+-]*(?: [A-Za-z0-9_./@+,;()-]+)*\Z")
_INDENT = "  "


def render(value: Any) -> str:
    """A map, list or scalar as a YAML document."""
    return "\n".join(_block(value, ""))


def scalar(value: Any) -> str:
    """A scalar, or an empty container, on one line."""
    if not isinstance(value, str):
        return json.dumps(value)
    plain = _PLAIN.match(value) and isinstance(typed(value), str) and suspicion(value) is None
    return value if plain else json.dumps(value, ensure_ascii=False)


def _block(value: Any, indent: str) -> Iterator[str]:
    if isinstance(value, Mapping) and value:
        for key, item in value.items():
            yield from _entry(f"{indent}{scalar(key)}:", item, indent + _INDENT)
    elif isinstance(value, list) and value:
        for item in value:
            yield from _item(item, indent)
    else:
        yield indent + scalar(value)


def _entry(head: str, value: Any, inner: str) -> Iterator[str]:
    if isinstance(value, Mapping | list) and value:
        yield head
        yield from _block(value, inner)
    else:
        yield f"{head} {scalar(value)}"


def _item(value: Any, indent: str) -> Iterator[str]:
    """An item of a list, whose first line begins behind the dash."""
    lines = list(_block(value, indent + _INDENT))
    yield f"{indent}- {lines[0].lstrip()}"
    yield from lines[1:]
