"""`adk-decl explain`: the page of a code, offline."""

from __future__ import annotations

import click

from adk_decl.cli.output import emit
from adk_decl.diagnostics.codes import CODES


@click.command("explain")
@click.argument("code")
def command(*, code: str) -> int:
    """Show what a diagnostic CODE means and what to do: ADK110, adk110, 110 or its name, unknown_field."""
    from adk_decl.diagnostics.pages import page

    emit(page(_find(code)))
    return 0


def _find(text: str) -> str:
    wanted = text.strip().upper()
    for number in (wanted, f"ADK{wanted}"):
        if number in CODES:
            return number
    slugs = {row.slug: row.code for row in CODES.values()}
    slug = text.strip().lower().replace("-", "_")
    if slug in slugs:
        return slugs[slug]
    from adk_decl.diagnostics.suggest import nearest

    near = nearest(wanted, CODES) or nearest(slug, slugs)
    raise click.UsageError(f"there is no code {text!r}" + (f"; did you mean {near}?" if near else ""))
