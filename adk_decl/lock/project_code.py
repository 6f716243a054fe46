"""Which files of the project run when a reference is followed: its module and what that imports, read as text.

Imports are followed wherever they stand, in functions too. What a program imports by a name that it makes up at run
time is not found, nor is data that it reads.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from adk_decl.plan.canonical import digest
from adk_decl.source_code import SourceFile, SourceProblem, folder_reader, parse


class ProjectCode:
    """The modules of a project, each read and hashed once."""

    def __init__(self, roots: Sequence[str], *, inside: str) -> None:
        self._read = folder_reader(roots, inside=inside)
        self._modules: dict[str, SourceFile | None] = {}
        self._imports: dict[str, tuple[str, ...]] = {}

    def digests(self, module: str) -> Mapping[str, str]:
        """Absolute path and digest of every file that importing a module runs, as far as the project holds it."""
        found: dict[str, str] = {}
        pending, seen = [module], set()
        while pending:
            name = pending.pop()
            if name in seen:
                continue
            seen.add(name)
            file = self._module(name)
            if file is not None:
                found[file.path] = digest(file.data)
                pending += self._imported(name, file)
            parent = name.rpartition(".")[0]
            pending += [parent] if parent else []
        return found

    def _module(self, name: str) -> SourceFile | None:
        if name not in self._modules:
            try:
                self._modules[name] = self._read(name)
            except SourceProblem:  # outside the project, or not readable: the compiler has told
                self._modules[name] = None
        return self._modules[name]

    def _imported(self, name: str, file: SourceFile) -> tuple[str, ...]:
        if name not in self._imports:
            package = name if file.is_package else name.rpartition(".")[0]
            try:
                tree = parse(file)
            except SourceProblem:
                self._imports[name] = ()
            else:
                self._imports[name] = tuple(dict.fromkeys(_imports(tree, package)))
        return self._imports[name]


def _imports(tree: ast.Module, package: str) -> Iterator[str]:
    """Every module that the text imports; a name imported from a package may be a module too."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = _base(node, package)
            if base:
                yield base
                yield from (f"{base}.{alias.name}" for alias in node.names)


def _base(node: ast.ImportFrom, package: str) -> str:
    if not node.level:
        return node.module or ""
    parts = package.split(".") if package else []
    parts = parts[: len(parts) - (node.level - 1)]
    return ".".join([*parts, *([node.module] if node.module else [])])
