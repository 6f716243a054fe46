"""A laid out text says the same, or is not given."""

from __future__ import annotations

import pytest

from adk_decl.diagnostics.diagnostic import DiagnosticBag
from adk_decl.syntax import layout
from adk_decl.syntax.document import Document
from adk_decl.syntax.layout import Layout, ambiguous_spots, lay_out, same_tree
from adk_decl.syntax.read import Format, read_bytes


def read(text: str, kind: Format = "yaml") -> Document:
    document = read_bytes(text.encode(), file="f", format=kind, bag=DiagnosticBag())
    assert document is not None
    return document


def test_both_formats() -> None:
    assert lay_out(read("a:   1\n")) == Layout("a: 1\n")
    assert lay_out(read("a=1\n", "toml")) == Layout("a = 1\n")


def test_json_is_not_laid_out() -> None:
    assert lay_out(read('{"a":1}', "json")) == Layout(None, "not understood")


def test_a_text_that_says_something_else_is_not_given(monkeypatch: pytest.MonkeyPatch) -> None:
    for wrong in ("a: 2\n", "a: [\n", ""):
        monkeypatch.setattr(layout, "_formatted", lambda *arguments, wrong=wrong: wrong)
        assert lay_out(read("a: 1\n")) == Layout(None, "other tree")


def test_a_text_beyond_a_limit_is_not_given() -> None:
    assert lay_out(read("a:\n- " + "[" + "x" * 8188 + "]\n")) == Layout(None, "too large")


def test_a_text_that_is_canonical_is_not_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    document = read("a: 1\n")
    monkeypatch.setattr(layout, "read_bytes", None)
    assert lay_out(document) == Layout("a: 1\n")


def test_spots_are_those_of_plain_words() -> None:
    assert ambiguous_spots(read("a: no\nb: 'no'\nc: [010]\n")) == {(1, 4), (3, 5)}
    assert ambiguous_spots(read("a = 'no'\n", "toml")) == frozenset()


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("a: 1\nb: x\n", "{a: 1, b: 'x'}\n", True),
        ("a: 1\nb: 2\n", "b: 2\na: 1\n", False),
        ("a: 1\n", "a: 1.0\n", False),
        ("a: 1\n", "a: true\n", False),
        ("a: 1\n", "a: '1'\n", False),
        ("a: 1\n", "b: 1\n", False),
        ("a: [1]\n", "a: [1, 2]\n", False),
        ("a: [1]\n", "a: {b: 1}\n", False),
        ("a: {b: 1}\n", "a: {b: 1, c: 2}\n", False),
    ],
)
def test_same_tree(one: str, other: str, same: bool) -> None:
    assert same_tree(read(one).root, read(other).root) is same
