"""Makes project code importable in this process while inline tools need it."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Sequence


class ProjectImports:
    """The folders of a project's code, in front of `sys.path` between `enter` and `leave`."""

    def __init__(self, project_root: str, code_roots: Sequence[str]) -> None:
        self.roots = tuple(os.path.normpath(os.path.join(project_root, root)) for root in code_roots or (".",))
        self._added: list[str] = []

    def enter(self) -> None:
        """Put the folders in front; those that are there already stay where they are."""
        self._added = [root for root in self.roots if root not in sys.path]
        sys.path[:0] = self._added
        importlib.invalidate_caches()

    def leave(self) -> None:
        """Take away what `enter` put there; safe to call twice."""
        for root in self._added:
            if root in sys.path:
                sys.path.remove(root)
        self._added = []
