"""Migrates one file; what `migrate` does between its options and its output. No click here."""

from __future__ import annotations

import os

from adk_decl.cli.checking import defect_finding
from adk_decl.cli.replace_file import FileChanged, replace_file
from adk_decl.diagnostics import concise
from adk_decl.diagnostics.diagnostic import DiagnosticBag
from adk_decl.diagnostics.wording import printable, quote
from adk_decl.migration.dialects import DIALECTS
from adk_decl.migration.engine import Change, migrate
from adk_decl.migration.rules import Rule
from adk_decl.migration.versions import CURRENT, STEPS, Step, UnknownVersion, rules_from
from adk_decl.plan.record import Record
from adk_decl.syntax.document import Document
from adk_decl.syntax.read import read_file

_BOM = b"\xef\xbb\xbf"


class Outcome(Record):
    """What became of a file: its text before and after, the changes, and why it could not be done, if so."""

    file: str
    before: str = ""
    after: str = ""
    changes: tuple[Change, ...] = ()
    problem: str = ""

    def report(self) -> str:
        """One line for each change, with its place."""
        return "\n".join(f"{_place(change)}: {printable(change.message)}" for change in self.changes)

    def diff(self, *, color: bool = False) -> str:
        """The change of the file as a unified diff."""
        from adk_decl.cli.text_diff import unified_diff

        return unified_diff(self.file, self.before, self.after, color=color)


def migrate_file(path: str, *, dialect: str | None, write: bool, steps: tuple[Step, ...] = STEPS) -> Outcome:
    """Migrate one file and, with `write`, replace it if anything changed. Never raises for what a file holds."""
    try:
        return _migrate(path, dialect, steps, write=write)
    except Exception as error:  # noqa: BLE001 - one file must not keep the others from being done
        return Outcome(file=path, problem=concise.render((defect_finding(path, error),), {}))


def _migrate(path: str, dialect: str | None, steps: tuple[Step, ...], *, write: bool) -> Outcome:
    bag = DiagnosticBag()
    document = read_file(path, bag=bag)
    if document is None or bag.has_errors:
        return Outcome(file=path, problem=concise.render(bag.sorted(), {}, limit=None))
    try:
        rules = _rules(document, dialect, steps)
    except UnknownVersion as error:
        name = quote(str(error))
        return Outcome(file=path, problem=f"{printable(path)}: the version {name} of manifests is not known")
    done = migrate(document, rules)
    outcome = Outcome(file=path, before=document.text, after=done.text, changes=done.changes)
    if write and done.text != document.text:
        problem = _write(path, document.text, done.text)
        return outcome if problem is None else Outcome(file=path, problem=f"{printable(path)}: {problem}")
    return outcome


def _rules(document: Document, dialect: str | None, steps: tuple[Step, ...]) -> tuple[Rule, ...]:
    version = document.root.get("apiVersion") if document.root.kind == "map" else None
    name = version.value if version is not None and isinstance(version.value, str) else CURRENT
    return (*(DIALECTS[dialect] if dialect is not None else ()), *rules_from(name, steps))


def _write(path: str, before: str, after: str) -> str | None:
    with open(path, "rb") as stream:
        mark = _BOM if stream.read(len(_BOM)) == _BOM else b""
    try:
        replace_file(os.fspath(path), before=mark + before.encode(), after=mark + after.encode())
    except FileChanged:
        return "not written: it was changed meanwhile"
    except OSError:
        return "not written: it can't be written"
    return None


def _place(change: Change) -> str:
    return f"{printable(change.span.file)}:{change.span.line}:{change.span.column}"
