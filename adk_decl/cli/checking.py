"""Check a list of files and show the findings; what `validate` and the hook share. No click here."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from adk_decl.cli.exit_codes import DEFECT, DONE, FAILED
from adk_decl.plan.record import Record

if TYPE_CHECKING:
    from adk_decl.compiler.clean_results import CleanResults
    from adk_decl.compiler.compile import CompileResult
    from adk_decl.diagnostics.diagnostic import Diagnostic

FORMATS = ("text", "concise", "json", "jsonl", "sarif", "github", "junit")
"""How findings can be shown; each is a module of `adk_decl.diagnostics`."""

COLORED = ("text", "concise")
"""Formats that may have colour."""

_MANY_OBJECTS = 200_000
"""Objects that may be made between two looks of the collector; a manifest at its limits is one of these."""

FOR_PEOPLE = ("text", "concise", "github")
"""Formats that a person reads, and that say something when nothing was found."""


class Checked(Record):
    """All findings of all files, the texts they point into, and the names of the files that were read."""

    files: tuple[str, ...]
    diagnostics: tuple[Diagnostic, ...]
    sources: dict[str, str]
    defects: int

    def exit_code(self, *, deny_warnings: bool) -> int:
        """70 after a defect, 1 with errors (or warnings that are denied), else 0."""
        if self.defects:
            return DEFECT
        wrong = deny_warnings or any(d.severity == "error" for d in self.diagnostics)
        return FAILED if wrong and self.diagnostics else DONE


def check(
    files: Iterable[str],
    *,
    overlays: Sequence[str] = (),
    project_root: str | None = None,
    data: bytes | None = None,
    cached: bool = False,
) -> Checked:
    """Compile each file and collect the findings. A defect in one file is a finding too, and the rest goes on.

    `overlays` are laid over each manifest. With `data`, that is the content of the files, not what stands on the disk.
    With `cached`, files that are known to be clean are not compiled again, and nothing of the compiler is imported for
    them.
    """
    known = _clean_results(overlays, project_root) if cached and data is None else None
    names: list[str] = []
    defects = 0
    found: list[Diagnostic] = []
    sources: dict[str, str] = {}
    for path in files:
        name = None if known is None else known.find(path)
        if name is not None:
            names.append(name)
            continue
        try:
            with _RareCollections():
                result = _compile(path, overlays, project_root, data, known)
        except Exception as error:  # noqa: BLE001 - one file must not hide the findings of the others
            defects += 1
            names.append(path)
            found.append(defect_finding(path, error))
            continue
        names.append(result.file)
        if result.diagnostics:
            found += result.diagnostics
            sources.update(result.sources)
    if known is not None:
        known.prune()
    # A finding in a layer that several of the files build on is one finding.
    every = tuple(dict.fromkeys(found))
    return Checked(files=tuple(names), diagnostics=every, sources=sources, defects=defects)


def show(
    checked: Checked, *, format_name: str, color: bool = False, show_all: bool = False, deny_warnings: bool = False
) -> str:
    """The findings in one of `FORMATS`. `deny_warnings` makes failures of warnings where the format has failures."""
    if not checked.diagnostics and format_name in FOR_PEOPLE:
        count = len(checked.files)
        return f"{count} file{'s' if count != 1 else ''} checked, nothing found"
    found, sources = checked.diagnostics, checked.sources
    if format_name == "junit":
        from adk_decl.diagnostics import junit

        return junit.render(found, sources, files=checked.files, deny_warnings=deny_warnings)
    from adk_decl.plan.limits import LIMITS

    limit = None if show_all else LIMITS["read.findings_shown"].default
    return _renderer(format_name)(found, sources, color=color, limit=limit)


def setting_overlays() -> tuple[str, ...]:
    """The files that the setting `ADK_DECL_OVERLAYS` lays over every manifest."""
    from adk_decl.plan.settings_table import overlay_setting

    return overlay_setting()


def _renderer(format_name: str) -> Callable[..., str]:
    # One of seven is needed, so the others are not imported.
    from importlib import import_module

    module = "json_format" if format_name == "json" else format_name
    render: Callable[..., str] = import_module(f"adk_decl.diagnostics.{module}").render
    return render


def _compile(
    path: str, overlays: Sequence[str], project_root: str | None, data: bytes | None, known: CleanResults | None
) -> CompileResult:
    """Compile one file, and remember it when it is clean."""
    from adk_decl import disk
    from adk_decl.compiler.compile import compile_file

    texts = None if data is None else {os.path.abspath(path): data}
    with disk.Recorder() as seen:
        result = compile_file(path, overlays=overlays, project_root=project_root, checks_only=True, texts=texts)
    if known is not None and not result.diagnostics:
        known.keep(path, shown=result.file, seen=seen)
    return result


class _RareCollections:
    """Nodes refer to no parent, so they go without the collector, which would look at all of them again and again."""

    def __enter__(self) -> None:
        self._before = gc.get_threshold()
        gc.set_threshold(_MANY_OBJECTS, *self._before[1:])

    def __exit__(self, *_: object) -> None:
        gc.set_threshold(*self._before)


def _clean_results(overlays: Sequence[str], project_root: str | None) -> CleanResults | None:
    """The cache of clean results, unless it is off or has no place."""
    from adk_decl.compiler.clean_results import CleanResults
    from adk_decl.plan.settings_table import cache_folder

    try:
        folder = cache_folder()
        root = "" if project_root is None else os.path.abspath(project_root)
        laid = tuple(f"overlay={os.path.abspath(path)}" for path in overlays)
    except OSError:  # the current folder was removed under us
        return None
    return None if folder is None else CleanResults(folder, options=(f"project-root={root}", *laid))


def defect_finding(path: str, error: Exception) -> Diagnostic:
    """The finding that stands for a defect in one file; the log is written here."""
    from adk_decl.cli.defect import report_defect
    from adk_decl.diagnostics.diagnostic import Diagnostic, Span

    return Diagnostic(
        code="ADK900",
        severity="error",
        message="adk-decl failed on this file, and the fault is not yours",
        span=Span(file=path, line=1, column=1, end_line=1, end_column=1),
        notes=(report_defect(error, command="validate"),),
    )
