"""Where a name, a code reference or a path leads."""

from __future__ import annotations

import ast
import os
from typing import NamedTuple

from adk_decl.compiler.code_reference import PREFIX
from adk_decl.diagnostics.diagnostic import Span
from adk_decl.editor.manifest import Manifest, find
from adk_decl.editor.names import definition, table_of


class Target(NamedTuple):
    """A place to go to: absolute path, the span there, and the text of that file where it is known already."""

    path: str
    span: Span
    text: str | None = None


def definition_at(manifest: Manifest, line: int, column: int) -> Target | None:
    """What the value at a line and column from 1 leads to; None when it leads nowhere or there is no tree now."""
    found = find(manifest.root, line, column) if manifest.is_exact and manifest.root is not None else None
    if found is None or found.is_key or not isinstance(found.node.value, str):
        return None
    value, where = found.node.value, manifest.where(found.path)
    if value.startswith(PREFIX):
        return _code(manifest, value)
    if where is None:
        return None
    table = table_of(where)
    defined = definition(manifest, table, value) if table is not None else None
    if defined is not None:
        span = defined.key.span(manifest.context.shown)
        return Target(manifest.shown_file(span.file), span, manifest.layer_text(span.file))
    return _file(manifest, value) if "x-path" in where.schema else None


def _code(manifest: Manifest, reference: str) -> Target | None:
    target = manifest.components.target(reference)
    if target is None:
        return None
    module, node = target.found
    if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        place = module.name_place(node)
    else:
        place = module.place(node) if isinstance(node, ast.AST) else (1, 1, 1, 1)
    line, column, end_line, end_column = place
    span = Span(file=module.file.path, line=line, column=column, end_line=end_line, end_column=end_column)
    return Target(module.file.path, span, module.text)


def _file(manifest: Manifest, relative: str) -> Target | None:
    path = manifest.absolute(relative)
    if not os.path.isfile(path):
        return None
    return Target(path, Span(file=path, line=1, column=1, end_line=1, end_column=1), "")
