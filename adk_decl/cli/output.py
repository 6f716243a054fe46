"""Where output goes and whether it has colour."""

from __future__ import annotations

import errno
import os
import sys

import click

from adk_decl.plan.settings_table import read_setting


def wants_color(*, err: bool = False) -> bool:
    """Whether to colour: as the setting `color` says, else on a terminal unless `NO_COLOR` is set."""
    try:
        choice = read_setting("color")
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    if choice == "auto":
        stream = sys.stderr if err else sys.stdout
        return stream.isatty() and not os.environ.get("NO_COLOR")
    return choice == "always"


def emit(text: str, *, err: bool = False) -> None:
    """Write text that ends with one newline; nothing for empty text. Escape sequences are kept as they are.

    Raises `click.ClickException` when it can't be written, as on a full disk.
    """
    try:
        if text:
            click.echo(text.rstrip("\n"), err=err, color=True)
    except OSError as error:
        if error.errno == errno.EPIPE:
            raise
        raise click.ClickException("the output can't be written") from None
