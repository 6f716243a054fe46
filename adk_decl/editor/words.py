"""What editors show of a schema, a component or a definition, in Markdown. No text holds a value of the manifest."""

from __future__ import annotations

import json
from typing import Any

from adk_decl.components.descriptor import OWN_DISTRIBUTION, ComponentDescriptor
from adk_decl.schema.load import Schema
from adk_decl.schema.words import asked_types, bounds_words, expected_words

_MOST_CHOICES = 24


def field_words(name: str, schema: Schema) -> str:
    """A key: its type, bounds, choices, default and description."""
    lines = [f"**`{name}`**: {type_words(schema)}"]
    if schema.get("deprecated") or schema.get("x-deprecated"):
        lines.append("Deprecated.")
    if schema.get("description"):
        lines.append(schema["description"])
    choices = schema.get("enum")
    if choices:
        shown = ", ".join(f"`{_json(each)}`" for each in choices[:_MOST_CHOICES])
        lines.append(f"One of {shown}{', …' if len(choices) > _MOST_CHOICES else ''}.")
    if schema.get("x-env"):
        lines.append("May be `${env:NAME}` or `${env:NAME:-default}`.")
    return "\n\n".join(lines)


def type_words(schema: Schema) -> str:
    """Type, bounds and default of a value in one line."""
    if "const" in schema:
        return f"`{_json(schema['const'])}`"
    known = "type" in schema or schema.get("x-secret") is True
    words = expected_words(schema) if known else "any value"
    if asked_types(schema)[:1] in (("integer",), ("number",)):
        words += bounds_words(schema)
    default = schema.get("default")
    if default is not None and default not in ({}, []):
        words += f", default `{_json(default)}`"
    return words


def component_words(component: ComponentDescriptor) -> str:
    """A component: what it does, its stage, where it comes from, its hooks and the keys of its configuration."""
    kind = component.kind.replace("_", " ")
    origin = "built in" if component.distribution == OWN_DISTRIBUTION else f"from {component.distribution}"
    lines = [f"**`{component.name}`**: {kind}, {component.stage}, {origin}", component.summary]
    if component.hooks:
        lines.append("Hooks: " + ", ".join(f"`{hook}`" for hook in component.hooks))
    if component.requires_intervene:
        lines.append("Needs `mode: intervene`.")
    fields = component.config_schema.get("properties", {})
    if fields:
        lines.append("\n".join(f"- `config.{name}`: {_summary(part)}" for name, part in fields.items()))
    if component.extra is not None:
        lines.append(f"Needs the extra `{component.extra}`: `pip install 'adk-decl[{component.extra}]'`")
    return "\n\n".join(lines)


def _summary(schema: Any) -> str:
    description = str(schema.get("description", "")) if hasattr(schema, "get") else ""
    return description.partition(". ")[0].removesuffix(".") or "any value"


def _json(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, default=str)
