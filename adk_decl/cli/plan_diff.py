"""`adk-decl plan OLD NEW`: what two plans differ in, and what that means."""

from __future__ import annotations

import json
import os
import sys

import click

from adk_decl.cli.checking import Checked, show
from adk_decl.cli.exit_codes import ANSWER_IS_NO, DONE, FAILED
from adk_decl.cli.output import emit, wants_color
from adk_decl.cli.plan_diff_text import render_diff
from adk_decl.compiler.compile import CompileResult, compile_file
from adk_decl.plan.diff import diff_plans
from adk_decl.plan.limits import LIMITS
from adk_decl.plan.record import FrozenMap

STDIN = "-"


def show_difference(
    old: str,
    new: str,
    *,
    runner: str | None,
    as_json: bool,
    exit_code: bool,
    overlays: tuple[str, ...],
    project_root: str | None,
) -> int:
    """Compile both manifests and show their difference. `old` may be `-`, the text on stdin in the place of `new`."""
    before = (
        _from_stdin(new, overlays, project_root)
        if old == STDIN
        else compile_file(old, overlays=overlays, project_root=project_root)
    )
    after = compile_file(new, overlays=overlays, project_root=project_root)
    if before.plan is None or after.plan is None:
        broken = [result for result in (before, after) if result.plan is None]
        if as_json:
            emit(show(_checked(*broken), format_name="json"))
        for result in () if as_json else broken:  # one by one: the text on stdin has the name of the new file
            if result is before and old == STDIN:
                emit("in the text on stdin, which stands for the old version:", err=True)
            emit(_findings(_checked(result)), err=True)
        return FAILED
    if runner is not None and runner not in before.plan.runners and runner not in after.plan.runners:
        raise click.UsageError(f"neither manifest has a runner {runner!r}")
    if after.diagnostics:
        emit(_findings(_checked(after)), err=True)
    difference = diff_plans(before.plan, after.plan, runner=runner)
    if as_json:
        emit(json.dumps(difference.to_json(), ensure_ascii=False))
    else:
        emit(render_diff(difference, color=wants_color()))
    return ANSWER_IS_NO if exit_code and difference.changes else DONE


def _from_stdin(new: str, overlays: tuple[str, ...], project_root: str | None) -> CompileResult:
    """The text on stdin as if it lay in the place of `new`; its places are told as those of `-`."""
    data = sys.stdin.buffer.read(LIMITS["read.manifest_bytes"].maximum + 1)
    place = os.path.normpath(os.path.join(os.getcwd(), new))
    result = compile_file(new, overlays=overlays, project_root=project_root, texts={place: data})
    if result.plan is None:
        return result
    origins = {
        pointer: origin.replace(file=STDIN) if origin.file == result.file else origin
        for pointer, origin in result.plan.origins.items()
    }
    return result.replace(plan=result.plan.replace(origins=FrozenMap(origins)))


def _checked(*results: CompileResult) -> Checked:
    return Checked(
        files=tuple(result.file for result in results),
        diagnostics=tuple(found for result in results for found in result.diagnostics),
        sources={name: text for result in results for name, text in result.sources.items()},
        defects=0,
    )


def _findings(found: Checked) -> str:
    return show(found, format_name="text", color=wants_color(err=True))
