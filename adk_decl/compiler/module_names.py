"""Names of modules that there are, for the one that was probably meant. Only for a reference that leads nowhere."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

from adk_decl import disk
from adk_decl.diagnostics.suggest import nearest

_MOST_ENTRIES = 2000


def nearest_module(name: str, roots: Sequence[str]) -> str | None:
    """The dotted name of the one module near `name`, part by part, or None.

    Folders are listed and nothing is opened. A folder with thousands of entries is left alone.
    """
    folders = list(roots)
    found: list[str] = []
    parts = name.split(".")
    for index, part in enumerate(parts):
        is_last = index == len(parts) - 1
        names = {entry for folder in folders for entry in _modules(folder, packages_only=not is_last)}
        near = part if part in names else nearest(part, sorted(names))
        if near is None:
            return None
        found.append(near)
        folders = [os.path.join(folder, near) for folder in folders]
    return ".".join(found)


def _modules(folder: str, *, packages_only: bool) -> Iterable[str]:
    found = disk.entries(folder, _MOST_ENTRIES)
    names = [name for name, is_folder in found if is_folder]
    names += [] if packages_only else [name.removesuffix(".py") for name, _ in found if name.endswith(".py")]
    return [name for name in names if name.isidentifier() and not name.startswith("__")]
