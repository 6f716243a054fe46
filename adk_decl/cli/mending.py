"""`validate --fix`: safe fixes as text edits, made only while reading the result again shows that it got better."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Sequence

from adk_decl.compiler.compile import CompileResult, compile_file
from adk_decl.diagnostics.diagnostic import Diagnostic, Edit
from adk_decl.diagnostics.edits import apply_edits, without_overlaps
from adk_decl.plan.limits import LIMITS
from adk_decl.plan.record import Record

_BOM = b"\xef\xbb\xbf"


class Mended(Record):
    """A file after its safe fixes: bytes before and after, what was mended, and the result for what is left."""

    before: bytes
    after: bytes
    mended: tuple[Diagnostic, ...]
    result: CompileResult


def mend(data: bytes, compile_bytes: Callable[[bytes], CompileResult]) -> Mended:
    """Make the safe fixes that the findings of a file offer, again and again until none is left.

    `data` are the bytes of the file; `compile_bytes` compiles the file as if it held other ones. Only fixes within
    the file itself are made. An edit whose result would read worse (more errors, or no longer readable at all) is
    not made. Byte order mark, line ends and everything that no edit covers stay.
    """
    work = _Work(data, compile_bytes)
    for _ in range(LIMITS["fix.rounds"].default):
        if not work.round():
            break
    return Mended(before=data, after=work.data, mended=tuple(work.mended), result=work.result)


def compile_as(
    path: str, *, overlays: Sequence[str] = (), project_root: str | None
) -> Callable[[bytes], CompileResult]:
    """Compiles the manifest at `path` as if it held given bytes."""
    place = os.path.abspath(path)

    def compile_bytes(data: bytes) -> CompileResult:
        texts = {place: data}
        return compile_file(path, overlays=overlays, project_root=project_root, checks_only=True, texts=texts)

    return compile_bytes


class _Work:
    """A file on its way: its bytes and findings by now, what was mended, and which findings a fix did not help."""

    def __init__(self, data: bytes, compile_bytes: Callable[[bytes], CompileResult]) -> None:
        self.data = data
        self.compile_bytes = compile_bytes
        self.result = compile_bytes(data)
        self.mended: list[Diagnostic] = []
        self.refused: set[Diagnostic] = set()
        self.attempts = LIMITS["fix.attempts"].default

    def round(self) -> bool:
        """Make all fixes at once or, where that does not help, the first one that helps alone; say if one did."""
        file = self.result.file
        fixable = [d for d in self.result.diagnostics if _edits(d, file) and d not in self.refused]
        chosen = without_overlaps(_edits(d, file) for d in fixable)
        together = [d for d in fixable if all(edit in chosen for edit in _edits(d, file))]
        if not together:
            return False
        if self._attempt(together):
            return True
        for finding in fixable if len(fixable) > 1 else ():
            if self._attempt([finding]):
                return True
            self.refused.add(finding)
        return False

    def _attempt(self, findings: Sequence[Diagnostic]) -> bool:
        if self.attempts == 0:
            return False
        self.attempts -= 1
        edited = _edited(self.data, [edit for d in findings for edit in _edits(d, self.result.file)])
        if edited is None or edited == self.data:
            return False
        result = self.compile_bytes(edited)
        if not _is_better(result, self.result, findings):
            return False
        self.data, self.result = edited, result
        self.mended += findings
        return True


def _edits(found: Diagnostic, file: str) -> Sequence[Edit]:
    """The edits of a safe fix that stays within the file; nothing for any other finding."""
    fix = found.fix
    if fix is None or fix.applicability != "safe" or any(edit.span.file != file for edit in fix.edits):
        return ()
    return fix.edits


def _edited(data: bytes, edits: Sequence[Edit]) -> bytes | None:
    mark = _BOM if data.startswith(_BOM) else b""
    try:
        text = data[len(mark) :].decode("utf-8")
        return mark + apply_edits(text, edits).encode("utf-8")
    except ValueError:
        return None


def _is_better(after: CompileResult, before: CompileResult, mended: Sequence[Diagnostic]) -> bool:
    """Whether an edit helped: the file is read further than before, or has no more errors and findings than before.

    A value for which another wrong one stands now did not get better. What comes to light elsewhere, behind a syntax
    error that is gone or in the value of a key that was renamed, was there before.
    """
    if (after.kind is None) != (before.kind is None):
        return after.kind is not None
    if _errors(after) > _errors(before) or len(after.diagnostics) > len(before.diagnostics):
        return False
    return not any(_is_at(new, old) for new in _fresh(after, before, mended) for old in mended)


def _fresh(after: CompileResult, before: CompileResult, mended: Sequence[Diagnostic]) -> list[Diagnostic]:
    """The findings that were not there before, wherever lines have moved to; a mended one that is back is fresh."""
    known = Counter(map(_content, before.diagnostics)) - Counter(map(_content, mended))
    fresh = []
    for found in after.diagnostics:
        if known[_content(found)] > 0:
            known[_content(found)] -= 1
        else:
            fresh.append(found)
    return fresh


def _is_at(new: Diagnostic, old: Diagnostic) -> bool:
    """Whether a finding stands where another one was mended. A syntax error has no path, and what follows it is new."""
    return new.path == old.path if old.path else new.span.line <= old.span.line


def _content(found: Diagnostic) -> tuple[object, ...]:
    """What stays of a finding when lines and columns move."""
    return found.code, found.message, found.path


def _errors(result: CompileResult) -> int:
    return sum(found.severity == "error" for found in result.diagnostics)
