"""Options that several commands have."""

from __future__ import annotations

import click

from adk_decl.plan.settings_table import overlay_setting


def _with_setting(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> tuple[str, ...]:
    return (*overlay_setting(), *value)


overlay_option = click.option(
    "--overlay",
    "overlays",
    multiple=True,
    metavar="PATH",
    callback=_with_setting,
    help="Lay a file over the manifest, after its own overlays; may be given again.",
)
"""`overlays`: what the setting names, then what the command line names, as a tuple of paths."""
