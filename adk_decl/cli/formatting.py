"""Lays out a list of files; what `fmt` and the hook share. No click here, and no compiler for files without doubt."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Sequence

from adk_decl.cli.exit_codes import ANSWER_IS_NO, DEFECT, DONE, FAILED
from adk_decl.diagnostics.diagnostic import Diagnostic, DiagnosticBag, Span
from adk_decl.plan.record import EMPTY_MAP, FrozenMap, Record
from adk_decl.syntax.document import Document
from adk_decl.syntax.layout import ambiguous_spots, lay_out
from adk_decl.syntax.read import read_file

_BOM = b"\xef\xbb\xbf"
_CUT = "ADK018"
_OLD_WORD = "ADK009"
_REASONS = {
    "not understood": ("this file can't be laid out", "only YAML and TOML have a layout; for one of these, report it"),
    "too large": ("the canonical layout would be beyond a reading limit", "split the file, or break its longest line"),
    "other tree": ("the canonical layout would say something else", "report it: the fault is in adk-decl"),
}
"""Why a file is left alone, and what to do about it."""


class Change(Record):
    """A file that is not in canonical layout: its text, and its text in that layout."""

    path: str
    before: str
    after: str


class Formatted(Record):
    """What came of a list of files: those that change, and the findings of those that were left alone."""

    files: int = 0
    changes: tuple[Change, ...] = ()
    found: tuple[Diagnostic, ...] = ()
    sources: FrozenMap[str] = EMPTY_MAP
    unwritten: tuple[str, ...] = ()
    """Files that could not be written, each with the reason."""
    defects: int = 0

    def exit_code(self, *, checks: bool) -> int:
        """70 after a defect, 1 when a file could not be read or written, 2 when `checks` and a file would change."""
        if self.defects:
            return DEFECT
        if self.found or self.unwritten:
            return FAILED
        return ANSWER_IS_NO if checks and self.changes else DONE


def format_files(files: Iterable[str], *, write: bool = True) -> Formatted:
    """Lay out each file and write those that change, or with `write=False` only find out which would.

    A file that can't be read, and one whose meaning would change, is left alone and has a finding.
    """
    parts = []
    for path in files:
        part = format_one(path)
        if write and part.changes:
            reason = _write(part.changes[0])
            if reason is not None:
                part = part.replace(changes=(), unwritten=(f"{path}: {reason}",))
        parts.append(part)
    return Formatted(
        files=len(parts),
        changes=tuple(change for part in parts for change in part.changes),
        found=tuple(found for part in parts for found in part.found),
        sources=FrozenMap({name: text for part in parts for name, text in part.sources.items()}),
        unwritten=tuple(reason for part in parts for reason in part.unwritten),
        defects=sum(part.defects for part in parts),
    )


def format_one(path: str, *, data: bytes | None = None) -> Formatted:
    """Lay out one file, or `data` as if it stood there, and write nothing."""
    try:
        return _format(path, data)
    except Exception as error:  # noqa: BLE001 - one file must not hide what comes of the others
        from adk_decl.cli.checking import defect_finding

        return Formatted(files=1, found=(defect_finding(path, error),), defects=1)


def show_diff(done: Formatted, *, color: bool = False) -> str:
    """The changes as unified diffs, private values masked."""
    from adk_decl.cli.text_diff import unified_diff

    return "".join(unified_diff(change.path, change.before, change.after, color=color) for change in done.changes)


def show_findings(done: Formatted, *, color: bool = False) -> str:
    """The findings of the files that were left alone; nothing when there are none."""
    from adk_decl.diagnostics import text
    from adk_decl.plan.limits import LIMITS

    if not done.found:
        return ""
    return text.render(done.found, done.sources, color=color, limit=LIMITS["read.findings_shown"].default)


def summary(done: Formatted, *, written: bool) -> str:
    """One line for each file that changes or could not be written, and one with the numbers."""
    verb = "formatted" if written else "would format"
    lines = [f"{verb} {change.path}" for change in done.changes]
    lines += [f"not written: {reason}" for reason in done.unwritten]
    alone = len({found.span.file for found in done.found}) + len(done.unwritten)
    counts = [
        f"{len(done.changes)} {'formatted' if written else 'to format'}",
        f"{done.files - len(done.changes) - alone} unchanged",
    ]
    lines.append(", ".join([*counts, f"{alone} left alone"] if alone else counts))
    return "\n".join(lines)


def hook(arguments: Sequence[str]) -> tuple[int, str]:
    """What the pre-commit hook does with its arguments, files and `--check`: the exit code and what to say.

    Raises `ValueError` for an option that it does not know.
    """
    words = list(arguments)
    cut = words.index("--") if "--" in words else len(words)
    options, files = words[:cut], words[cut + 1 :]
    checks = "--check" in options
    files = [word for word in options if word != "--check"] + files
    if any(word.startswith("-") for word in options if word != "--check"):
        raise ValueError("the hook knows --check and files")
    done = format_files(files, write=not checks)
    said = [show_findings(done)] if done.found else []
    if done.changes or done.unwritten:
        said.append(summary(done, written=not checks))
    return done.exit_code(checks=checks), "\n".join(part.rstrip("\n") for part in said)


def _format(path: str, data: bytes | None) -> Formatted:
    bag = DiagnosticBag()
    sources: dict[str, str] = {}
    document = read_file(path, bag=bag, sources=sources, data=data)
    if document is None or bag.has_errors:
        return Formatted(files=1, found=_errors(bag), sources=FrozenMap(sources))
    keep = [(found.span.line, found.span.column) for found in bag.sorted() if found.code == _CUT]
    layout = lay_out(document, quote=_to_quote(path, document), keep=keep)
    if layout.text is None:
        return Formatted(files=1, found=(_left_alone(path, layout.reason),), sources=FrozenMap(sources))
    if layout.text == document.text:
        return Formatted(files=1)
    return Formatted(files=1, changes=(Change(path=path, before=document.text, after=layout.text),))


def _errors(bag: DiagnosticBag) -> tuple[Diagnostic, ...]:
    return tuple(found for found in bag.sorted() if found.severity == "error")


def _to_quote(path: str, document: Document) -> Collection[tuple[int, int]]:
    """The ambiguous words that are meant as text. Where the file has errors, `yes` may be meant as `true`.

    A word whose warning is silenced by a comment stays too, or the comment would silence nothing.
    """
    spots = ambiguous_spots(document)
    if not spots:
        return ()
    # Imported only for a file with such a word: the compiler costs start-up time.
    from adk_decl.compiler.compile import compile_file
    from adk_decl.compiler.suppressions import comments

    texts = {os.path.abspath(path): document.text.encode("utf-8")}
    result = compile_file(path, checks_only=True, texts=texts)
    if any(found.severity == "error" for found in result.diagnostics):
        return ()
    silenced = {comment.line for comment in comments(document) if _OLD_WORD in comment.rest}
    return [spot for spot in spots if spot[0] not in silenced]


def _left_alone(path: str, reason: str) -> Diagnostic:
    message, mend = _REASONS[reason]
    return Diagnostic(
        code="ADK910",
        severity="error",
        message=message,
        span=Span(file=path, line=1, column=1, end_line=1, end_column=1),
        label="the file stays as it is",
        help=mend,
    )


def _write(change: Change) -> str | None:
    from adk_decl.cli.replace_file import try_replace

    try:
        with open(change.path, "rb") as stream:
            mark = _BOM if stream.read(len(_BOM)) == _BOM else b""
    except OSError:
        return "it can't be read"
    before, after = (mark + text.encode("utf-8") for text in (change.before, change.after))
    return try_replace(change.path, before=before, after=after)
