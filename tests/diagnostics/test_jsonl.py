from __future__ import annotations

import json

from adk_decl.diagnostics import json_format, jsonl
from tests.diagnostics.samples import ALL, EVERYTHING, SOURCES
from tests.snapshot import check_snapshot


def test_snapshot() -> None:
    check_snapshot("diagnostics/all.jsonl", jsonl.render(ALL, SOURCES))


def test_each_line_is_the_finding_as_json_has_it() -> None:
    lines = jsonl.render(EVERYTHING, SOURCES).split("\n")
    assert lines.pop() == ""
    assert [json.loads(line) for line in lines] == json_format.to_json(EVERYTHING)["diagnostics"]


def test_no_finding_is_no_line() -> None:
    assert jsonl.render((), {}) == ""
