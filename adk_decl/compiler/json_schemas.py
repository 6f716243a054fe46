"""Whether a JSON Schema that a manifest gives can be used as one."""

from __future__ import annotations

from typing import Any

from adk_decl.schema.subset import in_subset


def schema_fault(schema: Any) -> str | None:
    """What is wrong with a schema for an object, in words, or None.

    One within the subset needs no package to be judged; `jsonschema` is imported for the others only.
    """
    if not isinstance(schema, dict) or schema.get("type") != "object":
        return "it is not of type `object`"
    if in_subset(schema):
        return None
    from adk_decl.json_schema import schema_problems

    problems = schema_problems(schema)
    if not problems:
        return None
    place = "/".join(str(part) for part in problems[0].path)
    return f"{problems[0].message} at `{place}`" if place else problems[0].message
