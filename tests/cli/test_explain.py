"""`adk-decl explain`."""

from __future__ import annotations

import pytest

from adk_decl.cli.exit_codes import DONE, FAILED
from adk_decl.cli.main import main
from adk_decl.diagnostics.codes import CODES

Captured = pytest.CaptureFixture[str]


@pytest.mark.parametrize("word", ["ADK006", "adk006", "duplicate_key", "duplicate-key", " ADK006 ", "006"])
def test_a_code_by_number_or_name(word: str, capsys: Captured) -> None:
    assert main(["explain", word]) == DONE
    assert "ADK006" in capsys.readouterr().out


def test_every_code_has_a_page(capsys: Captured) -> None:
    for code in CODES:
        assert main(["explain", code]) == DONE, code
        assert code in capsys.readouterr().out


def test_the_nearest_is_named(capsys: Captured) -> None:
    assert main(["explain", "unknown_feild"]) == FAILED
    assert "did you mean unknown_field?" in capsys.readouterr().err


@pytest.mark.parametrize("word", ["ADK999", "", "../../pyproject", "x" * 10_000])
def test_what_does_not_exist(word: str, capsys: Captured) -> None:
    assert main(["explain", word]) == FAILED
    assert "there is no code" in capsys.readouterr().err
