"""How a plan holds the paths that a manifest names for a run."""

from __future__ import annotations

import os

from adk_decl.compiler.context import Context
from adk_decl.syntax.document import Node

PACKAGE_PREFIX = "package:"
"""Begins the name of a file inside an installed package: `package:NAME/FILE`."""


def data_path(context: Context, path: str, stated_by: Node) -> str:
    """A path of data: a relative one from the project root, an absolute or `package:` one as it is.

    `stated_by` is the node that holds it: a path is relative to the file of that node.
    """
    if path.startswith(PACKAGE_PREFIX) or os.path.isabs(path):
        return path
    return context.from_root(context.beside(path, stated_by.file))
