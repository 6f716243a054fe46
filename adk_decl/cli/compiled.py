"""What commands about one manifest begin with: compile it, show its findings, find the runner that is meant."""

from __future__ import annotations

from collections.abc import Sequence

import click

from adk_decl.cli.checking import Checked, show
from adk_decl.cli.output import emit, wants_color
from adk_decl.compiler.compile import CompileResult, compile_file
from adk_decl.plan.model import Plan, RunnerPlan
from adk_decl.plan.runner_choice import RunnerChoiceError, choose_runner


def compiled(
    manifest: str, *, overlays: Sequence[str], project_root: str | None, as_json: bool, warnings: bool = True
) -> CompileResult:
    """Compile a manifest and show what was found.

    Without a plan the findings are the command's answer: text on stderr, or with `as_json` one document on stdout.
    With a plan, warnings go to stderr.
    """
    result = compile_file(manifest, overlays=overlays, project_root=project_root)
    if result.plan is None and as_json:
        emit(show(checked(result), format_name="json"))
    elif result.plan is None or (warnings and result.diagnostics):
        emit(show(checked(result), format_name="text", color=wants_color(err=True)), err=True)
    return result


def checked(result: CompileResult) -> Checked:
    """The findings of one compile, ready to be shown."""
    return Checked(files=(result.file,), diagnostics=result.diagnostics, sources=dict(result.sources), defects=0)


def chosen_runner(plan: Plan, name: str | None) -> RunnerPlan:
    """The runner that is meant. Raises `click.UsageError` with the list of those there are."""
    try:
        return choose_runner(plan, name)
    except RunnerChoiceError as error:
        raise click.UsageError(str(error)) from None
