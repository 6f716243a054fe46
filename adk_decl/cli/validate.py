"""`adk-decl validate`: all findings of all files."""

from __future__ import annotations

import click

from adk_decl.cli.checking import COLORED, FORMATS, check, show
from adk_decl.cli.files import expand
from adk_decl.cli.output import emit, wants_color


@click.command("validate")
@click.argument("paths", nargs=-1)
@click.option("--format", "format_name", type=click.Choice(FORMATS), default="text", help="How findings are shown.")
@click.option("--deny-warnings", is_flag=True, help="Exit 1 on warnings too.")
@click.option("--all", "show_all", is_flag=True, help="Show every finding, not only the first 50 of a file.")
@click.option("--project-root", metavar="FOLDER", help="Folder that code and files must lie in.")
def command(
    *, paths: tuple[str, ...], format_name: str, deny_warnings: bool, show_all: bool, project_root: str | None
) -> int:
    """Show all findings of all files, each with file, line and column.

    PATHS are files or folders; without any, manifests/ and every *.adk.* file below the current folder. Nothing is
    executed, no environment variable or secret is read.
    """
    files = expand(paths)
    if not files:
        raise click.UsageError("there is no manifest here: name a file, or a folder that holds *.adk.yaml files")
    checked = check(files, project_root=project_root)
    color = format_name in COLORED and wants_color()
    emit(show(checked, format_name=format_name, color=color, show_all=show_all, deny_warnings=deny_warnings))
    return checked.exit_code(deny_warnings=deny_warnings)
