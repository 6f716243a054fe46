"""`adk-decl plan`: what a manifest will run."""

from __future__ import annotations

import click

from adk_decl.cli.compiled import chosen_runner, compiled
from adk_decl.cli.exit_codes import DONE, FAILED
from adk_decl.cli.options import overlay_option
from adk_decl.cli.output import emit
from adk_decl.cli.plan_text import render_plan


@click.command("plan")
@click.argument("manifests", nargs=-1, required=True, metavar="MANIFEST | OLD NEW")
@click.option("--runner", metavar="NAME", help="Which runner; needed when there are several and none is `default`.")
@click.option(
    "--json", "as_json", is_flag=True, help="The plan as canonical JSON, the input of its digest; the difference."
)
@click.option("--exit-code", is_flag=True, help="With OLD and NEW: exit code 2 when the plans differ.")
@overlay_option
@click.option("--project-root", metavar="FOLDER", help="Folder that code and files must lie in.")
def command(
    *,
    manifests: tuple[str, ...],
    runner: str | None,
    as_json: bool,
    exit_code: bool,
    overlays: tuple[str, ...],
    project_root: str | None,
) -> int:
    """Show what a MANIFEST will run, or what two of them differ in.

    One MANIFEST: per phase the exact order of plugins, their limits and policies, tools, digest. OLD and NEW: what
    was added, removed, changed and moved, and what that means: protection that is less than it was, new secrets,
    longer waits. OLD may be `-`: the text of an older version on stdin, read as if it lay in the place of NEW.
    """
    if len(manifests) > 2 or (exit_code and len(manifests) != 2):
        raise click.UsageError("name one manifest, or an old and a new one (--exit-code needs both)")
    if len(manifests) == 2:
        from adk_decl.cli.plan_diff import show_difference

        return show_difference(
            *manifests,
            runner=runner,
            as_json=as_json,
            exit_code=exit_code,
            overlays=overlays,
            project_root=project_root,
        )
    return _show_plan(manifests[0], runner=runner, as_json=as_json, overlays=overlays, project_root=project_root)


def _show_plan(
    manifest: str, *, runner: str | None, as_json: bool, overlays: tuple[str, ...], project_root: str | None
) -> int:
    result = compiled(manifest, overlays=overlays, project_root=project_root, as_json=as_json)
    if result.plan is None:
        return FAILED
    chosen = None if as_json and runner is None else chosen_runner(result.plan, runner)
    if as_json or chosen is None:
        emit(result.plan.to_json().decode("utf-8"))
    else:
        emit(render_plan(result.plan, chosen, not_enforced=not_enforced_here()))
    return DONE


def not_enforced_here() -> tuple[str, ...]:
    """Limits that this machine can't hold, in words."""
    from adk_decl.workers.system import system_facts, unenforced

    return unenforced(system_facts())
