"""`adk-decl env`: which environment variables and secrets a manifest needs, and which are there."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Any

import click

from adk_decl.cli.compiled import compiled
from adk_decl.cli.config_text import cut, place_text, printable_text
from adk_decl.cli.exit_codes import ANSWER_IS_NO, DONE, FAILED
from adk_decl.cli.options import overlay_option
from adk_decl.cli.output import emit
from adk_decl.cli.requirements import Requirement, State, Use, requirements, state
from adk_decl.plan.model import Plan

FORMAT_VERSION = 1
_BAD = ("missing", "unfit")

Rows = Sequence[tuple[Requirement, State, str | None]]


@click.command("env")
@click.argument("manifest")
@click.option("--runner", metavar="NAME", help="Only what this runner needs.")
@click.option("--check", "checks", is_flag=True, help="Exit code 2 when something is missing or does not fit.")
@click.option("--format", "format_name", type=click.Choice(["text", "json"]), default="text", help="How it is written.")
@overlay_option
@click.option("--project-root", metavar="FOLDER", help="Folder that code and files must lie in.")
def command(
    *,
    manifest: str,
    runner: str | None,
    checks: bool,
    format_name: str,
    overlays: tuple[str, ...],
    project_root: str | None,
) -> int:
    """Show which environment variables and secrets MANIFEST needs, where it uses them, and whether they are there.

    No value is shown, and no secret file is opened.
    """
    as_json = format_name == "json"
    plan = compiled(manifest, overlays=overlays, project_root=project_root, as_json=as_json, warnings=False).plan
    if plan is None:
        return FAILED
    if runner is not None and runner not in plan.runners:
        raise click.UsageError(f"there is no runner {runner!r}; there is {', '.join(plan.runners) or 'none'}")
    needed = requirements(plan, None if runner is None else plan.runners[runner])
    states = [state(each, os.environ, plan.project_root) for each in needed]
    rows = [(each, word, reason) for each, (word, reason) in zip(needed, states, strict=True)]
    emit(_as_json(plan, rows) if as_json else _as_text(rows))
    return ANSWER_IS_NO if checks and any(word in _BAD for _, word, _ in rows) else DONE


def _as_text(rows: Rows) -> str:
    if not rows:
        return "nothing is needed from the environment"
    lines = []
    for needed, word, reason in rows:
        said = f"does not fit: {reason}" if word == "unfit" else word
        lines.append(f"{printable_text(needed.name)}  {needed.kind}, {said}")
        width = max(len(use.path) for use in needed.uses)
        lines += [f"  {use.path:<{width}}  {place_text(use.origin)}{_default(use)}" for use in needed.uses]
    missing = [needed.name for needed, word, _ in rows if word in _BAD]
    lines += ["", f"{len(rows)} needed, {len(missing)} missing or unfit"]
    return "\n".join(lines)


def _default(use: Use) -> str:
    if use.default_hidden:
        return "  default …"
    return "" if use.default is None else f"  default {cut(printable_text(use.default)) or 'empty'}"


def _as_json(plan: Plan, rows: Rows) -> str:
    listed: list[dict[str, Any]] = []
    for needed, word, reason in rows:
        uses = [
            {
                "path": use.path,
                "file": use.origin.file,
                "line": use.origin.line if use.origin.file is not None else None,
                "column": use.origin.column if use.origin.file is not None else None,
                "default": use.default,
                "default_hidden": use.default_hidden,
            }
            for use in needed.uses
        ]
        row = {"name": needed.name, "kind": needed.kind, "required": needed.required, "state": word, "reason": reason}
        listed.append({**row, "uses": uses})
    document = {"format_version": FORMAT_VERSION, "digest": plan.digest, "requirements": listed}
    return json.dumps(document, indent=2, ensure_ascii=False)
