from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from adk_decl.data_files import read_data
from adk_decl.diagnostics import concise, json_format, text
from adk_decl.diagnostics.diagnostic import Diagnostic, DiagnosticBag, Edit, Fix, Label, Span
from tests.snapshot import check_snapshot

SOURCE = """\
plugins:
  redact:
    use: pii_redactor
    timeout_msec: 250
    config: {secret: hunter2, depht: 3}
  redact:
    use: 漢字 # wide
"""


def span(line: int, column: int, end_column: int, file: str = "a.yaml") -> Span:
    return Span(file=file, line=line, column=column, end_line=line, end_column=end_column)


UNKNOWN = Diagnostic(
    code="ADK110",
    severity="error",
    message="unknown key `timeout_msec` in plugin `redact`",
    span=span(4, 5, 17),
    label="not a key of a plugin",
    path=("plugins", "redact", "timeout_msec"),
    notes=("keys here: use, timeout_ms",),
    help="did you mean `timeout_ms`?",
    fix=Fix(title="rename the key", applicability="safe", edits=(Edit(span=span(4, 5, 17), text="timeout_ms"),)),
)
MASKED = Diagnostic(
    code="ADK110",
    severity="error",
    message="unknown key `depht`",
    span=span(5, 31, 36),
    path=("plugins", "redact", "config", "depht"),
    mask_values=True,
)
TWICE = Diagnostic(
    code="ADK006",
    severity="error",
    message="key `redact` stands twice in this map",
    span=span(6, 3, 9),
    label="again here",
    labels=(Label(span=span(2, 3, 9), message="first here"),),
)
WIDE = Diagnostic(
    code="ADK018",
    severity="warning",
    message="the value ends before this `#`",
    span=span(7, 13, 14),
    label="a comment begins here",
    fix=Fix(title="quote it", applicability="display"),
)
ELSEWHERE = Diagnostic(
    code="ADK203",
    severity="error",
    message="two plugins with one id",
    span=span(2, 3, 9),
    labels=(
        Label(span=span(1, 1, 5, "b.yaml"), message="the other one"),
        Label(span=span(9, 1, 5, "unknown.yaml"), message="and this one"),
    ),
)
OVER_LINES = Diagnostic(
    code="ADK101",
    severity="error",
    message="a list, not a map",
    span=Span(file="a.yaml", line=2, column=3, end_line=4, end_column=22),
    label="from here",
)
WHOLE_FILE = Diagnostic(code="ADK020", severity="error", message="the file can't be read", span=span(1, 1, 1, "c.yaml"))
HOSTILE = Diagnostic(
    code="ADK110",
    severity="error",
    message="unknown key `\x1b[2J`",
    span=span(1, 1, 3, "d\x1b.yaml"),
    label="\x1b",
    help="\n",
    notes=("\u202e",),
)
ALL = (UNKNOWN, MASKED, TWICE, WIDE, ELSEWHERE, OVER_LINES, WHOLE_FILE, HOSTILE)
SOURCES = {"a.yaml": SOURCE, "b.yaml": "other: 1\n", "d\x1b.yaml": "\x1b[2J: 1\n"}


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
