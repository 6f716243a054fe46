"""Mends a list of files; what `validate --fix` and the hook share. No click here."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Sequence

from adk_decl.cli.checking import Checked, check, defect_finding
from adk_decl.cli.mending import Mended, compile_as, mend
from adk_decl.cli.replace_file import try_replace
from adk_decl.diagnostics.diagnostic import Diagnostic, Span
from adk_decl.plan.limits import LIMITS
from adk_decl.plan.record import Record
from adk_decl.syntax.preflight import text_to_show


class Fixed(Record):
    """What is left after the fixes, and the files that they change, with the number of findings mended in each."""

    checked: Checked
    changes: tuple[Mended, ...]
    unwritten: tuple[str, ...] = ()
    """Files that could not be written, each with the reason."""


def fix(
    files: Iterable[str], *, overlays: Sequence[str] = (), project_root: str | None = None, write: bool = True
) -> Fixed:
    """Mend each file and write it, or with `write=False` only find out what would be written."""
    names: list[str] = []
    found: list[Diagnostic] = []
    sources: dict[str, str] = {}
    changes: list[Mended] = []
    unwritten: list[str] = []
    defects = 0
    for path in files:
        data = _content(path)
        if data is None:
            part = check([path], overlays=overlays, project_root=project_root)
        else:
            part, mended = fix_bytes(path, data, overlays=overlays, project_root=project_root)
            reason = None
            if write and mended is not None:
                reason = try_replace(path, before=mended.before, after=mended.after)
            if reason is not None:
                unwritten.append(f"{part.files[0]}: {reason}")
                part = check([path], overlays=overlays, project_root=project_root)
            elif mended is not None:
                changes.append(mended)
        names += part.files
        found += part.diagnostics
        sources.update(part.sources)
        defects += part.defects
    every = tuple(dict.fromkeys(found))
    checked = Checked(files=tuple(names), diagnostics=every, sources=sources, defects=defects)
    return Fixed(checked=checked, changes=tuple(changes), unwritten=tuple(unwritten))


def fix_bytes(
    path: str, data: bytes, *, overlays: Sequence[str] = (), project_root: str | None = None
) -> tuple[Checked, Mended | None]:
    """What is left of the findings of a file that holds `data`, and its mended form; None when nothing changes."""
    try:
        mended = mend(data, compile_as(path, overlays=overlays, project_root=project_root))
    except Exception as error:  # noqa: BLE001 - one file must not hide the findings of the others
        found = defect_finding(path, error)
        return Checked(files=(path,), diagnostics=(found,), sources={}, defects=1), None
    result = mended.result
    sources = dict(result.sources) if result.diagnostics else {}
    checked = Checked(files=(result.file,), diagnostics=result.diagnostics, sources=sources, defects=0)
    return checked, mended if mended.after != data else None


def diff(change: Mended, *, color: bool = False) -> str:
    """The change of one file as a unified diff."""
    from adk_decl.cli.text_diff import unified_diff

    file = change.result.file
    spans: list[Span] = [d.span for d in (*change.mended, *change.result.diagnostics) if d.mask_values]
    hidden = {line for span in spans if span.file == file for line in range(span.line, span.end_line + 1)}
    return unified_diff(file, text_to_show(change.before), text_to_show(change.after), hidden=hidden, color=color)


def summary(fixed: Fixed, *, written: bool) -> str:
    """What was mended, one line a file, and what could not be written."""
    verb = "mended" if written else "would mend"
    lines = []
    for change in fixed.changes:
        count = len(change.mended)
        lines.append(f"{verb} {count} finding{'s' if count != 1 else ''} in {change.result.file}")
    lines += [f"not written: {reason}" for reason in fixed.unwritten]
    return "\n".join(lines)


def _content(path: str) -> bytes | None:
    """The bytes of a regular file of bounded size, else None: then reading it gives the finding."""
    most = LIMITS["read.manifest_bytes"].default
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            return None
        with open(path, "rb") as stream:
            data = stream.read(most + 1)
    except (OSError, ValueError):
        return None
    return data if len(data) <= most else None
