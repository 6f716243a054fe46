"""Runs the rules of a migration over a text, rule by rule, reading the text again after each.

What a rule changes is done twice, on the text and on plain data, and kept only if both agree. So a migration never
writes a file that says anything else than was meant.
"""

from __future__ import annotations

from collections.abc import Sequence

from adk_decl.diagnostics.diagnostic import DiagnosticBag, Span
from adk_decl.diagnostics.edits import apply_edits
from adk_decl.migration.operations import NotPossible, Operation, apply
from adk_decl.migration.rules import Rule, describe, operations, places
from adk_decl.migration.text_edits import edits_of
from adk_decl.plan.record import Record
from adk_decl.syntax.document import Document
from adk_decl.syntax.read import read_bytes


class Change(Record):
    """One thing that was done, or with `by_hand` one that a person has to do: the place it concerned, and words.

    The place is that in the text as it was when the rule was reached; earlier rules may have moved lines.
    """

    span: Span
    message: str
    by_hand: bool = False


class Migrated(Record):
    """A text after its migration, and everything that was done or is left to do."""

    text: str
    changes: tuple[Change, ...]


def migrate(document: Document, rules: Sequence[Rule]) -> Migrated:
    """Apply rules in order to a document that was read. The document itself stays as it is."""
    changes: list[Change] = []
    for rule in rules:
        if rule.by_hand is not None:
            changes += [
                Change(span=(match.key or match.node).span(document.file), message=rule.by_hand, by_hand=True)
                for match in places(rule, document.root)
            ]
            continue
        wanted = operations(rule, document)
        after = _made(document, wanted) if wanted else None
        for operation in wanted if after is None else ():
            single = _made(document, [operation]) if len(wanted) > 1 else None
            changes.append(_change(operation, by_hand=single is None))
            document = single or document
        if after is not None:
            changes += [_change(operation, by_hand=False) for operation in wanted]
            document = after
    return Migrated(text=document.text, changes=tuple(changes))


def _made(document: Document, wanted: Sequence[Operation]) -> Document | None:
    """The document after some operations, or None when its text can't be edited so that it says what was meant."""
    meant = document.root.to_plain()
    try:
        for operation in wanted:
            apply(operation, meant)
        edits = [edit for operation in wanted for edit in edits_of(operation, document)]
        text = apply_edits(document.text, edits)
    except (NotPossible, ValueError, LookupError):
        return None
    bag = DiagnosticBag()
    after = read_bytes(text.encode("utf-8"), file=document.file, format=document.format, bag=bag)
    if after is None or bag.has_errors or after.root.to_plain() != meant:
        return None
    return after


def _change(operation: Operation, *, by_hand: bool) -> Change:
    words = describe(operation)
    return Change(span=operation.span, message=f"{words}: to be done by hand" if by_hand else words, by_hand=by_hand)
