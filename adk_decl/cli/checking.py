"""Check a list of files and show the findings; what `validate` and the hook share. No click here."""

from __future__ import annotations

from collections.abc import Iterable

from adk_decl.cli.exit_codes import DEFECT, DONE, FAILED
from adk_decl.compiler.compile import compile_file
from adk_decl.diagnostics.diagnostic import Diagnostic, Span
from adk_decl.plan.limits import LIMITS
from adk_decl.plan.record import Record

FORMATS = ("text", "concise", "json")


class Checked(Record):
    """All findings of all files, the texts they point into, and how many files were read."""

    files: int
    diagnostics: tuple[Diagnostic, ...]
    sources: dict[str, str]
    defects: int

    def exit_code(self, *, deny_warnings: bool) -> int:
        """70 after a defect, 1 with errors (or warnings that are denied), else 0."""
        if self.defects:
            return DEFECT
        wrong = deny_warnings or any(d.severity == "error" for d in self.diagnostics)
        return FAILED if wrong and self.diagnostics else DONE


def check(files: Iterable[str], *, project_root: str | None = None) -> Checked:
    """Compile each file and collect the findings. A defect in one file is a finding too, and the rest goes on."""
    count = defects = 0
    found: list[Diagnostic] = []
    sources: dict[str, str] = {}
    for path in files:
        count += 1
        try:
            result = compile_file(path, project_root=project_root, checks_only=True)
        except Exception as error:  # noqa: BLE001 - one file must not hide the findings of the others
            defects += 1
            found.append(_defect(path, error))
            continue
        if result.diagnostics:
            found += result.diagnostics
            sources.update(result.sources)
    return Checked(files=count, diagnostics=tuple(found), sources=sources, defects=defects)


def show(checked: Checked, *, format_name: str, color: bool = False, show_all: bool = False) -> str:
    """The findings in one of `FORMATS`."""
    limit = None if show_all else LIMITS["read.findings_shown"].default
    if format_name == "json":
        from adk_decl.diagnostics import json_format

        return json_format.render(checked.diagnostics, checked.sources)
    if not checked.diagnostics:
        return f"{checked.files} file{'s' if checked.files != 1 else ''} checked, nothing found"
    if format_name == "concise":
        from adk_decl.diagnostics import concise

        return concise.render(checked.diagnostics, checked.sources, color=color, limit=limit)
    from adk_decl.diagnostics import text

    return text.render(checked.diagnostics, checked.sources, color=color, limit=limit)


def _defect(path: str, error: Exception) -> Diagnostic:
    from adk_decl.cli.defect import report_defect

    return Diagnostic(
        code="ADK900",
        severity="error",
        message="adk-decl failed on this file, and the fault is not yours",
        span=Span(file=path, line=1, column=1, end_line=1, end_column=1),
        notes=(report_defect(error, command="validate"),),
    )
