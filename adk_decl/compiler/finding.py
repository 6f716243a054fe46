"""Makes findings: the severity comes from the registry, so that no pass can state another one."""

from __future__ import annotations

from collections.abc import Iterable

from adk_decl.diagnostics.codes import CODES
from adk_decl.diagnostics.diagnostic import Diagnostic, Edit, Fix, Label, Span
from adk_decl.diagnostics.suggest import is_typo, nearest
from adk_decl.diagnostics.wording import listed, quote
from adk_decl.syntax.document import Node
from adk_decl.syntax.scalar_text import scalar_text

Path = tuple[str | int, ...]

MOST_SUGGESTIONS = 50
"""For so many unknown names of one kind it is looked up what was meant: looking is dear, and nobody reads more."""


def finding(
    code: str,
    message: str,
    span: Span,
    *,
    path: Path = (),
    label: str = "",
    labels: tuple[Label, ...] = (),
    notes: tuple[str, ...] = (),
    help: str | None = None,  # noqa: A002
    mask: bool = False,
    fix: Fix | None = None,
) -> Diagnostic:
    """A finding with the severity of its code."""
    return Diagnostic(
        code=code,
        severity=CODES[code].severity,
        message=message,
        span=span,
        label=label,
        path=path,
        labels=labels,
        notes=notes,
        help=help,
        fix=fix,
        mask_values=mask,
    )


def renaming(word: str, names: Iterable[str], node: Node, span: Span) -> tuple[str | None, Fix | None]:
    """What to say and what to write when exactly one name is near `word`, which stands at `node`.

    Writing it is safe only when a single slip of the hand explains the difference.
    """
    found = nearest(word, names)
    if found is None:
        return None, None
    edit = Edit(span=span, text=scalar_text(found, plain=node.plain))
    return f"did you mean {quote(found)}?", rename_fix(word, found, edit)


def rename_fix(word: str, name: str, edit: Edit) -> Fix:
    """The fix that writes `name` for `word` by an edit."""
    return Fix(
        title=f"replace with {quote(name)}",
        applicability="safe" if is_typo(word, name) else "unsafe",
        edits=(edit,),
    )


def suggestion(word: str, names: Iterable[str]) -> str | None:
    """`did you mean ...?` when exactly one name is near."""
    found = nearest(word, names)
    return f"did you mean {quote(found)}?" if found is not None else None


def existing(what: str, names: Iterable[str]) -> str:
    """A note that lists what exists: `models: fast, slow`, or says that there is nothing."""
    every = tuple(names)
    return f"{what}: {listed(every)}" if every else f"there are no {what}"
