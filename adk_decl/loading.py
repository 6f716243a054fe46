"""Manifests for programs: compile a file, or load it as a plan."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from adk_decl.errors import ManifestError
from adk_decl.plan.model import Plan

if TYPE_CHECKING:
    from adk_decl.compiler.compile import CompileResult


def compile(  # noqa: A001 - the name that users expect
    path: str | os.PathLike[str],
    *,
    overlays: Sequence[str | os.PathLike[str]] = (),
    project_root: str | os.PathLike[str] | None = None,
) -> CompileResult:
    """Compile a manifest: its plan (None when there is an error) with every finding. Never raises for a manifest.

    `overlays` are files laid over it, in order; the setting `ADK_DECL_OVERLAYS` is for commands and counts not here.
    """
    from adk_decl.compiler.compile import compile_file

    root = os.fspath(project_root) if project_root is not None else None
    return compile_file(os.fspath(path), overlays=[os.fspath(each) for each in overlays], project_root=root)


def load(
    path: str | os.PathLike[str],
    *,
    overlays: Sequence[str | os.PathLike[str]] = (),
    project_root: str | os.PathLike[str] | None = None,
) -> Plan:
    """The frozen plan of a manifest with `overlays` laid over it.

    Raises `ManifestError` with every finding when there is an error.

    Reads no environment variable and no secret, and executes no code that the manifest names.
    """
    result = compile(path, overlays=overlays, project_root=project_root)
    if result.plan is None:
        raise ManifestError(result.diagnostics)
    return result.plan


def load_text(text: str, *, path: str) -> Plan:
    """The plan of a manifest that is no file: `text` counts as the content of `path`, an absolute path.

    Raises `ManifestError` with every finding when there is an error.
    """
    from adk_decl.compiler.compile import compile_file

    result = compile_file(path, texts={path: text.encode()})
    if result.plan is None:
        raise ManifestError(result.diagnostics)
    return result.plan
