"""What the readers alone say about the invalid examples of syntax; the compiler's test covers all of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from adk_decl.diagnostics import json_format, text
from adk_decl.diagnostics.diagnostic import DiagnosticBag
from adk_decl.syntax.read import read_file
from tests.snapshot import check_snapshot

FOLDER = Path(__file__).parents[2] / "manifests" / "invalid"
NEEDS_SCHEMA = ("ADK010", "ADK012", "ADK013")
FILES = sorted(path.name for path in FOLDER.glob("ADK0*") if not path.name.startswith(NEEDS_SCHEMA))


@pytest.mark.parametrize("name", FILES)
def test_snapshot(name: str) -> None:
    bag = DiagnosticBag()
    sources: dict[str, str] = {}
    read_file(str(FOLDER / name), shown=f"manifests/invalid/{name}", bag=bag, sources=sources)
    found = bag.sorted()
    assert {d.code for d in found} == {name[:6]}
    check_snapshot(f"invalid/{name}.txt", text.render(found, sources))
    check_snapshot(f"invalid/{name}.json", json_format.render(found, sources))


@pytest.mark.parametrize("name", sorted(path.name for path in FOLDER.glob("ADK0*") if path.name[:6] in NEEDS_SCHEMA))
def test_what_needs_a_schema_is_left_to_it(name: str) -> None:
    bag = DiagnosticBag()
    assert read_file(str(FOLDER / name), bag=bag) is not None
    assert bag.sorted() == ()
