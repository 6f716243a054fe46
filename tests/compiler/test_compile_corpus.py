"""Every example of a finding gives what its name promises, worded as its snapshot says.

Those of errors stand in `manifests/invalid/`, and `validate` refuses each; those of warnings in `manifests/warned/`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from adk_decl.compiler.compile import CompileResult, compile_file
from adk_decl.diagnostics import json_format, text
from adk_decl.diagnostics.codes import CODES
from tests.snapshot import check_snapshot

CHECKOUT = Path(__file__).parents[2]
FILES = sorted(
    path.relative_to(CHECKOUT).as_posix()
    for folder in ("invalid", "warned")
    for path in (CHECKOUT / "manifests" / folder).glob("ADK*")
)
VALID = sorted(
    path.relative_to(CHECKOUT).as_posix()
    for folder in ("manifests", "manifests/valid")
    for path in (CHECKOUT / folder).glob("*.adk.*")
)
WITHOUT_A_FILE = {
    "ADK020": "a file that can't be opened",
    "ADK140": "no key is deprecated yet",
    "ADK141": "no key was removed yet",
    "ADK218": "needs an installed package",
    "ADK417": "needs an installed package",
    "ADK415": "would be a file of hundreds of kilobytes",
    "ADK507": "would be dozens of files",
    **{f"ADK60{number}": "about a lock file, which no manifest shows; see tests/lock" for number in range(1, 8)},
    "ADK900": "a defect",
    "ADK910": "a defect",
}
"""Codes that no file of the corpus can show; other tests do."""


@pytest.mark.parametrize("name", FILES)
def test_an_example_gives_its_finding(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    result = _compile(name, monkeypatch)
    folder, _, file = name.removeprefix("manifests/").partition("/")
    assert _code(name) in {found.code for found in result.diagnostics}
    severities = {found.severity for found in result.diagnostics}
    assert (result.plan is None) == ("error" in severities) == (folder == "invalid")
    check_snapshot(f"invalid/{file}.txt", text.render(result.diagnostics, result.sources))
    check_snapshot(f"invalid/{file}.json", json_format.render(result.diagnostics, result.sources))


@pytest.mark.parametrize("name", VALID)
def test_a_valid_manifest_compiles_without_findings(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    result = _compile(name, monkeypatch)
    assert result.diagnostics == ()
    assert result.plan is not None
    assert result.plan.verify()


def test_codes_and_files_belong_together() -> None:
    shown = {_code(name) for name in FILES}
    assert shown - set(CODES) == set()
    assert set(CODES) - shown == set(WITHOUT_A_FILE)


def test_names_of_files_are_code_and_slug() -> None:
    wrong = []
    for name in FILES:
        row = CODES[_code(name)]
        folder = "invalid" if row.severity == "error" else "warned"
        if not name.startswith(f"manifests/{folder}/{row.code}-{row.slug}.{folder}."):
            wrong.append(name)
    assert wrong == []


def test_each_finding_lies_in_a_source_that_can_be_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in FILES:
        result = _compile(name, monkeypatch)
        for found in result.diagnostics:
            if found.code in ("ADK020", "ADK021"):
                continue
            lines = result.sources[found.span.file].split("\n")
            assert 1 <= found.span.line <= len(lines), name
            assert found.span.column >= 1


def _code(name: str) -> str:
    return name.rpartition("/")[2][: len("ADK000")]


def _compile(name: str, monkeypatch: pytest.MonkeyPatch) -> CompileResult:
    monkeypatch.chdir(CHECKOUT)
    return compile_file(name)


def test_twins_in_yaml_and_toml_are_one_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    plans = [_compile(f"manifests/valid/smallest.adk.{ending}", monkeypatch).plan for ending in ("yaml", "toml")]
    assert plans[0] is not None
    assert plans[0] == plans[1]
