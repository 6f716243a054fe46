from __future__ import annotations

from adk_decl.diagnostics.credentials import HIDDEN, without_credentials
from adk_decl.diagnostics.diagnostic import Diagnostic, Edit, Fix, Label, Span

KEY = "sk-7f3a9Zk2LmQ8vX3bN5tR1aBcDeF"
TEXT = f"a: 1\nb: {KEY}\nc: 2\n"


def span(line: int, column: int = 1) -> Span:
    return Span(file="f", line=line, column=column, end_line=line, end_column=column + 1)


def found(code: str, place: Span, **more: object) -> Diagnostic:
    return Diagnostic(code=code, severity="error", message=f"no model is named `{KEY}`", span=place, **more)  # type: ignore[arg-type]


def test_every_word_and_every_snippet_is_cleaned() -> None:
    fix = Fix(title="x", applicability="safe", edits=(Edit(span=span(1), text=KEY),))
    labels = (Label(span=span(2), message=f"first {KEY}"),)
    given = found("ADK202", span(1), label=KEY, help=KEY, notes=(KEY, "x"), path=("a", KEY, 1), labels=labels, fix=fix)
    (cleaned,) = without_credentials((given,), {"f": TEXT})
    assert KEY[3:] not in repr(cleaned)
    assert cleaned.message == f"no model is named `{HIDDEN}`"
    assert cleaned.path == ("a", HIDDEN, 1)
    assert cleaned.mask_values
    assert cleaned.fix is None


def test_at_a_credential_only_its_own_finding_is_left() -> None:
    given = (found("ADK202", span(2, 4)), found("ADK301", span(2, 4)), found("ADK120", span(3)))
    assert [each.code for each in without_credentials(given, {"f": TEXT})] == ["ADK301", "ADK120"]


def test_without_a_credential_nothing_changes() -> None:
    given = (Diagnostic(code="ADK120", severity="error", message="m", span=span(1)),)
    assert without_credentials(given, {"f": "a: 1\n"}) == given
