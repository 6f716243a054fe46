from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from adk_decl.diagnostics.diagnostic import Diagnostic, DiagnosticBag
from adk_decl.syntax.document import Document
from adk_decl.syntax.read import Format, format_of, read_bytes
from tests.syntax.checks import assert_spans_inside, outline
from tests.syntax.trap_cases import CASES, REFUSED, Case

SHARED = Path(__file__).resolve().parents[3] / "shared" / "cases" / "yaml_traps"
ACCEPTED_BY_US = {
    # What a schema decides, later: types, required keys, unknown keys, one id twice.
    *("y07", "y09", "y12", "y15", "y16", "y18", "y23", "y25", "y27", "y29", "y31", "y33", "y35", "y37", "y39", "y41"),
    *("y43", "y45", "y51", "y53", "y58", "y64", "y82", "t27"),
}
REFUSED_BY_US = {"y89": "a carriage return alone ends a line for some readers only"}


def read(data: bytes, kind: Format, *, pure: bool) -> tuple[Document | None, tuple[Diagnostic, ...]]:
    bag = DiagnosticBag()
    return read_bytes(data, file="file", format=kind, bag=bag, pure=pure), bag.sorted()


@pytest.mark.parametrize("pure", [False, True], ids=["c", "pure"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.format}: {case.name}")
def test_trap(case: Case, *, pure: bool) -> None:
    document, found = read(case.data, case.format, pure=pure)  # type: ignore[arg-type]
    assert sorted((d.code, d.span.line, d.span.column) for d in found) == sorted(case.findings)
    assert (document is None) == (case.tree is REFUSED)
    if document is not None and case.tree is not None:
        assert outline(document.root) == outline_of(case.tree)
    assert_spans_inside(case.data, document, found)


@pytest.mark.parametrize("case", [c for c in CASES if c.format == "yaml"], ids=lambda case: case.name)
def test_both_parsers_agree(case: Case) -> None:
    fast, found_fast = read(case.data, "yaml", pure=False)
    slow, found_slow = read(case.data, "yaml", pure=True)
    assert found_fast == found_slow
    assert (fast and outline(fast.root, places=True)) == (slow and outline(slow.root, places=True))


def outline_of(tree: Any) -> Any:
    """Plain data with types told apart, so that 1 is neither True nor 1.0."""
    if isinstance(tree, dict):
        return {key: outline_of(value) for key, value in tree.items()}
    if isinstance(tree, list):
        return [outline_of(item) for item in tree]
    return (type(tree).__name__, tree)


def shared_cases() -> list[dict[str, Any]]:
    if not SHARED.is_dir():
        return []
    cases: list[dict[str, Any]] = json.loads((SHARED / "EXPECTED.json").read_text(encoding="utf-8"))["cases"]
    return [case for case in cases if (SHARED / case["file"]).is_file()]


@pytest.mark.shared_cases
@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared cases are not there")
@pytest.mark.parametrize("pure", [False, True], ids=["c", "pure"])
@pytest.mark.parametrize("case", shared_cases(), ids=lambda case: case["file"])
def test_shared_trap(case: dict[str, Any], *, pure: bool) -> None:
    file = SHARED / case["file"]
    kind = format_of(file.name)
    assert kind is not None
    document, found = read(file.read_bytes(), kind, pure=pure)
    errors = [d for d in found if d.severity == "error"]
    assert_spans_inside(file.read_bytes(), document, found)
    number = case["file"][:3]
    if case["verdict"] == "accept" and number not in REFUSED_BY_US and "reject" not in case.get("also_allowed", ()):
        assert not errors
    if case["verdict"] == "reject" and number not in ACCEPTED_BY_US:
        assert errors
    if "value" in case and document is not None and "." not in case["field"]:
        value = document.root.get(case["field"])
        assert value is not None
        assert value.to_plain() == case["value"] or value.text == str(value.to_plain())
