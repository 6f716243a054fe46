"""`adk-decl validate`: all findings of all files, and their mends."""

from __future__ import annotations

import sys

import click

from adk_decl.cli.checking import COLORED, FORMATS, Checked, check, show
from adk_decl.cli.failures import DOCUMENTS
from adk_decl.cli.files import expand
from adk_decl.cli.options import overlay_option
from adk_decl.cli.output import emit, wants_color
from adk_decl.plan.record import Record


class Showing(Record):
    """How findings are shown and counted."""

    format_name: str
    deny_warnings: bool
    show_all: bool


@click.command("validate")
@click.argument("paths", nargs=-1)
@click.option("--format", "format_name", type=click.Choice(FORMATS), default="text", help="How findings are shown.")
@click.option("--deny-warnings", is_flag=True, help="Exit 1 on warnings too.")
@click.option("--fix", "mends", is_flag=True, help="Make the safe fixes, then show what is left.")
@click.option("--diff", "shows_diff", is_flag=True, help="With --fix: show the changes and write nothing.")
@click.option("--stdin", "from_stdin", is_flag=True, help="Read one manifest from stdin.")
@click.option("--stdin-filename", metavar="NAME", help="With --stdin: the file that the text stands for.")
@click.option("--all", "show_all", is_flag=True, help="Show every finding, not only the first 50 of a file.")
@click.option("--cache/--no-cache", "cached", default=True, help="Whether to remember files that are clean.")
@overlay_option
@click.option("--project-root", metavar="FOLDER", help="Folder that code and files must lie in.")
def command(
    *,
    paths: tuple[str, ...],
    format_name: str,
    deny_warnings: bool,
    mends: bool,
    shows_diff: bool,
    from_stdin: bool,
    stdin_filename: str | None,
    show_all: bool,
    cached: bool,
    overlays: tuple[str, ...],
    project_root: str | None,
) -> int:
    """Show all findings of all files, each with file, line and column.

    PATHS are files or folders; without any, manifests/ and every *.adk.* file below the current folder. Nothing is
    executed, no environment variable or secret is read.
    """
    if shows_diff and not mends:
        raise click.UsageError("--diff shows what --fix would do: give both")
    if shows_diff and format_name in DOCUMENTS:
        raise click.UsageError(f"--diff is text, and {format_name} is one document, which holds the fixes itself")
    if from_stdin != (stdin_filename is not None) or (from_stdin and paths):
        raise click.UsageError("--stdin and --stdin-filename belong together, without other paths")
    showing = Showing(format_name=format_name, deny_warnings=deny_warnings, show_all=show_all)
    if stdin_filename is not None:
        return _of_stdin(
            stdin_filename, showing, mends=mends, shows_diff=shows_diff, overlays=overlays, project_root=project_root
        )
    files = expand(paths)
    if not files:
        raise click.UsageError("there is no manifest here: name a file, or a folder that holds *.adk.yaml files")
    if mends:
        return _mend(files, showing, shows_diff=shows_diff, overlays=overlays, project_root=project_root)
    return _show(check(files, overlays=overlays, project_root=project_root, cached=cached), showing)


def _show(checked: Checked, showing: Showing, *, err: bool = False) -> int:
    color = showing.format_name in COLORED and wants_color(err=err)
    text = show(
        checked,
        format_name=showing.format_name,
        color=color,
        show_all=showing.show_all,
        deny_warnings=showing.deny_warnings,
    )
    emit(text, err=err)
    return checked.exit_code(deny_warnings=showing.deny_warnings)


def _mend(
    files: list[str], showing: Showing, *, shows_diff: bool, overlays: tuple[str, ...], project_root: str | None
) -> int:
    from adk_decl.cli.exit_codes import DONE, FAILED
    from adk_decl.cli.fixing import diff, fix, summary

    fixed = fix(files, overlays=overlays, project_root=project_root, write=not shows_diff)
    if shows_diff:
        emit("".join(diff(change, color=wants_color()) for change in fixed.changes))
    code = _show(fixed.checked, showing, err=shows_diff)
    emit(summary(fixed, written=not shows_diff), err=True)
    return code if code != DONE or not fixed.unwritten else FAILED


def _of_stdin(
    name: str, showing: Showing, *, mends: bool, shows_diff: bool, overlays: tuple[str, ...], project_root: str | None
) -> int:
    from adk_decl.plan.limits import LIMITS

    most = LIMITS["read.manifest_bytes"].default
    data = sys.stdin.buffer.read(most + 1)
    if not mends:
        return _show(check([name], overlays=overlays, project_root=project_root, data=data), showing)
    if len(data) > most:
        # A part of the text must not come out as if it were the mended whole.
        raise click.ClickException(f"the text is larger than {most} bytes")
    from adk_decl.cli.fixing import diff, fix_bytes

    checked, mended = fix_bytes(name, data, overlays=overlays, project_root=project_root)
    if shows_diff:
        emit("" if mended is None else diff(mended, color=wants_color()))
    else:
        sys.stdout.buffer.write(data if mended is None else mended.after)
        sys.stdout.buffer.flush()
    return _show(checked, showing, err=True)
