"""The compile side asks the file system through `adk_decl.disk` alone, so that a record of it is complete."""

from __future__ import annotations

import ast

from tests.architecture.sources import package_files

UNITS = ("compiler", "schema", "syntax", "components", "source_code", "source_types", "signatures")
"""Everything that a compile runs; `data_files` reads only what ships with adk-decl."""

QUESTIONS = frozenset(
    {
        "exists", "getmtime", "getsize", "isdir", "isfile", "islink", "lexists", "listdir", "lstat", "open",
        "read_bytes", "read_text", "readlink", "realpath", "samefile", "scandir", "stat", "walk",
    }
)  # fmt: skip

EXCEPTIONS = {
    "adk_decl/compiler/clean_results.py": "asks again what a compile asked; no compile uses it",
    "adk_decl/components/packages.py": "its answers are noted as a whole",
}


def test_the_compile_side_asks_the_disk_in_one_place() -> None:
    asked = [place for file, place in _questions() if file not in EXCEPTIONS]
    assert asked == []


def test_no_exception_is_stale() -> None:
    assert set(EXCEPTIONS) == {file for file, _ in _questions()}


def _questions() -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for name, path in package_files():
        parts = name.removesuffix(".py").split("/")
        if parts[0] != "adk_decl" or parts[1] not in UNITS:
            continue
        calls = [node for node in ast.walk(ast.parse(path.read_bytes())) if isinstance(node, ast.Call)]
        asked = [call for call in calls if _name(call.func) in QUESTIONS]
        found += [(name, f"{name}:{call.lineno} {ast.unparse(call.func)}") for call in asked]
    return found


def _name(called: ast.expr) -> str:
    """The name of a function of `os` or `os.path`, or of the builtin `open`."""
    if isinstance(called, ast.Attribute):
        return called.attr if ast.unparse(called.value) in ("os", "os.path") or called.attr.startswith("read_") else ""
    return "open" if isinstance(called, ast.Name) and called.id == "open" else ""
