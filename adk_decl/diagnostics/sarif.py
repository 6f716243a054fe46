"""Findings as SARIF 2.1.0, which code-scanning services and editors read.

No text of a file is repeated; places are lines and columns in code points. File names are relative to the current
folder, which stands in `originalUriBaseIds`; files elsewhere have absolute URIs.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any
from urllib.parse import quote as percent_encoded

from adk_decl.diagnostics.codes import CODES
from adk_decl.diagnostics.diagnostic import Diagnostic, Fix, Span
from adk_decl.diagnostics.pages import page
from adk_decl.diagnostics.wording import printable
from adk_decl.version import VERSION

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
BASE = "SRCROOT"


def render(
    diagnostics: Iterable[Diagnostic],
    sources: Mapping[str, str],
    *,
    color: bool = False,
    limit: int | None = None,
) -> str:
    """All findings as one SARIF document; `color` and `limit` have no effect."""
    return to_text(to_sarif(tuple(diagnostics)))


def failure(message: str, *, exit_code: int) -> str:
    """A document that says why the command could not do its work."""
    document = to_sarif(())
    note = {"level": "error", "message": {"text": printable(message)}}
    document["runs"][0]["invocations"] = [
        {"executionSuccessful": False, "exitCode": exit_code, "toolExecutionNotifications": [note]}
    ]
    return to_text(document)


def to_sarif(diagnostics: Sequence[Diagnostic]) -> dict[str, Any]:
    """The document as plain data. Its rules are the codes that were found, each with its page."""
    found = {d.code for d in diagnostics}
    rules = [code for code in CODES if code in found]
    driver = {"name": "adk-decl", "version": VERSION, "rules": [_rule(code) for code in rules]}
    run = {
        "tool": {"driver": driver},
        "invocations": [{"executionSuccessful": True}],
        "originalUriBaseIds": {BASE: {"uri": _folder_uri(os.getcwd())}},
        "columnKind": "unicodeCodePoints",
        "results": [_result(d, rules) for d in diagnostics],
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def to_text(document: object) -> str:
    """The document as JSON with a line end."""
    return json.dumps(document, ensure_ascii=True, indent=2) + "\n"


def _rule(code: str) -> dict[str, Any]:
    row = CODES[code]
    text = page(code)
    return {
        "id": code,
        "name": "".join(word.capitalize() for word in row.slug.split("_")),
        "shortDescription": {"text": row.title},
        "fullDescription": {"text": row.title},
        "help": {"text": text, "markdown": text},
        "defaultConfiguration": {"level": row.severity},
    }


def _result(d: Diagnostic, rules: Sequence[str]) -> dict[str, Any]:
    location: dict[str, Any] = {"physicalLocation": _place(d.span)}
    if d.path:
        location["logicalLocations"] = [{"fullyQualifiedName": printable(".".join(map(str, d.path))), "kind": "member"}]
    result: dict[str, Any] = {
        "ruleId": d.code,
        "ruleIndex": rules.index(d.code),
        "level": d.severity,
        "message": {"text": _message(d)},
        "locations": [location],
        "partialFingerprints": {"adkDecl/v1": _fingerprint(d)},
    }
    if d.labels:
        result["relatedLocations"] = [
            {"id": number, "physicalLocation": _place(label.span), "message": {"text": printable(label.message)}}
            for number, label in enumerate(d.labels, start=1)
        ]
    if d.fix is not None and d.fix.edits:
        result["fixes"] = [_fix(d.fix)]
    return result


def _message(d: Diagnostic) -> str:
    lines = [printable(d.message)]
    if d.label:
        lines.append(printable(d.label))
    mend = d.help if d.help is not None else d.fix.title if d.fix else None
    if mend is not None:
        lines.append(f"help: {printable(mend)}")
    return "\n".join([*lines, *(f"note: {printable(note)}" for note in d.notes)])


def _fix(fix: Fix) -> dict[str, Any]:
    changes: dict[str, list[dict[str, Any]]] = {}
    for edit in fix.edits:
        replacement = {"deletedRegion": _region(edit.span), "insertedContent": {"text": edit.text}}
        changes.setdefault(edit.span.file, []).append(replacement)
    return {
        "description": {"text": printable(fix.title)},
        "properties": {"applicability": fix.applicability},
        "artifactChanges": [{"artifactLocation": _artifact(f), "replacements": r} for f, r in changes.items()],
    }


def _place(span: Span) -> dict[str, Any]:
    place: dict[str, Any] = {"artifactLocation": _artifact(span.file)}
    if (span.line, span.column) != (span.end_line, span.end_column):
        # An empty span stands for the whole file.
        place["region"] = _region(span)
    return place


def _region(span: Span) -> dict[str, int]:
    return {
        "startLine": span.line,
        "startColumn": span.column,
        "endLine": span.end_line,
        "endColumn": span.end_column,
    }


def _artifact(file: str) -> dict[str, str]:
    path = percent_encoded(file, safe="/~", errors="surrogateescape")
    if os.path.isabs(file):
        return {"uri": f"file://{path if path.startswith('/') else '/' + path}"}
    return {"uri": path, "uriBaseId": BASE}


def _folder_uri(folder: str) -> str:
    path = percent_encoded(folder.replace(os.sep, "/"), safe="/~", errors="surrogateescape").strip("/")
    return f"file:///{path}/" if path else "file:///"


def _fingerprint(d: Diagnostic) -> str:
    """What stays the same when lines above a finding come and go: code, file and field path."""
    parts = (d.code, d.span.file, *map(str, d.path), d.message)
    return sha256("\0".join(parts).encode("utf-8", "backslashreplace")).hexdigest()[:32]
