"""The code of installed packages, by digest, without importing it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from adk_decl.lock.package_code import UNKNOWN, package_digest, version_of
from adk_decl.version import VERSION


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package that fails when it is imported."""
    folder = tmp_path / "acme_lock_test"
    (folder / "deep").mkdir(parents=True)
    (folder / "__init__.py").write_text("raise SystemExit\n", encoding="utf-8")
    (folder / "deep" / "part.py").write_text("x = 1\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    return folder


def test_every_module_counts_and_none_is_imported(package: Path) -> None:
    before = package_digest(package.name)
    assert package.name not in sys.modules
    (package / "deep" / "part.py").write_text("x = 2\n", encoding="utf-8")
    assert package_digest(package.name) != before


def test_what_is_made_from_the_modules_does_not_count(package: Path) -> None:
    before = package_digest(package.name)
    (package / "__pycache__").mkdir()
    (package / "__pycache__" / "part.py").write_text("", encoding="utf-8")
    (package / "native.cpython-311-x86_64-linux-gnu.so").write_bytes(b"\0")
    assert package_digest(package.name) == before


def test_a_module_that_cannot_be_read_counts_as_such(package: Path) -> None:
    before = package_digest(package.name)
    (package / "gone.py").symlink_to(package / "nowhere.py")
    assert package_digest(package.name) != before


def test_versions() -> None:
    assert version_of("adk-decl") == VERSION
    assert version_of("pytest") == pytest.__version__
    assert version_of("no-such-distribution-at-all") == UNKNOWN
