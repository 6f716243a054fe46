"""`adk-decl plan`: what a manifest will run."""

from __future__ import annotations

import click

from adk_decl.cli.checking import Checked, show
from adk_decl.cli.exit_codes import DONE, FAILED
from adk_decl.cli.output import emit, wants_color
from adk_decl.cli.plan_text import render_plan
from adk_decl.compiler.compile import compile_file
from adk_decl.plan.runner_choice import RunnerChoiceError, choose_runner


@click.command("plan")
@click.argument("manifest")
@click.option("--runner", metavar="NAME", help="Which runner; needed when there are several and none is `default`.")
@click.option("--json", "as_json", is_flag=True, help="The whole plan as canonical JSON, the input of its digest.")
@click.option("--project-root", metavar="FOLDER", help="Folder that code and files must lie in.")
def command(*, manifest: str, runner: str | None, as_json: bool, project_root: str | None) -> int:
    """Show what MANIFEST will run: per phase the exact order of plugins, their limits and policies, tools, digest."""
    result = compile_file(manifest, project_root=project_root)
    found = Checked(files=(result.file,), diagnostics=result.diagnostics, sources=dict(result.sources), defects=0)
    if result.plan is None:
        emit(show(found, format_name="json") if as_json else _findings(found), err=not as_json)
        return FAILED
    if found.diagnostics:
        emit(_findings(found), err=True)
    try:
        chosen = None if as_json and runner is None else choose_runner(result.plan, runner)
    except RunnerChoiceError as error:
        raise click.UsageError(str(error)) from None
    if as_json or chosen is None:
        emit(result.plan.to_json().decode("utf-8"))
    else:
        emit(render_plan(result.plan, chosen, not_enforced=not_enforced_here()))
    return DONE


def not_enforced_here() -> tuple[str, ...]:
    """Limits that this machine can't hold, in words."""
    from adk_decl.workers.system import system_facts, unenforced

    return unenforced(system_facts())


def _findings(found: Checked) -> str:
    return show(found, format_name="text", color=wants_color(err=True))
