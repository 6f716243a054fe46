"""Findings for programs: one JSON document, described by `schemas/diagnostics.v1.schema.json`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from adk_decl.diagnostics.codes import CODES
from adk_decl.diagnostics.diagnostic import Diagnostic, Edit, Fix, Span

FORMAT_VERSION = 1


def render(
    diagnostics: Iterable[Diagnostic],
    sources: Mapping[str, str],
    *,
    color: bool = False,
    limit: int | None = None,
) -> str:
    """All findings as one JSON document with a line end; `color` and `limit` have no effect."""
    return json.dumps(to_json(diagnostics), ensure_ascii=False, indent=2) + "\n"


def to_json(diagnostics: Iterable[Diagnostic]) -> dict[str, Any]:
    """The document as plain data. `valid` is false as soon as one finding is an error."""
    every = tuple(diagnostics)
    errors = sum(d.severity == "error" for d in every)
    return {
        "format_version": FORMAT_VERSION,
        "valid": errors == 0,
        "error_count": errors,
        "warning_count": len(every) - errors,
        "diagnostics": [finding_to_json(d) for d in every],
    }


def finding_to_json(d: Diagnostic) -> dict[str, Any]:
    """One finding as plain data; it fits `#/$defs/diagnostic` of the schema."""
    code = CODES.get(d.code)
    return {
        "code": d.code,
        "slug": code.slug if code else None,
        "severity": d.severity,
        "message": d.message,
        **_place(d.span),
        "label": d.label,
        "path": list(d.path),
        "labels": [{**_place(x.span), "message": x.message} for x in d.labels],
        "notes": list(d.notes),
        "help": d.help,
        "fix": None if d.fix is None else _fix(d.fix),
    }


def _place(span: Span) -> dict[str, Any]:
    return {
        "file": span.file,
        "range": {
            "start": {"line": span.line, "column": span.column},
            "end": {"line": span.end_line, "column": span.end_column},
        },
    }


def _fix(fix: Fix) -> dict[str, Any]:
    return {"title": fix.title, "applicability": fix.applicability, "edits": [_edit(e) for e in fix.edits]}


def _edit(edit: Edit) -> dict[str, Any]:
    return {**_place(edit.span), "text": edit.text}
