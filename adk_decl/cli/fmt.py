"""`adk-decl fmt`: the canonical layout."""

from __future__ import annotations

import sys

import click

from adk_decl.cli.files import expand
from adk_decl.cli.formatting import Formatted, format_files, format_one, show_diff, show_findings, summary
from adk_decl.cli.output import emit, wants_color
from adk_decl.plan.limits import LIMITS

_BOM = b"\xef\xbb\xbf"


@click.command("fmt")
@click.argument("paths", nargs=-1)
@click.option("--check", "checks", is_flag=True, help="Write nothing; exit 2 when a file would change.")
@click.option("--diff", "shows_diff", is_flag=True, help="Write nothing; show what would change.")
@click.option("--stdin", "from_stdin", is_flag=True, help="Read one text from stdin, write the result to stdout.")
@click.option("--stdin-filename", metavar="NAME", help="With --stdin: the file that the text stands for.")
def command(
    *, paths: tuple[str, ...], checks: bool, shows_diff: bool, from_stdin: bool, stdin_filename: str | None
) -> int:
    """Write YAML and TOML files in canonical layout: comments stay, and what the files say stays.

    PATHS are files or folders; without any, manifests/ and every *.adk.* file below the current folder. A file that
    can't be read is reported and left alone.

    Exit codes: 0 done, 1 a file could not be read or written, 2 with --check: a file would change.
    """
    if from_stdin != (stdin_filename is not None) or (from_stdin and paths):
        raise click.UsageError("--stdin and --stdin-filename belong together, without other paths")
    if stdin_filename is not None:
        return _stdin(stdin_filename, checks=checks, shows_diff=shows_diff)
    files = [path for path in expand(paths) if path in paths or not path.endswith(".json")]
    if not files:
        raise click.UsageError("there is no manifest here: name a file, or a folder that holds *.adk.yaml files")
    writes = not checks and not shows_diff
    done = format_files(files, write=writes)
    if shows_diff:
        emit(show_diff(done, color=wants_color()))
    _report(done)
    emit(summary(done, written=writes), err=True)
    return done.exit_code(checks=checks)


def _stdin(name: str, *, checks: bool, shows_diff: bool) -> int:
    data = sys.stdin.buffer.read(LIMITS["read.manifest_bytes"].default + 1)
    done = format_one(name, data=data)
    if shows_diff:
        emit(show_diff(done, color=wants_color()))
    elif not checks and not done.found:
        mark = _BOM if data.startswith(_BOM) else b""
        sys.stdout.buffer.write(mark + done.changes[0].after.encode("utf-8") if done.changes else data)
        sys.stdout.buffer.flush()
    _report(done)
    return done.exit_code(checks=checks)


def _report(done: Formatted) -> None:
    emit(show_findings(done, color=wants_color(err=True)), err=True)
