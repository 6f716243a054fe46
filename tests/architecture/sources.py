"""Reads the project's own source: files, imports, functions. Run as a program it lists what is larger than wanted."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

CHECKOUT = Path(__file__).resolve().parents[2]
PACKAGES = ("adk_decl", "plugins_builtin")

FILE_LINES_WANTED, FILE_LINES_MOST = 400, 500
FUNCTION_LINES_WANTED, FUNCTION_LINES_MOST = 40, 80


class Import(NamedTuple):
    """One imported module: where it is imported, its full name, and whether it is imported only for types."""

    file: str
    line: int
    module: str
    types_only: bool


class Function(NamedTuple):
    """One function and its length in lines, signature and docstring included."""

    place: str
    lines: int


@cache
def python_files() -> tuple[Path, ...]:
    """All modules of the packages, and of the tests."""
    folders = (*PACKAGES, "tests")
    return tuple(
        sorted(p for folder in folders for p in (CHECKOUT / folder).rglob("*.py") if "fixtures" not in p.parts)
    )


def package_files() -> Iterator[tuple[str, Path]]:
    """Path relative to the checkout and file, for the modules of the packages."""
    for path in python_files():
        name = path.relative_to(CHECKOUT).as_posix()
        if not name.startswith("tests/"):
            yield name, path


def module_name(file: str) -> str:
    """`adk_decl/plan/model.py` as `adk_decl.plan.model`."""
    return file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


@cache
def imports() -> tuple[Import, ...]:
    """Every import of the packages, those inside functions too."""
    found: list[Import] = []
    for name, path in package_files():
        tree = ast.parse(path.read_bytes())
        guarded = {
            id(inner)
            for node in ast.walk(tree)
            if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
            for statement in node.body
            for inner in ast.walk(statement)
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Import | ast.ImportFrom):
                found += [Import(name, node.lineno, module, id(node) in guarded) for module in _modules(node)]
    return tuple(found)


def _modules(node: ast.Import | ast.ImportFrom) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    assert node.level == 0, "imports are absolute"
    return [f"{node.module}.{alias.name}" for alias in node.names]


@cache
def functions() -> tuple[Function, ...]:
    """Every function of packages and tests."""
    return tuple(
        Function(f"{path.relative_to(CHECKOUT).as_posix()}:{node.lineno} {node.name}", _length(node))
        for path in python_files()
        for node in ast.walk(ast.parse(path.read_bytes()))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )


def file_lengths() -> dict[str, int]:
    """Lines of every file of packages and tests."""
    return {p.relative_to(CHECKOUT).as_posix(): p.read_bytes().count(b"\n") for p in python_files()}


def _length(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    assert node.end_lineno is not None
    return node.end_lineno - node.lineno + 1


if __name__ == "__main__":
    for place, lines in sorted(file_lengths().items(), key=lambda item: -item[1]):
        if lines > FILE_LINES_WANTED:
            print(f"{place}: {lines} lines, wanted {FILE_LINES_WANTED}")
    for function in sorted(functions(), key=lambda found: -found.lines):
        if function.lines > FUNCTION_LINES_WANTED:
            print(f"{function.place}: {function.lines} lines, wanted {FUNCTION_LINES_WANTED}")
