"""Whatever the bytes are: nothing is raised, nothing takes long, both YAML parsers agree, places lie in the text."""

from __future__ import annotations

import json
import time
import tomllib
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from adk_decl.diagnostics import concise, json_format, text
from adk_decl.diagnostics.diagnostic import Diagnostic, DiagnosticBag
from adk_decl.syntax.document import Document
from adk_decl.syntax.preflight import text_to_show
from adk_decl.syntax.read import Format, read_bytes
from tests.syntax.checks import assert_spans_inside, outline
from tests.syntax.trap_cases import CASES

MANY = settings(max_examples=300, deadline=None)
SECOND = 1.0
FRAGMENTS = {
    "yaml": [
        *("\t", " ", "\n", ": ", ":", "- ", "-", "[", "]", "{", "}", ",", "'", '"', "#", " #1", "|", ">", "&a ", "*a"),
        *("!t ", "? ", "---\n", "...\n", "%", "@", "`", "\\", "\\u0041", "é", "😀", "<<: ", "null", "1", "|\n", "|2\n"),
        *(">-\n", "  ", "\r\n", "~", "=", "{{x}}"),
    ],
    "toml": [
        *("\n", "[", "]", "{", "}", "=", ",", ".", '"', "'", '"""', "'''", "#", "\\", "\\n", "\\e", "a", "1", "0x1"),
        *("inf", "2026-01-02", "true", "null", "[[a]]\n", "[a.b]\n", "a.b = 1\n", "a = 1\n", "é", " ", "\t", "\r\n"),
    ],
    "json": ["{", "}", "[", "]", ",", ":", '"', "\\", "\\u00e9", "1", "-", "true", "NaN", "null", "//", "\n", " ", "é"],
}
SEEDS = {kind: [c.data for c in CASES if c.format == kind and len(c.data) < 200] for kind in ("yaml", "toml", "json")}


@st.composite
def edited(draw: st.DrawFn, kind: str) -> bytes:
    """A valid or nearly valid text with one to four random edits."""
    data = draw(st.sampled_from(SEEDS[kind]))
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(data)))
        if draw(st.booleans()):
            data = data[:at] + draw(st.sampled_from(FRAGMENTS[kind])).encode() + data[at:]
        else:
            data = data[:at] + data[at + draw(st.integers(1, 6)) :]
    return data


def check(data: bytes, kind: Format, *, pure: bool = False) -> tuple[Document | None, tuple[Diagnostic, ...]]:
    bag = DiagnosticBag()
    began = time.perf_counter()
    document = read_bytes(data, file="file", format=kind, bag=bag, pure=pure)
    assert time.perf_counter() - began < SECOND
    found = bag.sorted()
    assert document is not None or any(d.severity == "error" for d in found)
    assert_spans_inside(data, document, found)
    sources = {"file": text_to_show(data)}
    for renderer in (text, concise, json_format):
        shown = renderer.render(found, sources)
        assert "\x1b" not in shown
        shown.encode()
    return document, found


@MANY
@given(st.binary(max_size=200), st.sampled_from(["yaml", "toml", "json"]))
def test_random_bytes(data: bytes, kind: Format) -> None:
    check(data, kind)


@MANY
@given(edited("yaml"))
def test_edited_yaml_reads_alike_with_both_parsers(data: bytes) -> None:
    fast, found_fast = check(data, "yaml")
    slow, found_slow = check(data, "yaml", pure=True)
    assert found_fast == found_slow
    assert (fast and outline(fast.root, places=True)) == (slow and outline(slow.root, places=True))


@MANY
@given(edited("toml"))
def test_edited_toml_means_what_tomllib_says(data: bytes) -> None:
    document, found = check(data, "toml")
    expected = tomllib_value(data)
    if document is not None and not found:
        assert document.root.to_plain() == expected
    if expected is None:
        assert any(d.severity == "error" for d in found)
    elif found:
        # Beyond TOML itself: empty files, empty keys, values that no field takes.
        assert {d.code for d in found} <= {"ADK002", "ADK012", "ADK013", "ADK014", "ADK015", "ADK101"}


@MANY
@given(edited("json"))
def test_edited_json_means_what_json_says(data: bytes) -> None:
    document, found = check(data, "json")
    try:
        expected: Any = json.loads(data)
    except ValueError:
        assert found
        return
    if document is not None and not found:
        assert document.root.to_plain() == expected


JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    # Characters that may stand in no file are written as escapes by json.dumps, NUL and surrogates are refused.
    | st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=12),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text("abcdeé-_", min_size=1, max_size=6), inner, max_size=4)
    ),
    max_leaves=20,
)


@MANY
@given(JSON_VALUES)
def test_json_is_read_as_written(value: Any) -> None:
    document, found = check(json.dumps(value).encode(), "json")
    assert document is not None
    assert not found
    assert document.root.to_plain() == value


@MANY
@given(st.dictionaries(st.text("abc-_", min_size=1, max_size=5), JSON_VALUES, min_size=1, max_size=4))
def test_json_in_yaml_is_read_as_written(value: dict[str, Any]) -> None:
    document, found = check(json.dumps(value, ensure_ascii=True).encode(), "yaml", pure=True)
    if any(d.code in ("ADK002", "ADK016", "ADK014") for d in found):
        return  # surrogate pairs as escapes are JSON, not YAML
    assert document is not None
    assert document.root.to_plain() == value


def tomllib_value(data: bytes) -> dict[str, Any] | None:
    try:
        return tomllib.loads(data.decode().removeprefix("\ufeff"))
    except ValueError:
        return None
