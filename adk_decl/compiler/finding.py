"""Makes findings: the severity comes from the registry, so that no pass can state another one."""

from __future__ import annotations

from collections.abc import Iterable

from adk_decl.diagnostics.codes import CODES
from adk_decl.diagnostics.diagnostic import Diagnostic, Label, Span
from adk_decl.diagnostics.suggest import nearest
from adk_decl.diagnostics.wording import listed, quote

Path = tuple[str | int, ...]


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
        mask_values=mask,
    )


def suggestion(word: str, names: Iterable[str]) -> str | None:
    """`did you mean ...?` when exactly one name is near."""
    found = nearest(word, names)
    return f"did you mean {quote(found)}?" if found is not None else None


def existing(what: str, names: Iterable[str]) -> str:
    """A note that lists what exists: `models: fast, slow`, or says that there is nothing."""
    every = tuple(names)
    return f"{what}: {listed(every)}" if every else f"there are no {what}"
