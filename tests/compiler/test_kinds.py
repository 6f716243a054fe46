"""Documents that are no manifest of this version."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.compiler.project import BASE, codes, compile_text


@pytest.mark.parametrize(
    ("text", "found", "kind"),
    [
        (BASE, [], "Manifest"),
        (BASE.replace("kind: Manifest", "kind: Manifst"), ["ADK130"], None),
        (BASE.replace("kind: Manifest", "kind: EvalSet"), ["ADK209"], None),
        (BASE.replace("kind: Manifest", "kind: PolicyTest"), ["ADK209"], None),
        (BASE.replace("/v1", "/v2"), ["ADK130"], None),
        (BASE.replace("kind: Manifest\n", ""), ["ADK111"], "Manifest"),
        (BASE.replace("apiVersion: adk-decl/v1\n", ""), ["ADK111"], "Manifest"),
        (BASE.replace("kind: Manifest", "kind: 3"), ["ADK101"], "Manifest"),
        ("eval_set_id: x\neval_cases: []\n", ["ADK130"], None),
        ("services: {web: {image: nginx}}\n", ["ADK130"], None),
        ("{}\n", ["ADK130"], None),
        ("- a\n", ["ADK101"], None),
    ],
)
def test_kinds(tmp_path: Path, text: str, found: list[str], kind: str | None) -> None:
    result = compile_text(tmp_path, text)
    assert codes(result) == found
    assert result.kind == kind
    assert (result.plan is None) == bool(found)
