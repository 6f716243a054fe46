"""`adk-decl schema`."""

from __future__ import annotations

import json

import pytest

from adk_decl.cli.exit_codes import DONE, FAILED
from adk_decl.cli.main import main
from tests.architecture.sources import CHECKOUT

Captured = pytest.CaptureFixture[str]


@pytest.mark.parametrize("arguments", [[], ["manifest"], ["Manifest"], ["diagnostics"]])
def test_a_schema_is_printed_as_it_is(arguments: list[str], capsys: Captured) -> None:
    assert main(["schema", *arguments]) == DONE
    printed = json.loads(capsys.readouterr().out)
    name = arguments[0].lower() if arguments else "manifest"
    stored = CHECKOUT / "schemas" / f"{name}.v1.schema.json"
    assert printed == json.loads(stored.read_text(encoding="utf-8"))


def test_an_unknown_kind_lists_the_known_ones(capsys: Captured) -> None:
    assert main(["schema", "novel"]) == FAILED
    assert "there is components, diagnostics, manifest" in capsys.readouterr().err
