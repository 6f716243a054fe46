"""One slip makes one finding: rows of a manifest's part, and the findings as (code, line)."""

from __future__ import annotations

import pytest

from adk_decl.schema.load import load_shape
from tests.schema.shapes import check, read

HEAD = "apiVersion: adk-decl/v1\nkind: Manifest\nname: x\n"
ROWS = {
    "a level too deep": ("plugins:\n  p:\n    config:\n      use: a\n    mode: observe\n", [("ADK111", 7)]),
    "into a map that knows its keys": ("models:\n  m:\n    retries:\n      use: a\n", [("ADK110", 7)]),
    "a level too shallow": ("plugins:\n  p:\n    mode: observe\n  use: a\n", [("ADK110", 7)]),
    "into another block": ("models:\n  m: {timeout_ms: 5}\nrunners:\n  r: {agent: a, use: x}\n", [("ADK110", 7)]),
    "one stray explains one": (
        "models:\n  m: {}\n  n: {}\nrunners:\n  r: {agent: a, use: x}\n",
        [("ADK111", 5), ("ADK110", 8)],
    ),
    "a block beside its key": ("models:\nm:\n  use: a\n", [("ADK110", 5)]),
    "a block among the entries": ("runners:\n  r:\n    agent: a\n  limits:\n    max_model_calls: 1\n", [("ADK110", 7)]),
    "an entry that is named like a key": ("plugins:\n  config: {use: a}\n  mode: {use: b}\n", []),
    "a key without its space": ("plugins:\n  p:\n    use: a\n    config:{x: 1}\n", [("ADK019", 7)]),
    "an unknown key and an empty one": ("description:\nnmae: y\n", [("ADK112", 4), ("ADK110", 5)]),
}


@pytest.mark.parametrize("name", ROWS)
def test_one_slip(name: str) -> None:
    text, found = ROWS[name]
    findings, _ = check(load_shape("Manifest"), read(HEAD + text).root)
    assert [(each.code, each.span.line) for each in findings] == found
