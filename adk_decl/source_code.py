"""Project code as text: where a module lies, what it defines, where a name comes from. Nothing is imported or run.

Used by the compiler and, when a runner is built, by the host. Standard library only.
"""

from __future__ import annotations

import ast
import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Literal, NamedTuple

from adk_decl import disk

MAX_SOURCE_BYTES = 1024 * 1024
"""Larger modules are refused; the row `read.source_bytes` of the limits repeats it, and a test compares both."""

_KEPT_BYTES = 2 * 1024 * 1024
"""Source text of the modules that stay parsed."""

_MAX_HOPS = 16
_MAX_DEPTH = 16


class SourceFile(NamedTuple):
    """The bytes of a module, with its file and the folder that has to be importable to find it."""

    data: bytes
    path: str = ""
    root: str = ""
    is_package: bool = False


class Import(NamedTuple):
    """A name bound by an import: a module, or an attribute of one."""

    module: str
    attribute: str | None


Function = ast.FunctionDef | ast.AsyncFunctionDef
Binding = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.expr | Import
Reader = Callable[[str], SourceFile | None]


class SourceProblem(Exception):
    """A module that can't be read or parsed. `line` and `column` count from 1, code points; 1 when unknown."""

    def __init__(
        self,
        reason: Literal["unreadable", "too_large", "syntax", "too_deep", "outside"],
        file: SourceFile,
        *,
        line: int = 1,
        column: int = 1,
    ) -> None:
        self.reason = reason
        self.file = file
        self.line = line
        self.column = column
        super().__init__(reason)


class Module:
    """One parsed module: its file, its text by lines and what its top level binds."""

    __slots__ = ("bindings", "file", "lines", "name", "text")

    def __init__(self, name: str, file: SourceFile, tree: ast.Module) -> None:
        self.name = name
        self.file = file
        self.text = source_text(file.data)
        self.lines = self.text.split("\n")
        self.bindings: dict[str, Binding] = {}
        for statement in flat(tree.body):
            self._bind(statement)

    @property
    def package(self) -> str:
        """The package that relative imports of this module begin at."""
        return self.name if self.file.is_package else self.name.rpartition(".")[0]

    def place(self, node: ast.AST) -> tuple[int, int, int, int]:
        """Line, column, end line and end column (exclusive) of a node, from 1, in code points."""
        line, end_line = getattr(node, "lineno", 1), getattr(node, "end_lineno", None) or 1
        column = self._column(line, getattr(node, "col_offset", 0))
        return line, column, end_line, self._column(end_line, getattr(node, "end_col_offset", None) or 0)

    def name_place(self, node: Function | ast.ClassDef) -> tuple[int, int, int, int]:
        """The place of the name in `def name` or `class name`."""
        line, column, _, _ = self.place(node)
        text = self.lines[line - 1] if line <= len(self.lines) else ""
        start = text.find(node.name, column - 1 + len("def"))
        if start < 0:
            return line, column, line, column + 1
        return line, start + 1, line, start + 1 + len(node.name)

    def _column(self, line: int, offset: int) -> int:
        text = self.lines[line - 1] if 0 < line <= len(self.lines) else ""
        return len(text.encode("utf-8", "replace")[:offset].decode("utf-8", "ignore")) + 1

    def _bind(self, statement: ast.stmt) -> None:
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            self.bindings[statement.name] = statement
        elif isinstance(statement, ast.Import):
            for alias in statement.names:
                top = alias.name.partition(".")[0]
                self.bindings[alias.asname or top] = Import(alias.name if alias.asname else top, None)
        elif isinstance(statement, ast.ImportFrom):
            origin = self._absolute(statement)
            for alias in statement.names:
                self.bindings[alias.asname or alias.name] = Import(origin, alias.name)
        else:
            for name, value in assigned(statement):
                self.bindings[name] = value

    def _absolute(self, statement: ast.ImportFrom) -> str:
        if not statement.level:
            return statement.module or ""
        parts = self.package.split(".") if self.package else []
        parts = parts[: len(parts) - (statement.level - 1)]
        return ".".join([*parts, statement.module] if statement.module else parts)


class Definition(NamedTuple):
    """What a name stands for: the module that binds it and what it is bound to there."""

    module: Module
    node: Binding


class CodeBase:
    """The modules of a project, read through one reader, each parsed once."""

    def __init__(self, read: Reader) -> None:
        self._read = read
        self._modules: dict[str, Module | SourceProblem | None] = {}

    def module(self, name: str) -> Module | None:
        """A module of the project, or None when there is none. Raises `SourceProblem`."""
        if name not in self._modules:
            try:
                self._modules[name] = self._load(name)
            except SourceProblem as problem:
                self._modules[name] = problem
        found = self._modules[name]
        if isinstance(found, SourceProblem):
            raise found
        return found

    def definition(self, module: Module, name: str) -> Definition | None:
        """Follows imports inside the project until a name is defined; an import that leads outside ends there."""
        found: Definition | None = None
        for _ in range(_MAX_HOPS):
            node = module.bindings.get(name)
            if node is None:
                return found
            found = Definition(module, node)
            if not isinstance(node, Import) or node.attribute is None:
                return found
            following = self.module(node.module)
            if following is None:
                return found
            module, name = following, node.attribute
        return found

    def qualified(self, module: Module, node: ast.expr) -> str | None:
        """The dotted name that an expression such as `t.Optional` stands for, through imports and re-exports.

        A name that the module does not bind is a builtin. None for anything that is not a dotted name.
        """
        names: list[str] = []
        while isinstance(node, ast.Attribute):
            names.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return None
        found = self.definition(module, node.id)
        if found is None:
            base = f"builtins.{node.id}"
        elif isinstance(found.node, Import):
            base = ".".join(part for part in (found.node.module, found.node.attribute) if part)
        else:
            base = f"{found.module.name}.{node.id}"
        return ".".join([base, *reversed(names)])

    def locate(self, module: Module, node: ast.expr) -> Definition | None:
        """The definition inside the project that a dotted name leads to, or None."""
        if isinstance(node, ast.Name):
            found = self.definition(module, node.id)
            return found if found is None or not isinstance(found.node, Import) else None
        dotted = self.qualified(module, node)
        if dotted is None or "." not in dotted:
            return None
        owner, _, name = dotted.rpartition(".")
        following = self.module(owner)
        return self.definition(following, name) if following is not None else None

    def _load(self, name: str) -> Module | None:
        file = self._read(name)
        return None if file is None else _parsed(name, file)


_kept: dict[tuple[str, SourceFile], Module] = {}


def parse(file: SourceFile) -> ast.Module:
    """The syntax tree of a module. Raises `SourceProblem`, whatever the bytes are."""
    if len(file.data) > MAX_SOURCE_BYTES:
        raise SourceProblem("too_large", file)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(file.data)
    except SyntaxError as error:
        raise SourceProblem("syntax", file, line=error.lineno or 1, column=error.offset or 1) from None
    except ValueError:
        raise SourceProblem("syntax", file) from None
    except (RecursionError, MemoryError):
        raise SourceProblem("too_deep", file) from None


def _parsed(name: str, file: SourceFile) -> Module:
    """The module, parsed once for each content: many manifests of a project name the same code. Raises as `parse`."""
    key = (name, file)
    module = _kept.get(key)
    if module is None:
        module = Module(name, file, parse(file))
        if sum(len(kept.data) for _, kept in _kept) + len(file.data) > _KEPT_BYTES:
            _kept.clear()
        _kept[key] = module
    return module


def source_text(data: bytes) -> str:
    """The text of a module for snippets, with `\\n` as the only line end; bytes that are not UTF-8 are replaced."""
    return data.decode("utf-8-sig", "replace").replace("\r\n", "\n").replace("\r", "\n")


def flat(statements: Sequence[ast.stmt], depth: int = 0) -> Iterator[ast.stmt]:
    """Statements of a body and of its `if`, `try` and `with` blocks, in order."""
    for statement in statements:
        yield statement
        if depth < _MAX_DEPTH and isinstance(statement, ast.If | ast.Try | ast.With):
            for block in ("body", "handlers", "orelse", "finalbody"):
                for inner in getattr(statement, block, ()):
                    yield from flat(inner.body if isinstance(inner, ast.ExceptHandler) else [inner], depth + 1)


def assigned(statement: ast.stmt) -> Iterator[tuple[str, ast.expr]]:
    """Plain names that a statement assigns, with what it assigns; type aliases too."""
    if isinstance(statement, ast.Assign):
        for target in statement.targets:
            if isinstance(target, ast.Name):
                yield target.id, statement.value
    elif isinstance(statement, ast.AnnAssign):
        if isinstance(statement.target, ast.Name) and statement.value is not None:
            yield statement.target.id, statement.value
    elif type(statement).__name__ == "TypeAlias":  # Python 3.12 and later
        yield statement.name.id, statement.value  # type: ignore[attr-defined]


def find_module(name: str, roots: Sequence[str]) -> tuple[str, str, bool] | None:
    """File, root and whether it is a package, of the module that an import from `roots` would find.

    A root in which the first part of the name is a module or a regular package hides the others, as in Python.
    """
    parts = name.split(".")
    owners = [root for root in roots if _owns(root, parts[0])][:1]
    for root in owners or roots:
        base = os.path.join(root, *parts)
        for path, is_package in ((os.path.join(base, "__init__.py"), True), (base + ".py", False)):
            if disk.is_file(path):
                return path, root, is_package
    return None


def folder_reader(roots: Sequence[str], *, inside: str | None = None) -> Reader:
    """A reader of the modules below `roots`. With `inside`, a file that lies elsewhere is a `SourceProblem`."""
    boundary = None if inside is None else os.path.join(disk.real_path(inside), "")

    def read(name: str) -> SourceFile | None:
        found = find_module(name, roots)
        if found is None:
            return None
        path, root, is_package = found
        file = SourceFile(b"", path, root, is_package)
        if boundary is not None and not disk.real_path(path).startswith(boundary):
            raise SourceProblem("outside", file)
        return file._replace(data=_bounded_bytes(file))

    return read


def _bounded_bytes(file: SourceFile) -> bytes:
    try:
        return disk.read_file_bytes(file.path, MAX_SOURCE_BYTES)
    except OSError:
        raise SourceProblem("unreadable", file) from None


def _owns(root: str, top: str) -> bool:
    base = os.path.join(root, top)
    return disk.is_file(os.path.join(base, "__init__.py")) or disk.is_file(base + ".py")
