"""Tests stand where the code stands: `tests/<package>/test_<module>[_<aspect>].py`."""

from __future__ import annotations

from pathlib import Path

from tests.architecture.sources import CHECKOUT

OTHER_FOLDERS = frozenset(
    {
        "architecture",
        "benchmarks",
        "conformance",
        "end_to_end",
        "examples",
        "fixtures",
        "packaging",
        "quality",
        "snapshots",
    }
)
"""Folders of `tests/` that test no single package."""

ACROSS_MODULES = frozenset(
    {
        "diagnostics/test_renderers.py",
        "plugins_builtin/test_guards_in_runs.py",
        "syntax/test_invalid_corpus.py",
        "syntax/test_properties.py",
        "syntax/test_traps.py",
    }
)
"""Tests of what several modules of one package do together."""


def test_every_package_has_tests() -> None:
    assert [p.as_posix() for p in _packages() if not any(_tests_of(p).glob("test_*.py"))] == []


def test_every_folder_of_tests_has_a_package() -> None:
    folders = {path.name for path in (CHECKOUT / "tests").iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert folders - {package.name for package in _packages()} - OTHER_FOLDERS == set()


def test_every_test_file_names_a_module() -> None:
    stray = {
        test.relative_to(CHECKOUT / "tests").as_posix()
        for package in _packages()
        for test in _tests_of(package).glob("test_*.py")
        if not _names_a_module(test.stem.removeprefix("test_"), package)
    }
    assert stray == ACROSS_MODULES


def _packages() -> list[Path]:
    inner = [p.parent for p in (CHECKOUT / "adk_decl").glob("*/__init__.py") if len(list(p.parent.glob("*.py"))) > 1]
    return sorted([*inner, CHECKOUT / "plugins_builtin"])


def _tests_of(package: Path) -> Path:
    return CHECKOUT / "tests" / package.name


def _names_a_module(name: str, package: Path) -> bool:
    modules = {path.stem for path in [*package.glob("*.py"), *package.glob("*.json")]} | {package.name}
    words = name.split("_")
    return any("_".join(words[:end]) in modules for end in range(1, len(words) + 1))
