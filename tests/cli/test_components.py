"""`adk-decl components`."""

from __future__ import annotations

import json

import pytest

from adk_decl.cli.components import unavailable_name
from adk_decl.cli.exit_codes import DONE
from adk_decl.cli.main import main
from adk_decl.plan.features import UNAVAILABLE

Captured = pytest.CaptureFixture[str]


def test_what_there_is_and_what_there_is_not(capsys: Captured) -> None:
    assert main(["components"]) == DONE
    out = capsys.readouterr().out
    have, _, lack = out.partition("not available in this version")
    assert [name for name in ("global_instruction", "scripted", "sqlite", "openai_chat") if name not in have] == []
    assert [row for row in UNAVAILABLE if unavailable_name(row) not in lack] == []
    assert "cost_tracker" not in have


def test_the_same_as_json(capsys: Captured) -> None:
    assert main(["components", "--json"]) == DONE
    document = json.loads(capsys.readouterr().out)
    assert {found["kind"] for found in document["components"]} == {"plugin", "model", "session_store"}
    assert len(document["not_available"]) == len(UNAVAILABLE)
    assert document["problems"] == []
