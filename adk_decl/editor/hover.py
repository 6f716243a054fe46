"""What an editor shows about the word under the cursor."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import NamedTuple

from adk_decl.compiler.code_reference import PREFIX
from adk_decl.diagnostics.diagnostic import Diagnostic, Span
from adk_decl.diagnostics.pages import page
from adk_decl.editor.manifest import Found, Manifest, Where, find
from adk_decl.editor.names import definition, definition_words, table_of
from adk_decl.editor.place import place_at
from adk_decl.editor.words import component_words, field_words
from adk_decl.syntax.document import Path


class Hover(NamedTuple):
    """Markdown, and the word that it is about when its place is known."""

    text: str
    span: Span | None


def hover(manifest: Manifest, line: int, column: int, findings: Iterable[Diagnostic] = ()) -> Hover | None:
    """What is known at a line and column from 1: the finding there with its page, else the key or value."""
    here = [found for found in findings if contains(found.span, line, column)]
    if here:
        return Hover(finding_words(here[0]), here[0].span)
    found = find(manifest.root, line, column) if manifest.is_exact and manifest.root is not None else None
    if found is not None:
        text = _key_words(manifest, found.path) if found.is_key else _value_words(manifest, found)
        return Hover(text, found.node.span(manifest.context.shown)) if text else None
    return None if manifest.is_exact else _by_place(manifest, line, column)


def contains(span: Span, line: int, column: int) -> bool:
    """Whether a place lies in a span, its end included."""
    return (span.line, span.column) <= (line, column) <= (span.end_line, span.end_column)


def finding_words(found: Diagnostic) -> str:
    """A finding and the page of its code."""
    head = f"**{found.code}**: {found.message}"
    try:
        return f"{head}\n\n---\n\n{page(found.code)}"
    except (KeyError, FileNotFoundError):
        return head


def _by_place(manifest: Manifest, line: int, column: int) -> Hover | None:
    """The key under the cursor of a text that can't be parsed now."""
    place = place_at(manifest.text, manifest.format, line, column)
    if place is None or place.role not in ("key", "either", "value"):
        return None
    row = manifest.text.split("\n")[line - 1]
    path = place.path if place.role == "value" else (*place.path, row[place.start : place.end].strip("\"' "))
    text = _key_words(manifest, path)
    return Hover(text, None) if text else None


def _key_words(manifest: Manifest, path: Path) -> str | None:
    where = manifest.where(path)
    if where is None or not path:
        return None
    return field_words(str(path[-1]), where.schema)


def _value_words(manifest: Manifest, found: Found) -> str | None:
    where, value = manifest.where(found.path), found.node.value
    if where is None or not isinstance(value, str):
        return _of_field(found, where)
    if value.startswith(PREFIX):
        return _code_words(manifest, value) or _of_field(found, where)
    if "x-component" in where.schema:
        owner = manifest.where(found.path[:-1])
        use = manifest.use(owner, found.path[:-1]) if owner is not None else None
        component = manifest.components.named(use) if use is not None else None
        if component is not None:
            return component_words(component)
    table = table_of(where)
    defined = definition(manifest, table, value) if table is not None else None
    return definition_words(defined) if defined is not None else _of_field(found, where)


def _of_field(found: Found, where: Where | None) -> str | None:
    named = [step for step in found.path if isinstance(step, str)]
    return field_words(named[-1], where.schema) if where is not None and named else None


def _code_words(manifest: Manifest, reference: str) -> str | None:
    target = manifest.components.target(reference)
    if target is None:
        return None
    node = target.found.node
    if not isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        return None
    what = "class" if isinstance(node, ast.ClassDef) else "function"
    first = (ast.get_docstring(node) or "").partition("\n\n")[0]
    return f"{what} **`{node.name}`** in `{target.code.file}`" + (f"\n\n{first}" if first else "")
