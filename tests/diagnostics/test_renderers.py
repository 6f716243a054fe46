from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from adk_decl.compiler.compile import compile_file
from adk_decl.data_files import read_data
from adk_decl.diagnostics import concise, github, json_format, jsonl, junit, sarif, text
from adk_decl.diagnostics.diagnostic import Diagnostic, DiagnosticBag
from tests.architecture.sources import CHECKOUT
from tests.diagnostics.samples import ALL, MASKED, SOURCES, TWICE, UNKNOWN, WIDE, span
from tests.snapshot import check_snapshot

FORMATS = {"jsonl": jsonl, "sarif": sarif, "github": github, "junit": junit}
CORPUS = (
    "invalid/ADK006-duplicate_key.invalid.toml",
    "invalid/ADK110-unknown_field.invalid.yaml",
    "invalid/ADK301-inline_secret.invalid.yaml",
    "invalid/ADK211-hook_signature.invalid.yaml",
    "warned/ADK404-unreachable_plugin.warned.yaml",
)


@pytest.mark.parametrize("name", CORPUS)
@pytest.mark.parametrize("format_name", FORMATS)
def test_examples_in_the_formats_for_programs(format_name: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """`text` and `json` have a snapshot of every example, in the tests of the compiler."""
    monkeypatch.chdir(CHECKOUT)
    result = compile_file(f"manifests/{name}")
    shown = FORMATS[format_name].render(result.diagnostics, result.sources)
    if format_name == "sarif":
        document = json.loads(shown)
        run = document["runs"][0]
        assert run["originalUriBaseIds"][sarif.BASE]["uri"].endswith(f"{CHECKOUT.name}/")
        shown = sarif.to_text(run["results"])
    check_snapshot(f"formats/{name.partition('/')[2]}.{format_name}", shown)


def test_text() -> None:
    check_snapshot("diagnostics/all.txt", text.render(ALL, SOURCES))


def test_text_in_color_has_the_same_words() -> None:
    colored = text.render(ALL, SOURCES, color=True)
    check_snapshot("diagnostics/color.txt", colored)
    for paint in ("\x1b[0m", "\x1b[1m", "\x1b[1;31m", "\x1b[1;33m", "\x1b[1;34m"):
        colored = colored.replace(paint, "")
    assert colored == text.render(ALL, SOURCES)


def test_concise() -> None:
    check_snapshot("diagnostics/all.concise.txt", concise.render(ALL, SOURCES))


def test_json() -> None:
    check_snapshot("diagnostics/all.json", json_format.render(ALL, SOURCES))


@pytest.mark.parametrize("found", [(), ALL, (WIDE,)])
def test_json_fits_its_schema(found: tuple[Diagnostic, ...]) -> None:
    schema = json.loads(read_data("schemas/diagnostics.v1.schema.json"))
    Draft202012Validator.check_schema(schema)
    document: dict[str, Any] = json.loads(json_format.render(found, SOURCES))
    Draft202012Validator(schema).validate(document)
    assert document["valid"] == (document["error_count"] == 0)
    assert document["error_count"] + document["warning_count"] == len(document["diagnostics"]) == len(found)


def test_nothing_hostile_reaches_a_terminal() -> None:
    for renderer in (text, concise):
        shown = renderer.render(ALL, SOURCES)
        assert "\x1b" not in shown
        assert "\u202e" not in shown
    assert "hunter2" not in text.render((MASKED,), SOURCES)


def test_no_finding_gives_no_text() -> None:
    assert text.render((), {}) == concise.render((), {}) == ""


def test_a_file_shows_at_most_its_limit() -> None:
    many = [UNKNOWN.replace(span=span(4, 5, 17), message=f"m{n}") for n in range(60)]
    for renderer in (text, concise):
        assert "10 more findings in a.yaml not shown" in renderer.render(many, SOURCES)
        assert "1 more finding in a.yaml not shown" in renderer.render(many, SOURCES, limit=59)
        assert "not shown" not in renderer.render(many, SOURCES, limit=None)
    assert len(json_format.to_json(many)["diagnostics"]) == 60
    assert text.render(many, SOURCES).endswith("60 errors, 0 warnings in 1 file\n")


def test_the_bag_keeps_one_of_two_equal_findings_in_order() -> None:
    bag = DiagnosticBag()
    for found in (TWICE, UNKNOWN, UNKNOWN, WIDE):
        bag.add(found)
    assert bag.sorted() == (UNKNOWN, TWICE, WIDE)
    assert bag.has_errors
