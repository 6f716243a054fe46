"""Findings as data: what was found, where, what was expected, how to mend it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal

from adk_decl.plan.record import Record

Severity = Literal["error", "warning"]
Applicability = Literal["safe", "unsafe", "display"]


class Span(Record):
    """A stretch of a source file. Lines and columns count code points from 1; `end_column` is exclusive."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int


class Edit(Record):
    """Replace the text of `span` with `text`."""

    span: Span
    text: str


class Fix(Record):
    """A mend: what to do in words, and as text edits where it can be done by a program."""

    title: str
    applicability: Applicability
    edits: tuple[Edit, ...] = ()


class Label(Record):
    """A second place that explains a finding, such as the first of two duplicates."""

    span: Span
    message: str


class Diagnostic(Record):
    """One finding.

    `code` is a key of `adk_decl.diagnostics.codes.CODES`. `message` says what was found in one line, `label`
    what was expected and stands under the caret, `notes` add facts. No text holds a value of `config` or a secret.
    `path` is the field path from the root of the document, keys and indexes.
    """

    code: str
    severity: Severity
    message: str
    span: Span
    label: str = ""
    path: tuple[str | int, ...] = ()
    labels: tuple[Label, ...] = ()
    notes: tuple[str, ...] = ()
    help: str | None = None
    fix: Fix | None = None
    mask_values: bool = False
    """Whether a snippet of the source must show keys only, because the line lies inside `config` or a secret."""


class DiagnosticBag:
    """Collects the findings of a run of the compiler; the only changeable object of the compile side."""

    __slots__ = ("_findings", "_private")

    def __init__(self) -> None:
        self._findings: dict[Diagnostic, None] = {}
        self._private: set[tuple[str, int]] = set()

    def add(self, diagnostic: Diagnostic) -> None:
        """Keep one finding; an exact repetition is dropped."""
        self._findings[diagnostic] = None

    def take(self, wanted: Callable[[Diagnostic], bool]) -> tuple[Diagnostic, ...]:
        """Remove and return the findings that are wanted."""
        taken = tuple(d for d in self._findings if wanted(d))
        for diagnostic in taken:
            del self._findings[diagnostic]
        return taken

    def hide(self, lines: Iterable[tuple[str, int]]) -> None:
        """Say which lines of which files hold private values: no snippet of them shows one, whatever the finding."""
        self._private.update(lines)

    @property
    def has_errors(self) -> bool:
        """Whether any finding is an error."""
        return any(d.severity == "error" for d in self._findings)

    def sorted(self) -> tuple[Diagnostic, ...]:
        """All findings by file, line, column and code."""
        found = sorted(self._findings, key=lambda d: (d.span.file, d.span.line, d.span.column, d.code, d.message))
        return tuple(d.replace(mask_values=True) if self._is_private(d) else d for d in found)

    def _is_private(self, diagnostic: Diagnostic) -> bool:
        if diagnostic.mask_values or not self._private:
            return False
        spans = (diagnostic.span, *(label.span for label in diagnostic.labels))
        return any((span.file, span.line) in self._private for span in spans)
