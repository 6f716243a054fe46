"""How the values of a plan are named and written."""

from __future__ import annotations

from typing import Any

import pytest

from adk_decl.plan.leaves import field_path, leaves, pointer, written
from adk_decl.plan.model import EnvRef, EnvText, SecretRef
from adk_decl.plan.record import EMPTY_MAP
from adk_decl.syntax.env_refs import parse_text
from tests.cli.plans import plan


def test_every_leaf_has_a_pointer_and_a_path() -> None:
    found = {pointer(steps): field_path(plan().body, steps) for steps, _ in leaves(plan().body)}
    assert len(set(found.values())) == len(found)
    assert found["/name"] == "name"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("plain $5", "plain $5"),
        ("a ${b}", "a $${b}"),
        ("$$", "$$$$"),
        (EnvText(parts=("a$", EnvRef(name="B"), EnvRef(name="C", default=""))), "a$$${env:B}${env:C:-}"),
        (SecretRef(source="file", name="f"), {"secret": {"file": "f"}}),
        (3, 3),
        (None, None),
        ((), []),
        (EMPTY_MAP, {}),
    ],
)
def test_as_a_manifest_states_it(value: Any, text: Any) -> None:
    assert written(value) == text
    if isinstance(value, str):
        assert parse_text(text) == (value,)
    if isinstance(value, EnvText):
        assert parse_text(text) == value.parts
