"""Whether a path that somebody else gave lies under one of some folders, links resolved."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable

LONGEST_PATH = 4096
"""Characters of the longest path that is looked at."""


def path_problem(path: object, roots: Iterable[str]) -> str | None:
    """Why a path may not be used: a symbolic reason, or None when it lies under one of the roots.

    It has to be absolute and without `..`. What exists of it is resolved part by part; what does not exist yet may
    follow. A link that leads nowhere, a root that can't be resolved, and all that can't be looked at are problems.
    """
    if not isinstance(path, str):
        return "path_not_text"
    if not path.startswith("/") or "\0" in path or len(path) > LONGEST_PATH:
        return "path_not_absolute"
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if ".." in parts:
        return "path_goes_up"
    try:
        allowed = [os.path.realpath(root, strict=True) for root in roots]
    except (OSError, ValueError):
        return "root_not_resolved"
    try:
        resolved = _resolved(parts)
    except (OSError, ValueError):
        return "path_not_resolved"
    return None if any(_lies_under(resolved, root) for root in allowed) else "path_outside"


def _resolved(parts: list[str]) -> str:
    """The path without links. Raises `OSError` for a link that leads nowhere and for what can't be looked at."""
    current = "/"
    for index, part in enumerate(parts):
        current = os.path.join(current, part)
        try:
            mode = os.lstat(current).st_mode
        except FileNotFoundError:
            return os.path.join(current, *parts[index + 1 :])
        if stat.S_ISLNK(mode):
            current = os.path.realpath(current, strict=True)
    return current


def _lies_under(path: str, root: str) -> bool:
    """Whether the folder holds the path or is it, part by part: `/srv/data` does not hold `/srv/database`."""
    return os.path.commonpath([path, root]) == root
