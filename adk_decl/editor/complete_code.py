"""Names of the project's own modules, classes and functions for `python:module:attribute`; nothing is imported."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator

from adk_decl.compiler.code_reference import PREFIX
from adk_decl.editor.manifest import Manifest

_MOST_NAMES = 200
_NOT_OFFERED = frozenset(("__pycache__", "node_modules", "tests", "build", "dist"))


def code_names(manifest: Manifest, word: str, *, wants_class: bool) -> Iterator[tuple[str, str]]:
    """What a reference may go on with after `python:`, each with a word about it.

    Modules while the module is being written, then the classes or functions that it defines.
    """
    written = word.removeprefix(PREFIX) if word.startswith(PREFIX) else ""
    module, colon, _ = written.partition(":")
    if colon:
        yield from _attributes(manifest, module, wants_class=wants_class)
    elif word.startswith(PREFIX) or PREFIX.startswith(word):
        yield from _modules(manifest, module.rpartition(".")[0])


def _attributes(manifest: Manifest, name: str, *, wants_class: bool) -> Iterator[tuple[str, str]]:
    module = manifest.components.module(name)
    for attribute, node in module.bindings.items() if module is not None else ():
        is_class = isinstance(node, ast.ClassDef)
        is_function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        if (is_class if wants_class else is_function) and not attribute.startswith("_"):
            yield f"{name}:{attribute}", "class" if is_class else "function"


def _modules(manifest: Manifest, package: str) -> Iterator[tuple[str, str]]:
    """The modules and packages in one package, or at the top of the folders in which code is looked up."""
    count = 0
    seen: set[str] = set()
    for root in manifest.components.roots():
        folder = os.path.join(root, *package.split(".")) if package else root
        for name, is_package in _listed(folder):
            full = f"{package}.{name}" if package else name
            if full in seen or count >= _MOST_NAMES:
                continue
            seen.add(full)
            count += 1
            yield (full, "package") if is_package else (f"{full}:", "module")


def _listed(folder: str) -> Iterator[tuple[str, bool]]:
    try:
        with os.scandir(folder) as entries:
            found = sorted(entries, key=lambda entry: entry.name)
    except (OSError, ValueError):
        return
    for entry in found:
        stem, ending = os.path.splitext(entry.name)
        if entry.name in _NOT_OFFERED or not stem.isidentifier():
            continue
        if ending == ".py" and stem != "__init__":
            yield stem, False
        elif not ending and os.path.isfile(os.path.join(entry.path, "__init__.py")):
            yield stem, True
