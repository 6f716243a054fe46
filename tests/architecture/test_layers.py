"""Who may import whom. An import inside a function counts like any other."""

from __future__ import annotations

import sys

import pytest

from tests.architecture.sources import Import, imports, package_files

LEAVES = frozenset({"plan", "errors", "wire", "values", "json_schema", "scalars", "secret"})
CODE_READING = frozenset({"signatures", "source_code", "source_types"})
RUN_SIDE = frozenset(
    {"workers", "transport", "plugins", "isolation", "models", "tools", "sessions", "settings", "runtime"}
)
COMPILE_SIDE = frozenset({"diagnostics", "syntax", "schema", "components", "compiler"})

MAY_IMPORT: dict[str, frozenset[str]] = {
    "version": frozenset(),
    "plan": frozenset(),
    "wire": frozenset(),
    "scalars": frozenset(),
    "data_files": frozenset(),
    "regex_safety": frozenset({"plan"}),
    "json_schema": frozenset({"plan", "regex_safety"}),
    "errors": frozenset(),
    "secret": frozenset({"plan"}),
    "loading": frozenset({"errors", "plan", "compiler"}),
    "values": frozenset({"plan", "wire"}),
    "source_types": frozenset({"source_code"}),
    "disk": frozenset(),
    "source_code": frozenset({"disk"}),
    "signatures": frozenset({"source_code", "source_types"}),
    # compile side
    "diagnostics": frozenset({"plan", "data_files"}),
    "syntax": frozenset({"diagnostics", "disk", "plan", "scalars"}),
    "schema": frozenset({"syntax", "diagnostics", "plan", "scalars", "data_files", "json_schema", "regex_safety"}),
    "migration": frozenset({"syntax", "diagnostics", "plan"}),
    "components": frozenset({"plan", "data_files", "disk"}),
    "compiler": COMPILE_SIDE | CODE_READING | {"plan", "scalars", "json_schema", "regex_safety", "data_files", "disk"},
    "lock": COMPILE_SIDE | {"plan", "data_files", "disk", "source_code"},
    "editor": COMPILE_SIDE | CODE_READING | {"plan", "scalars", "data_files"},
    "lsp": COMPILE_SIDE | {"editor", "plan"},
    # run side
    "settings": frozenset({"plan", "errors"}),
    "workers": frozenset({"plan", "wire", "errors"}),
    "transport": frozenset({"plan", "wire", "errors"}),
    "plugins": frozenset({"plan", "wire", "values", "json_schema", "regex_safety", "errors"}),
    "isolation": LEAVES | {"plugins", "workers"},
    "models": LEAVES | {"transport"},
    "tools": LEAVES | CODE_READING | {"workers"},
    "sessions": LEAVES,
    "runtime": LEAVES | RUN_SIDE | CODE_READING,
    "doctor": LEAVES | RUN_SIDE,
    "testing": LEAVES | RUN_SIDE | {"loading"},
    # the command line
    "hook": frozenset({"cli"}),
    "__main__": frozenset({"cli"}),
}
"""For each package or module of adk_decl, the others that it may import. `cli` may import all of them."""

EXCEPTIONS: dict[tuple[str, str], str] = {
    ("adk_decl/errors.py", "diagnostics"): "for types only: ManifestError carries the findings",
    ("adk_decl/plugins/testing.py", "testing"): "lazily: the public name of what plugin authors test with",
    ("adk_decl/errors.py", "runtime"): "for types only: RunError carries the result so far",
}
"""Imports that the table forbids and that are wanted, with the reason."""

FACADE = "adk_decl/__init__.py"
FACADE_IMPORTS = frozenset({"errors", "plan", "version", "loading", "runtime"})


def test_every_package_has_a_row() -> None:
    units = {_unit(name) for name, _ in package_files() if name.startswith("adk_decl/")}
    assert units - {"cli", "__init__"} == set(MAY_IMPORT) & units
    assert set(MAY_IMPORT) <= units


def test_imports_follow_the_layers() -> None:
    assert [_text(found) for found in imports() if not _allowed(found)] == []


def test_what_is_for_types_only_is_not_executed() -> None:
    executed = {(found.file, _target(found.module)) for found in imports() if not found.types_only}
    assert {place for place, reason in EXCEPTIONS.items() if reason.startswith("for types only")} & executed == set()


def test_no_exception_is_stale() -> None:
    used = {(found.file, _target(found.module)) for found in imports()}
    assert set(EXCEPTIONS) <= used


@pytest.mark.parametrize(
    "unit", ["plan", "scalars", "source_code", "source_types", "signatures", "data_files", "disk", "version"]
)
def test_the_shared_ground_uses_the_standard_library_alone(unit: str) -> None:
    outside = [
        _text(found)
        for found in imports()
        if _unit(found.file) == unit and _top(found.module) not in sys.stdlib_module_names | {"adk_decl"}
    ]
    assert outside == []


def test_the_compile_side_is_free_of_asyncio_and_dataclasses() -> None:
    light = COMPILE_SIDE | CODE_READING | {"plan", "scalars", "data_files", "disk", "editor"}
    heavy = {"asyncio", "dataclasses"}
    assert [_text(i) for i in imports() if _unit(i.file) in light and _top(i.module) in heavy] == []


def test_builtin_plugins_use_the_public_protocol_alone() -> None:
    own = [found for found in imports() if found.file.startswith("plugins_builtin/")]
    foreign = [
        _text(found)
        for found in own
        if not found.module.startswith(("adk_decl.plugins.", "plugins_builtin"))
        and _top(found.module) not in sys.stdlib_module_names
    ]
    assert own
    assert foreign == []


def test_nothing_imports_the_builtin_plugins() -> None:
    assert [_text(i) for i in imports() if i.file.startswith("adk_decl/") and _top(i.module) == "plugins_builtin"] == []


def _allowed(found: Import) -> bool:
    target = _target(found.module)
    if target is None or found.file.startswith("plugins_builtin/"):
        return True
    if found.file == FACADE:
        return target in FACADE_IMPORTS
    unit = _unit(found.file)
    if unit == "cli" or unit == target or (found.file, target) in EXCEPTIONS:
        return True
    return target in MAY_IMPORT.get(unit, frozenset()) or target == "version"


def _unit(file: str) -> str:
    return file.split("/")[1].removesuffix(".py")


def _target(module: str) -> str | None:
    parts = module.split(".")
    return parts[1] if parts[0] == "adk_decl" and len(parts) > 1 else None


def _top(module: str) -> str:
    return module.split(".")[0]


def _text(found: Import) -> str:
    return f"{found.file}:{found.line} imports {found.module}"
