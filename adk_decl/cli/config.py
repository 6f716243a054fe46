"""`adk-decl config`: the manifest as it counts, every default stated, and where each value came from."""

from __future__ import annotations

import click

from adk_decl.cli.compiled import compiled
from adk_decl.cli.config_text import origins_json, origins_text, tree_json, tree_yaml
from adk_decl.cli.exit_codes import DONE, FAILED
from adk_decl.cli.options import overlay_option
from adk_decl.cli.output import emit


@click.command("config")
@click.argument("manifest")
@click.option("--origins", "with_origins", is_flag=True, help="One line a value: where it is stated, what it replaced.")
@click.option("--format", "format_name", type=click.Choice(["yaml", "json"]), default="yaml", help="How it is written.")
@overlay_option
@click.option("--project-root", metavar="FOLDER", help="Folder that code and files must lie in.")
def command(
    *, manifest: str, with_origins: bool, format_name: str, overlays: tuple[str, ...], project_root: str | None
) -> int:
    """Show MANIFEST with all its layers merged and every default stated, as it goes into the plan.

    References to the environment and secrets stay references: nothing is looked up. Literals stand in the output as
    they are, those of `config` too. A definition that nothing uses is not part of the plan.
    """
    result = compiled(manifest, overlays=overlays, project_root=project_root, as_json=format_name == "json")
    if result.plan is None:
        return FAILED
    if with_origins:
        emit(origins_json(result.plan) if format_name == "json" else origins_text(result.plan))
    else:
        emit(tree_json(result.plan) if format_name == "json" else tree_yaml(result.plan))
    return DONE
