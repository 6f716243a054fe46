from __future__ import annotations

from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from adk_decl.diagnostics import junit
from adk_decl.diagnostics.diagnostic import Diagnostic
from tests.diagnostics.samples import EVERYTHING, MARKUP, SOURCES, UNKNOWN, WIDE, span
from tests.snapshot import check_snapshot


def parsed(text: str) -> ElementTree.Element:
    return ElementTree.fromstring(text.encode())


def test_snapshot() -> None:
    check_snapshot(
        "diagnostics/everything.junit.xml", junit.render(EVERYTHING, SOURCES, files=("clean.yaml", "a.yaml"))
    )


def test_one_test_case_for_each_file() -> None:
    root = parsed(junit.render((UNKNOWN, WIDE), SOURCES, files=("clean.yaml", "a.yaml")))
    cases = {case.get("name"): case for case in root.iter("testcase")}
    assert list(cases) == ["clean.yaml", "a.yaml"]
    assert list(cases["clean.yaml"]) == []
    assert [child.tag for child in cases["a.yaml"]] == ["failure", "system-out"]
    for element in (root, root[0]):
        assert (element.get("tests"), element.get("failures"), element.get("errors")) == ("2", "1", "0")


def test_a_failure_holds_every_error_of_its_file() -> None:
    root = parsed(junit.render((UNKNOWN, UNKNOWN.replace(message="and another")), SOURCES))
    (failure,) = root.iter("failure")
    assert failure.get("type") == "ADK110"
    assert str(failure.get("message")).endswith("and 1 more finding")
    assert "a.yaml:4:5: ADK110 unknown key" in str(failure.text)
    assert "and another" in str(failure.text)


def test_warnings_fail_where_they_are_denied() -> None:
    assert not list(parsed(junit.render((WIDE,), SOURCES)).iter("failure"))
    assert list(parsed(junit.render((WIDE,), SOURCES, deny_warnings=True)).iter("failure"))


def test_markup_is_text() -> None:
    root = parsed(junit.render((MARKUP,), {}))
    (output,) = root.iter("system-out")
    assert MARKUP.message in str(output.text)
    assert [case.get("name") for case in root.iter("testcase")] == [MARKUP.span.file]


@given(text=st.text(st.characters()), file=st.text(st.characters(), min_size=1))
def test_any_text_gives_xml(text: str, file: str) -> None:
    for severity in ("error", "warning"):
        finding = Diagnostic(code="ADK110", severity=severity, message=text, span=span(1, 1, 2, file), help=text)
        parsed(junit.render((finding,), {}, files=(text,)))


def test_no_finding_is_a_document_too() -> None:
    assert parsed(junit.render((), {})).get("tests") == "0"
