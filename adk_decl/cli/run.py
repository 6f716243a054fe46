"""`adk-decl run`: run an agent under its plan."""

from __future__ import annotations

import click

from adk_decl.cli.checking import show
from adk_decl.cli.compiled import chosen_runner, compiled
from adk_decl.cli.exit_codes import FAILED
from adk_decl.cli.options import overlay_option
from adk_decl.cli.output import emit, wants_color
from adk_decl.compiler.compile import CompileResult
from adk_decl.plan.model import Plan


@click.command("run")
@click.argument("manifest")
@click.option("--runner", metavar="NAME", help="Which runner; needed when there are several and none is `default`.")
@click.option("--message", metavar="TEXT", required=True, help="What the user says.")
@click.option("--session", metavar="ID", help="Session to go on with; without it a new one, named on stderr.")
@click.option("--user", metavar="ID", default="local", show_default=True, help="Whose session it is.")
@click.option("--stream", is_flag=True, help="Print text as it comes, held back where a plugin may still change it.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line: events, plugin traces, the result.")
@click.option("--locked", is_flag=True, help="Refuse to run when anything differs from the lock file.")
@click.option("--lock-file", metavar="FILE", help="With --locked: another lock file than NAME.lock.json.")
@overlay_option
@click.option("--project-root", metavar="FOLDER", help="Folder that code and files must lie in.")
def command(
    *,
    manifest: str,
    runner: str | None,
    message: str,
    session: str | None,
    user: str,
    stream: bool,
    as_json: bool,
    locked: bool,
    lock_file: str | None,
    overlays: tuple[str, ...],
    project_root: str | None,
) -> int:
    """Run one message through a runner of MANIFEST. The answer goes to stdout, progress to stderr.

    Exit codes: 0 answered, 1 could not answer, 2 halted by a plugin, 130 interrupted.
    """
    result = compiled(manifest, overlays=overlays, project_root=project_root, as_json=as_json)
    if result.plan is None:
        return FAILED
    chosen = chosen_runner(result.plan, runner)
    if lock_file is not None and not locked:
        raise click.UsageError("--lock-file needs --locked")
    if locked and not _holds(result, result.plan, lock_file, as_json=as_json):
        return FAILED

    from adk_decl.cli.run_session import RunOptions, run_once

    options = RunOptions(message=message, session=session, user=user, stream=stream, as_json=as_json)
    return run_once(result.plan, chosen.name, options)


def _holds(result: CompileResult, plan: Plan, lock_file: str | None, *, as_json: bool) -> bool:
    """Whether everything is as it was locked; what is not is shown."""
    from adk_decl.cli.locked import check_locked

    found, _ = check_locked(result, plan, lock_file)
    if found.diagnostics:
        format_name = "json" if as_json else "text"
        emit(show(found, format_name=format_name, color=not as_json and wants_color(err=True)), err=not as_json)
    return not found.diagnostics
