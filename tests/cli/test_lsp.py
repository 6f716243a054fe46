"""`adk-decl lsp` where its extra is not installed; `tests/lsp` has the rest."""

from __future__ import annotations

import sys

import pytest

from adk_decl.cli.exit_codes import FAILED
from adk_decl.cli.main import main


def test_the_extra_is_named(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.delitem(sys.modules, "adk_decl.lsp.server", raising=False)
    monkeypatch.setitem(sys.modules, "lsprotocol", None)
    monkeypatch.setitem(sys.modules, "pygls", None)
    assert main(["lsp", "--stdio"]) == FAILED
    captured = capsys.readouterr()
    assert "pip install 'adk-decl[lsp]'" in captured.err
    assert captured.out == ""
