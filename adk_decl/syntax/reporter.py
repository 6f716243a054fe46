"""Collects the findings of one file while it is read."""

from __future__ import annotations

from adk_decl.diagnostics.codes import CODES
from adk_decl.diagnostics.diagnostic import Applicability as Applicability
from adk_decl.diagnostics.diagnostic import Diagnostic, DiagnosticBag, Edit, Fix, Label, Span

Place = tuple[int, int, int, int]
"""Line, column, end line and end column: code points from 1, the end is exclusive."""


class Unreadable(Exception):
    """The file can't be read further; the finding that says why is in the reporter."""


class Reporter:
    """Findings of one file, at most `most` of them: one more ends the reading with `Unreadable`."""

    __slots__ = ("file", "found", "most")

    def __init__(self, file: str, *, most: int) -> None:
        self.file = file
        self.most = most
        self.found: list[Diagnostic] = []

    def add(
        self,
        code: str,
        place: Place,
        message: str,
        *,
        label: str = "",
        second: tuple[Place, str] | None = None,
        note: str | None = None,
        help: str | None = None,  # noqa: A002
        fix: Fix | None = None,
    ) -> None:
        """Keep a finding. `second` is another place and what it says."""
        self.found.append(
            Diagnostic(
                code=code,
                severity=CODES[code].severity,
                message=message,
                span=self.span(place),
                label=label,
                labels=(Label(span=self.span(second[0]), message=second[1]),) if second else (),
                notes=(note,) if note else (),
                help=help,
                fix=fix,
            )
        )
        if len(self.found) >= self.most:
            raise Unreadable

    def refuse(
        self,
        code: str,
        place: Place,
        message: str,
        *,
        label: str = "",
        second: tuple[Place, str] | None = None,
        note: str | None = None,
        help: str | None = None,  # noqa: A002
        fix: Fix | None = None,
    ) -> Unreadable:
        """Keep a finding that ends the reading; the caller raises what this returns."""
        self.add(code, place, message, label=label, second=second, note=note, help=help, fix=fix)
        return Unreadable()

    def replacement(self, place: Place, text: str, title: str, applicability: Applicability = "safe") -> Fix:
        """A mend that replaces what stands at a place."""
        return Fix(title=title, applicability=applicability, edits=(Edit(span=self.span(place), text=text),))

    def span(self, place: Place) -> Span:
        """A place as a span of this file."""
        line, column, end_line, end_column = place
        return Span(file=self.file, line=line, column=column, end_line=end_line, end_column=end_column)

    def has(self, codes: frozenset[str]) -> bool:
        """Whether a finding with one of these codes was kept."""
        return any(finding.code in codes for finding in self.found)

    def clear(self) -> None:
        """Forget all findings, for a second reading of the same text."""
        self.found.clear()

    def hand_over(self, bag: DiagnosticBag) -> None:
        """Put all findings into a bag."""
        for finding in self.found:
            bag.add(finding)


def place_at(text: str, start: int, end: int) -> Place:
    """The place of `text[start:end]`."""
    line = text.count("\n", 0, start) + 1
    column = start - text.rfind("\n", 0, start)
    end_line = line + text.count("\n", start, end)
    return line, column, end_line, end - text.rfind("\n", 0, end)
