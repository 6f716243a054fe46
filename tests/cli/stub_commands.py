"""Commands that end in ways that real ones should not."""

from __future__ import annotations

import signal

import click

SECRET_TEXT = "the text of a foreign exception"


@click.command()
@click.argument("how")
@click.option("--json", "as_json", is_flag=True)
def command(*, how: str, as_json: bool) -> int:
    """End as told."""
    if how == "defect":
        try:
            raise KeyError(SECRET_TEXT)
        except KeyError as error:
            raise RuntimeError(SECRET_TEXT) from error
    if how == "interrupt":
        raise KeyboardInterrupt
    if how == "wait":
        click.echo("waiting")
        signal.pause()
    if how == "much":
        for _ in range(10_000):
            click.echo("x" * 100)
    if how == "odd":
        click.echo("\udce9 é →")
    return 2 if how == "no" else 0
