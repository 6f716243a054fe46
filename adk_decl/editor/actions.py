"""Fixes of findings as an editor offers them: text edits by file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from adk_decl.diagnostics.diagnostic import Diagnostic, DiagnosticBag, Edit, Fix, Span
from adk_decl.diagnostics.edits import apply_edits, without_overlaps
from adk_decl.syntax.read import Format, format_of, read_bytes

_NOT_SILENCED = frozenset(("ADK902", "ADK903"))
"""Findings about such comments themselves."""


class Action(NamedTuple):
    """One offer: its title, its edits, whether it is safe, and the finding it mends (None when it mends several)."""

    title: str
    edits: tuple[Edit, ...]
    is_safe: bool
    finding: Diagnostic | None


def quick_fixes(
    findings: Iterable[Diagnostic], file: str, start: tuple[int, int], end: tuple[int, int]
) -> list[Action]:
    """The fixes of the findings of one file that touch a range of lines and columns from 1; safe ones first."""
    found = [
        Action(_title(finding.fix), finding.fix.edits, finding.fix.applicability == "safe", finding)
        for finding in findings
        if finding.fix is not None and _can_be_made(finding.fix) and _touches(finding.span, file, start, end)
    ]
    return sorted(found, key=lambda action: not action.is_safe)


def silences(
    findings: Iterable[Diagnostic], file: str, text: str, start: tuple[int, int], end: tuple[int, int]
) -> list[Action]:
    """A comment for each warning that touches a range, which silences it once a person has given the reason.

    Offered only where the comment changes nothing that the text says: not inside text of several lines, for example.
    """
    kind = format_of(file)
    if kind is None or kind == "json":
        return []
    found: list[Action] = []
    for finding in findings:
        if (
            finding.severity != "warning"
            or finding.code in _NOT_SILENCED
            or not _touches(finding.span, file, start, end)
        ):
            continue
        line = text.split("\n")[finding.span.line - 1].removesuffix("\r")
        column = len(line) + 1
        place = Span(file=file, line=finding.span.line, column=column, end_line=finding.span.line, end_column=column)
        edit = Edit(span=place, text=f"  # adk: ignore[{finding.code}] say why")
        if "#" not in line and _says_the_same(text, apply_edits(text, [edit]), kind):
            found.append(Action(f"silence {finding.code} on this line", (edit,), False, finding))
    return found


def fix_all(findings: Iterable[Diagnostic], file: str) -> Action | None:
    """All safe fixes of one file that don't get in each other's way, as one action; None when there is none."""
    groups = [
        finding.fix.edits
        for finding in findings
        if finding.fix is not None
        and finding.fix.applicability == "safe"
        and _can_be_made(finding.fix)
        and all(edit.span.file == file for edit in finding.fix.edits)
    ]
    edits = without_overlaps(groups)
    return Action("make all safe fixes", tuple(edits), True, None) if edits else None


def by_file(edits: Sequence[Edit]) -> dict[str, list[Edit]]:
    """Edits by the file they change, each once."""
    found: dict[str, list[Edit]] = {}
    for edit in dict.fromkeys(edits):
        found.setdefault(edit.span.file, []).append(edit)
    return found


def _says_the_same(before: str, after: str, kind: Format) -> bool:
    trees = [
        read_bytes(text.encode("utf-8", "surrogatepass"), file="", format=kind, bag=DiagnosticBag())
        for text in (before, after)
    ]
    return all(tree is not None for tree in trees) and len({repr(tree.root.to_plain()) for tree in trees if tree}) == 1


def _can_be_made(fix: Fix) -> bool:
    return bool(fix.edits) and fix.applicability != "display"


def _title(fix: Fix) -> str:
    return fix.title if fix.applicability == "safe" else f"{fix.title} (look at the result)"


def _touches(span: Span, file: str, start: tuple[int, int], end: tuple[int, int]) -> bool:
    return span.file == file and (span.line, span.column) <= end and start <= (span.end_line, span.end_column)
