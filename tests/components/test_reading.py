"""One file of component data: what is taken, what is refused, and that the published schema says the same."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adk_decl.components.reading import read_components
from adk_decl.plan.record import FrozenMap
from adk_decl.schema.load import load_shape
from tests.components.packages import row
from tests.schema.shapes import check, node_of

WRONG: list[tuple[dict[str, Any], str]] = [
    ({"name": ""}, "`name` is not what it has to be"),
    ({"name": "a b"}, "`name` is not what it has to be"),
    ({"name": "python:a:b"}, "`name` is not what it has to be"),
    ({"name": 5}, "`name` is not what it has to be"),
    ({"kind": "tool"}, "`kind` is not what it has to be"),
    ({"kind": ["plugin"]}, "`kind` is not what it has to be"),
    ({"entry": "acme.quota"}, "`entry` is not what it has to be"),
    ({"entry": "acme.quota:Quota\n"}, "`entry` is not what it has to be"),
    ({"entry": "acme/quota:Quota"}, "`entry` is not what it has to be"),
    ({"summary": ""}, "`summary` is not what it has to be"),
    ({"stage": "gamma"}, "`stage` is not what it has to be"),
    ({"hooks": "before_model"}, "`hooks` is not what it has to be"),
    ({"hooks": ["before_lunch"]}, "`hooks` is not what it has to be"),
    ({"config_schema": []}, "`config_schema` is not what it has to be"),
    ({"guard": 1}, "`guard` is not what it has to be"),
    ({"defaults": {"use": "x"}}, "`defaults` is not what it has to be"),
    ({"priority": True}, "`priority` is not what it has to be"),
    ({"priority": 2**31}, "`priority` is not what it has to be"),
    ({"extra": ""}, "`extra` is not what it has to be"),
    ({"needs": "a b"}, "`needs` is not what it has to be"),
    ({"reads": [1]}, "`reads` is not what it has to be"),
    ({"colour": "red"}, "a key that is unknown"),
]


def read(*rows: Any, package: str | None = None) -> Any:
    data = json.dumps({"format_version": 1, "components": list(rows)}).encode()
    return read_components(data, distribution="acme-plugins", package=package)


def test_a_component_is_frozen_through_and_through() -> None:
    (component,), problems = read(row(reads=["messages"], stream_safe=True))
    assert problems == ()
    assert isinstance(component.config_schema, FrozenMap)
    assert isinstance(component.config_schema["properties"], FrozenMap)
    assert component.reads == ("messages",)
    assert hash(component)


@pytest.mark.parametrize(("change", "reason"), WRONG)
def test_what_is_wrong_with_a_component(change: dict[str, Any], reason: str) -> None:
    components, problems = read(row(**change))
    assert components == ()
    assert problems == (f"component 1: {reason}",)
    assert check(load_shape("Components"), node_of({"format_version": 1, "components": [row(**change)]}))[0]


@pytest.mark.parametrize("name", ["name", "kind", "entry", "summary"])
def test_what_a_component_needs(name: str) -> None:
    incomplete = {key: value for key, value in row().items() if key != name}
    assert read(incomplete)[1] == (f"component 1: `{name}` is missing",)


def test_code_outside_the_package_is_refused() -> None:
    assert read(row(entry="os:system"), package="acme")[1] == ("component 1: `entry` lies outside the package",)
    assert read(row(entry="acmelike.x:y"), package="acme")[1] == ("component 1: `entry` lies outside the package",)
    assert read(row(entry="acme:Quota"), package="acme")[1] == ()


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(), lambda x: st.lists(x) | st.dictionaries(st.text(), x)
    )
)
def test_any_json_gets_an_answer(value: Any) -> None:
    for data in (value, {"format_version": 1, "components": value}, {"format_version": 1, "components": [value]}):
        components, problems = read_components(json.dumps(data).encode(), distribution="x")
        assert components or problems or data == {"format_version": 1, "components": []}


@given(st.binary(max_size=200))
def test_any_bytes_get_an_answer(data: bytes) -> None:
    assert read_components(data, distribution="x")[1]
