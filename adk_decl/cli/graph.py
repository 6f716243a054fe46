"""`adk-decl graph`: a picture of what a manifest will run."""

from __future__ import annotations

import json

import click

from adk_decl.cli.compiled import chosen_runner, compiled
from adk_decl.cli.exit_codes import DONE, FAILED
from adk_decl.cli.options import overlay_option
from adk_decl.cli.output import emit
from adk_decl.plan.graph import PlanGraph, plan_graph
from adk_decl.plan.graph_text import dot, mermaid


@click.command("graph")
@click.argument("manifest")
@click.option("--runner", metavar="NAME", help="Which runner; needed when there are several and none is `default`.")
@click.option("--format", "format_name", type=click.Choice(["mermaid", "dot", "json"]), default="mermaid")
@overlay_option
@click.option("--project-root", metavar="FOLDER", help="Folder that code and files must lie in.")
def command(
    *, manifest: str, runner: str | None, format_name: str, overlays: tuple[str, ...], project_root: str | None
) -> int:
    """Draw what MANIFEST will run: a box a trust domain, plugins in the order of each phase.

    Guards (they intervene, and end the run when they fail) are thick hexagons; what is open on failure is dashed.
    """
    result = compiled(manifest, overlays=overlays, project_root=project_root, as_json=format_name == "json")
    if result.plan is None:
        return FAILED
    chosen = chosen_runner(result.plan, runner)
    emit(_text(plan_graph(result.plan, chosen), format_name))
    return DONE


def _text(graph: PlanGraph, format_name: str) -> str:
    if format_name == "json":
        return json.dumps(graph.to_json(), ensure_ascii=False)
    return dot(graph) if format_name == "dot" else mermaid(graph)
