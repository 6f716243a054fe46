"""`adk-decl lock`: write down what a manifest was made of, or check that it still is."""

from __future__ import annotations

import os

import click

from adk_decl.cli.checking import COLORED, FORMATS, Checked, show
from adk_decl.cli.exit_codes import ANSWER_IS_NO, DONE, FAILED
from adk_decl.cli.locked import LOCK_FILE_HELP, check_locked, lock_place
from adk_decl.cli.options import overlay_option
from adk_decl.cli.output import emit, wants_color
from adk_decl.compiler.compile import CompileResult, compile_file
from adk_decl.lock.check import locked_manifest, other_manifest
from adk_decl.lock.content import make_lock
from adk_decl.lock.write import write_lock
from adk_decl.plan.limits import LIMITS
from adk_decl.plan.model import Plan


@click.command("lock")
@click.argument("manifest")
@click.option("--check", "checks", is_flag=True, help="Write nothing: name each drift, and exit 2 when there is one.")
@click.option("--format", "format_name", type=click.Choice(FORMATS), default="concise", help="How drifts are shown.")
@overlay_option
@click.option("--lock-file", metavar="FILE", help=LOCK_FILE_HELP)
@click.option("--project-root", metavar="FOLDER", help="Folder that code and files must lie in.")
def command(
    *,
    manifest: str,
    checks: bool,
    format_name: str,
    overlays: tuple[str, ...],
    lock_file: str | None,
    project_root: str | None,
) -> int:
    """Write NAME.lock.json beside MANIFEST: digests of its files, of the plan, and of the code that it runs.

    `--check` compares instead; `adk-decl run --locked` refuses to run when anything differs. No code is executed.
    """
    result = compile_file(manifest, overlays=overlays, project_root=project_root)
    own = Checked(files=(result.file,), diagnostics=result.diagnostics, sources=dict(result.sources), defects=0)
    if result.plan is None:
        _show(own, format_name)
        return FAILED
    if own.diagnostics:
        emit(show(own, format_name="text", color=wants_color(err=True)), err=True)
    if not checks:
        return _write(result, result.plan, lock_file)
    found, comparable = check_locked(result, result.plan, lock_file)
    _show(found, format_name)
    if not found.diagnostics:
        return DONE
    return ANSWER_IS_NO if comparable else FAILED


def _write(result: CompileResult, plan: Plan, lock_file: str | None) -> int:
    path, shown = lock_place(plan, lock_file)
    lock = make_lock(plan, result.sources)
    locked = locked_manifest(path)
    if locked is not None and locked != lock.content["manifest"]:
        other = other_manifest(shown, locked, lock.content["manifest"])
        _show(Checked(files=(shown,), diagnostics=(other,), sources={}, defects=0), "text")
        return FAILED
    text = lock.text()
    if len(text.encode("utf-8")) > LIMITS["read.manifest_bytes"].maximum:
        raise click.ClickException(f"{shown} would be larger than what is read again: the code reaches too many files")
    try:
        changed = write_lock(path, text)
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else "unknown reason"
        raise click.ClickException(f"{shown} can't be written: {reason}") from None
    emit(f"{shown} {'written' if changed else 'is up to date'}")
    return DONE


def _show(found: Checked, format_name: str) -> None:
    emit(show(found, format_name=format_name, color=format_name in COLORED and wants_color()))
