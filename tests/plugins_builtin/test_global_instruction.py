"""`global_instruction`: scenario 124 and its edges."""

from __future__ import annotations

from typing import Any

import pytest

from adk_decl.plugins import Amend, ModelRequest
from plugins_builtin.global_instruction import GlobalInstruction
from tests.plugins_builtin.hook_calls import build, context, conversation


def amended(before: str | None, **config: Any) -> Amend:
    plugin = build(GlobalInstruction, **config)
    assert isinstance(plugin, GlobalInstruction)
    return plugin.before_model(context(), ModelRequest("m", before, conversation("user: hi")))


@pytest.mark.parametrize(
    ("before", "config", "after"),
    [
        ("old", {"instruction": "new"}, "new\n\nold"),
        ("old", {"instruction": "new", "position": "prepend"}, "new\n\nold"),
        ("old", {"instruction": "new", "position": "append"}, "old\n\nnew"),
        ("old", {"instruction": "new", "separator": " | "}, "new | old"),
        ("old", {"instruction": "new", "position": "append", "separator": ""}, "oldnew"),
        (None, {"instruction": "new", "position": "append"}, "new"),
        ("", {"instruction": "new"}, "new"),
    ],
)
def test_edits_the_instruction(before: str | None, config: dict[str, Any], after: str) -> None:
    assert amended(before, **config).fields == {"instruction": after}


def test_sends_back_the_instruction_alone() -> None:
    outcome = amended("old", instruction="new")
    assert outcome.value is None
    assert set(outcome.fields) == {"instruction"}


def test_does_not_pile_up_over_rounds() -> None:
    first = amended("old", instruction="new")
    assert amended("old", instruction="new") == first
