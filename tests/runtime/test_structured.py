"""Structured output."""

from __future__ import annotations

from typing import Any

import pytest

from adk_decl.errors import OutputInvalid
from adk_decl.runtime.structured import checked_output
from adk_decl.values.content import Text
from adk_decl.values.phase_values import Content

SCHEMA: dict[str, Any] = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}


def content(text: str) -> Content:
    return Content(parts=(Text(text),))


def test_without_a_schema_the_text_is_the_output() -> None:
    assert checked_output(content("plain"), None) == "plain"


def test_fitting_json_is_decoded() -> None:
    assert checked_output(content('{"a": 1}'), SCHEMA) == {"a": 1}


@pytest.mark.parametrize(
    ("text", "path"),
    [("", ""), ("{", ""), ('```json\n{"a":1}\n```', ""), ('{"a": "x"}', "/a"), ("\ud800", ""), ("[" * 5000, "")],
)
def test_what_does_not_fit_names_its_place_and_no_value(text: str, path: str) -> None:
    with pytest.raises(OutputInvalid) as caught:
        checked_output(content(text), SCHEMA)
    assert caught.value.path == path


def test_names_that_a_model_made_up_are_not_told() -> None:
    schema = {"type": "object", "additionalProperties": {"type": "integer"}}
    with pytest.raises(OutputInvalid) as caught:
        checked_output(content('{"canary": "x"}'), schema)
    assert caught.value.path == "/*"
    assert "canary" not in str(caught.value)
