"""Traps of YAML, TOML and JSON through the whole compiler: the same answer of both parsers, at its place, in time."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from adk_decl.compiler.compile import CompileResult, compile_file
from adk_decl.diagnostics import json_format, text
from adk_decl.plan.record import FrozenMap
from adk_decl.syntax import yaml_reader
from tests.quality.bases import CHECKOUT
from tests.quality.trap_manifests import CODES, manifest_of
from tests.quality.trap_rows import ROWS, Row
from tests.syntax.trap_cases import CASES, Case

SHARED = CHECKOUT.parent / "shared" / "cases" / "yaml_traps"
MOST_SECONDS = 1.0
DECIDED = {
    "y19": "0o640 is refused where a number is asked for, as the cases allow",
    "y33": "12e4567 is text where text is asked for, as the cases allow",
    "y58": "a path is taken literally, its line break included, as the cases allow",
    "y89": "a lone carriage return is refused, as the cases allow",
    "j07": "an eval set is no manifest, which is said in clear words",
}


def shared_cases() -> list[dict[str, Any]]:
    if not SHARED.is_dir():
        return []
    cases: list[dict[str, Any]] = json.loads((SHARED / "EXPECTED.json").read_text(encoding="utf-8"))["cases"]
    return [case for case in cases if (SHARED / case["file"]).is_file()]


def compile_in(folder: Path, name: str, data: bytes, monkeypatch: pytest.MonkeyPatch) -> CompileResult:
    """What the compiler says, which both parsers have to agree on, each within a second."""
    (folder / "pyproject.toml").touch()
    (folder / name).write_bytes(data)
    monkeypatch.chdir(folder)
    results = []
    for pure in (False, True):
        with monkeypatch.context() as patch:
            if pure:
                patch.setattr(yaml_reader, "_c_parser", lambda: None)
            began = time.process_time()
            results.append(compile_file(name))
            assert time.process_time() - began < MOST_SECONDS
    assert results[0].diagnostics == results[1].diagnostics
    assert results[0].plan == results[1].plan
    for found in results[0].diagnostics:
        lines = results[0].sources[found.span.file].split("\n")
        assert 1 <= found.span.line <= len(lines)
        assert 1 <= found.span.column <= len(lines[found.span.line - 1]) + 1
    assert text.render(results[0].diagnostics, results[0].sources, limit=None).count("see: adk-decl explain") == len(
        results[0].diagnostics
    )
    json.loads(json_format.render(results[0].diagnostics, results[0].sources))
    return results[0]


@pytest.mark.shared_cases
@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared cases are not there")
@pytest.mark.parametrize("case", shared_cases(), ids=lambda case: case["file"])
def test_a_shared_trap(case: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name, number = case["file"], case["file"][:3]
    data = manifest_of(name, (SHARED / name).read_bytes())
    result = compile_in(tmp_path, name, data, monkeypatch)
    assert sorted({(found.code, found.span.line) for found in result.diagnostics}) == CODES.get(number, [])
    if number not in DECIDED:
        assert (result.plan is None) == (case["verdict"] == "reject")
    if result.plan is not None and isinstance(case.get("value"), str):
        assert case["value"] in (result.plan.body.name, result.plan.body.description, "runner")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_a_trap_in_a_field(row: Row, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result = compile_in(tmp_path, f"m.adk.{row.format}", row.manifest, monkeypatch)
    assert [(found.code, found.span.line) for found in result.diagnostics] == row.findings
    if row.value is not None:
        assert result.plan is not None
        assert at(result.plan.body, row.path) == row.value
        assert type(at(result.plan.body, row.path)) is type(row.value)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.format}: {case.name}")
def test_no_trap_gets_past_the_compiler(case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """None of the readers' traps is a manifest; what the reader said stays said, and nothing else breaks."""
    result = compile_in(tmp_path, f"m.adk.{case.format}", case.data, monkeypatch)
    assert result.plan is None
    found = {(each.code, each.span.line, each.span.column) for each in result.diagnostics}
    assert set(case.findings) <= found


def at(body: Any, path: str) -> Any:
    for step in path.split("."):
        body = body[step] if isinstance(body, FrozenMap) else getattr(body, step)
    return body
