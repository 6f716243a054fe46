"""Names that others may rely on. A change here is a change of the promise: say it in the changelog."""

from __future__ import annotations

import importlib
import json
from pathlib import Path

import pytest

_PINNED: dict[str, list[str]] = json.loads((Path(__file__).parent / "public_names.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("module", sorted(_PINNED))
def test_exported_names_are_pinned(module: str) -> None:
    exported = importlib.import_module(module).__all__
    assert sorted(exported) == _PINNED[module]


@pytest.mark.parametrize("module", sorted(_PINNED))
def test_every_exported_name_is_there(module: str) -> None:
    loaded = importlib.import_module(module)
    assert [name for name in loaded.__all__ if not hasattr(loaded, name)] == []
