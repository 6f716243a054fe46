"""Deprecated and removed keys, with a schema that only these tests carry."""

from __future__ import annotations

from typing import Any

from adk_decl.diagnostics.diagnostic import Diagnostic, DiagnosticBag
from adk_decl.diagnostics.edits import apply_edits
from adk_decl.schema.evaluate import evaluate
from adk_decl.schema.load import shape_from
from adk_decl.syntax.read import read_bytes

SCHEMA: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["name"],
    "properties": {
        "name": {"type": "string"},
        "timeout_ms": {"type": "integer"},
        "timeout": {
            "type": "integer",
            "deprecated": True,
            "x-deprecated": {"since": "1.2", "removed_in": "2.0", "replacement": "timeout_ms"},
        },
        "limit": {
            "type": "integer",
            "deprecated": True,
            "x-deprecated": {"since": "1.2", "removed_in": "2.0", "replacement": "give a limit to each runner"},
        },
    },
    "x-removed": {
        "title": {"removed_in": "1.0", "replacement": "name"},
        "color": {"removed_in": "1.0", "replacement": "delete it: output has no colour any more"},
    },
}


def findings(text: str, schema: dict[str, Any] = SCHEMA) -> tuple[Diagnostic, ...]:
    bag = DiagnosticBag()
    document = read_bytes(text.encode(), file="f.yaml", format="yaml", bag=bag)
    assert document is not None
    evaluate(shape_from(schema), document.root, file="f.yaml", bag=bag)
    return bag.sorted()


def mended(text: str, finding: Diagnostic) -> str:
    assert finding.fix is not None
    assert finding.fix.applicability == "safe"
    return apply_edits(text, finding.fix.edits)


def test_a_deprecated_key_is_a_warning_that_a_safe_fix_mends() -> None:
    text = "name: a\ntimeout: 5  # comment\n"
    (found,) = findings(text)
    assert (found.code, found.severity) == ("ADK140", "warning")
    assert found.message == "`timeout` in the manifest is deprecated since version 1.2"
    assert found.label == "will be removed in version 2.0"
    assert found.help == "write `timeout_ms` instead"
    assert (found.span.line, found.span.column, found.span.end_column) == (2, 1, 8)
    assert findings(mended(text, found)) == ()


def test_its_value_is_checked_as_before() -> None:
    assert [found.code for found in findings("name: a\ntimeout: soon\n")] == ["ADK140", "ADK101"]


def test_both_keys_at_once_have_no_fix() -> None:
    (found,) = findings("name: a\ntimeout: 5\ntimeout_ms: 6\n")
    assert found.fix is None
    assert found.notes == ("`timeout_ms` stands here too: delete `timeout`",)


def test_a_sentence_is_advice_without_a_fix() -> None:
    (found,) = findings("name: a\nlimit: 5\n")
    assert (found.code, found.help, found.fix) == ("ADK140", "give a limit to each runner", None)


def test_a_removed_key_is_an_error_that_names_what_to_write() -> None:
    text = "title: a\n"
    (found,) = findings(text)
    assert (found.code, found.severity) == ("ADK141", "error")
    assert found.message == "`title` in the manifest was removed in version 1.0"
    assert found.help == "write `name` instead"
    assert findings(mended(text, found)) == ()


def test_other_unknown_keys_keep_their_finding() -> None:
    found = findings("color: blue\ntittle: a\nshape: round\nname: a\n")
    assert [each.code for each in found] == ["ADK141", "ADK110", "ADK110"]
    assert found[0].fix is None


def test_a_key_is_silent_where_it_is_only_probed() -> None:
    schema = {**SCHEMA, "allOf": [{"if": {"properties": SCHEMA["properties"]}, "then": {"required": ["name"]}}]}
    assert [found.code for found in findings("name: a\ntimeout: 5\n", schema)] == ["ADK140"]
