"""`adk-decl doctor`: whether a runner can run on this machine."""

from __future__ import annotations

import os

import click

from adk_decl.cli.compiled import chosen_runner, compiled
from adk_decl.cli.exit_codes import ANSWER_IS_NO, DONE, FAILED
from adk_decl.cli.options import overlay_option
from adk_decl.cli.output import emit, wants_color


@click.command("doctor")
@click.argument("manifest")
@click.option("--runner", metavar="NAME", help="Which runner; needed when there are several and none is `default`.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
@click.option("--offline", is_flag=True, help="Contact no endpoint.")
@overlay_option
@click.option("--project-root", metavar="FOLDER", help="Folder that code and files must lie in.")
def command(
    *,
    manifest: str,
    runner: str | None,
    as_json: bool,
    offline: bool,
    overlays: tuple[str, ...],
    project_root: str | None,
) -> int:
    """Look at everything that a run of MANIFEST needs on this machine.

    Settings, packages, what limits and sandbox hold here, environment and secrets (never their values), the code of
    every plugin and tool in its worker, the model, the session store. No prompt is sent and nothing is stored. Exit
    code 2 when something failed.
    """
    result = compiled(manifest, overlays=overlays, project_root=project_root, as_json=as_json, warnings=False)
    if result.plan is None:
        return FAILED
    chosen = chosen_runner(result.plan, runner)
    # Imported now: what is examined is the run side, which a manifest with errors never reaches.
    from adk_decl.cli import doctor_output
    from adk_decl.doctor.check import failed
    from adk_decl.doctor.examine import examine

    checks = tuple(examine(result.plan, chosen, os.environ, offline=offline))
    if as_json:
        facts = {"manifest": result.file, "runner": chosen.name, "plan_digest": result.plan.digest}
        emit(doctor_output.as_json(checks, **facts))
    else:
        emit(doctor_output.as_text(checks, color=wants_color()))
    return ANSWER_IS_NO if failed(checks) else DONE
