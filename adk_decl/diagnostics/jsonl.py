"""Findings for programs that read line by line: one JSON object a line, the same as in the format `json`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from adk_decl.diagnostics.diagnostic import Diagnostic
from adk_decl.diagnostics.json_format import finding_to_json


def render(
    diagnostics: Iterable[Diagnostic],
    sources: Mapping[str, str],
    *,
    color: bool = False,
    limit: int | None = None,
) -> str:
    """All findings, one a line; empty when there is none. `color` and `limit` have no effect."""
    return "".join(json.dumps(finding_to_json(d), ensure_ascii=True) + "\n" for d in diagnostics)
