"""How a key or a value is written in YAML, TOML or JSON at one place."""

from __future__ import annotations

import json
import re

from adk_decl.editor.place import Place
from adk_decl.scalars import typed
from adk_decl.schema.checks import types_of
from adk_decl.schema.load import Schema
from adk_decl.syntax.read import Format

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_./-]*\Z")
_OLD_WORDS = frozenset(("yes", "no", "on", "off", "y", "n"))


def key_text(name: str, schema: Schema, place: Place, row: str, format: Format) -> str:  # noqa: A002
    """A key with the sign that follows it, unless that stands there already or does not belong there."""
    sign = "=" if format == "toml" else ":"
    if place.quote or place.role == "header" or row[place.end :].lstrip().startswith(sign):
        return name
    if format == "json":
        return f'"{name}": '
    if format == "toml":
        return f"{name} = "
    if "const" in schema:
        return f"{name}: {value_text(schema['const'], place, format)}"
    is_short = place.in_flow or not {"object", "array"} & set(types_of(schema)) or "type" not in schema
    return f"{name}: " if is_short else f"{name}:"


def value_text(value: str | bool | int | float, place: Place, format: Format) -> str:  # noqa: A002
    """A scalar, in quotes where it would be read as something else without them."""
    if not isinstance(value, str):
        return json.dumps(value)
    if place.quote:
        return value
    if format == "yaml" and _PLAIN.match(value) and isinstance(typed(value), str) and value.lower() not in _OLD_WORDS:
        return value
    return json.dumps(value, ensure_ascii=False)
