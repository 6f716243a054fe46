"""`adk-decl migrate`: old versions of manifests and spellings of other systems to ours, as text edits."""

from __future__ import annotations

import click

from adk_decl.cli.exit_codes import ANSWER_IS_NO, DONE, FAILED
from adk_decl.cli.files import expand
from adk_decl.cli.migrating import Outcome, migrate_file
from adk_decl.cli.output import emit, wants_color
from adk_decl.migration.dialects import DIALECTS


@click.command("migrate")
@click.argument("paths", nargs=-1)
@click.option("--from", "dialect", type=click.Choice(tuple(DIALECTS)), help="The system whose spellings are turned.")
@click.option("--check", "checks", is_flag=True, help="Write nothing; exit 2 when there is something to do.")
@click.option("--diff", "shows_diff", is_flag=True, help="Write nothing; show what would change.")
def command(*, paths: tuple[str, ...], dialect: str | None, checks: bool, shows_diff: bool) -> int:
    """Turn manifests of older versions, or with --from the spellings of another system, into ours.

    PATHS are files or folders; without any, manifests/ and every *.adk.* file below the current folder. Each change is
    reported with its place; comments and all other text stay. What a person has to do is reported too.

    Exit codes: 0 done, 1 a file could not be read or written, 2 with --check: there is something to do.
    """
    files = expand(paths)
    if not files:
        raise click.UsageError("there is no manifest here: name a file, or a folder that holds *.adk.yaml files")
    writes = not checks and not shows_diff
    outcomes = [migrate_file(path, dialect=dialect, write=writes) for path in files]
    for outcome in outcomes:
        if shows_diff:
            emit(outcome.diff(color=wants_color()))
        emit(outcome.report(), err=shows_diff)
        emit(outcome.problem, err=True)
    emit(_summary(outcomes, written=writes), err=True)
    if any(outcome.problem for outcome in outcomes):
        return FAILED
    return ANSWER_IS_NO if checks and any(outcome.changes for outcome in outcomes) else DONE


def _summary(outcomes: list[Outcome], *, written: bool) -> str:
    done = sum(not change.by_hand for outcome in outcomes for change in outcome.changes)
    left = sum(change.by_hand for outcome in outcomes for change in outcome.changes)
    if not done and not left:
        return "nothing to migrate"
    verb = "made" if written else "would make"
    return f"{verb} {done} change{'s' if done != 1 else ''}" + (f", {left} left to do by hand" if left else "")
