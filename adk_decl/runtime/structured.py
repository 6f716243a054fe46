"""Structured output: the final text as JSON that fits the agent's schema."""

from __future__ import annotations

from typing import Any

from adk_decl.errors import OutputInvalid
from adk_decl.tools.problems import names_of, shown_place
from adk_decl.values.phase_values import Content
from adk_decl.wire import WireError, decode


def checked_output(content: Content, schema: dict[str, Any] | None) -> Any:
    """The decoded JSON of the final text, or the text itself without a schema. Raises `OutputInvalid`.

    The text is taken as it is: nothing around the JSON is stripped.
    """
    if schema is None:
        return content.text
    from adk_decl.json_schema import validator

    try:
        value = decode(content.text.encode())
    except (WireError, UnicodeEncodeError, RecursionError):
        raise OutputInvalid("") from None
    problems = validator(schema)(value)
    if problems:
        raise OutputInvalid(shown_place(problems[0].path, names_of(schema)))
    return value
