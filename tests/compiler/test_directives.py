"""What a layer may write in place of a value."""

from __future__ import annotations

import pytest

from adk_decl.compiler.directives import DirectiveError, read_directive
from adk_decl.diagnostics.diagnostic import DiagnosticBag
from adk_decl.syntax.document import Node
from adk_decl.syntax.read import read_bytes


def read(text: str) -> Node:
    document = read_bytes(text.encode(), file="f", format="yaml", bag=DiagnosticBag())
    assert document is not None
    return document.root


@pytest.mark.parametrize(
    ("text", "way", "value"),
    [
        ("{$delete: true}", "delete", None),
        ("{$merge: append, items: [1]}", "append", [1]),
        ("{items: [], $merge: replace}", "replace", []),
        ("{$merge: replace}", "replace", {}),
        ("{$merge: replace, a: 1}", "replace", {"a": 1}),
        (
            "{$merge: replace, type: array, items: {type: string}}",
            "replace",
            {"type": "array", "items": {"type": "string"}},
        ),
        ("{$merge: replace, items: [1], b: 2}", "replace", {"items": [1], "b": 2}),
    ],
)
def test_directives(text: str, way: str, value: object) -> None:
    found = read_directive(read(text))
    assert found is not None
    assert found.way == way
    assert (found.value.to_plain() if found.value is not None else None) == value


@pytest.mark.parametrize("text", ["{}", "{a: 1}", "[1]", "text", "{merge: append, items: [1]}", "{$ref: x}"])
def test_what_is_none(text: str) -> None:
    assert read_directive(read(text)) is None


@pytest.mark.parametrize(
    "text", ["{$merge: 1}", "{$merge: append, items: {}}", "{$delete: 1}", "{$merge: append, a: 1, items: [1]}"]
)
def test_what_has_the_wrong_form(text: str) -> None:
    with pytest.raises(DirectiveError):
        read_directive(read(text))
