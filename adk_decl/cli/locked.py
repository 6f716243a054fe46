"""The lock file of a manifest on the command line: where it is, and whether it holds. `lock` and `run` share it."""

from __future__ import annotations

import os

import click

from adk_decl.cli.checking import Checked
from adk_decl.compiler.compile import CompileResult
from adk_decl.lock.check import check_lock
from adk_decl.lock.content import LOCK_ENDING, lock_path, make_lock
from adk_decl.plan.model import Plan

LOCK_FILE_HELP = "Another lock file than NAME.lock.json beside the manifest, as for a set of overlays."


def lock_place(plan: Plan, lock_file: str | None) -> tuple[str, str]:
    """Absolute path of a lock file, and its name for people. Raises `click.UsageError` for another ending."""
    if lock_file is not None and not lock_file.endswith(LOCK_ENDING):
        raise click.UsageError(f"the name of a lock file ends in {LOCK_ENDING}")
    path = os.path.abspath(lock_file) if lock_file is not None else lock_path(plan)
    below = os.path.join(os.getcwd(), "")
    return path, path.removeprefix(below).replace(os.sep, "/")


def check_locked(result: CompileResult, plan: Plan, lock_file: str | None) -> tuple[Checked, bool]:
    """Every drift of a compiled manifest from its lock file, and whether there was a file to compare with."""
    path, shown = lock_place(plan, lock_file)
    checked = check_lock(path, make_lock(plan, result.sources), shown=shown)
    found = Checked(files=(shown,), diagnostics=checked.diagnostics, sources=dict(checked.sources), defects=0)
    return found, checked.comparable
