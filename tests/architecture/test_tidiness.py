"""Nothing of the machine or of unfinished work stands in the repository."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest

from tests.architecture.sources import CHECKOUT

_LEFTOVERS = re.compile(
    r"\b(TO" r"DO|FIX" r"ME|XX" r"X)\b|(?<![\w.])/(root|wo" r"rk|ho" r"me/[a-z])(/|\b)|C:\\Us" r"ers"
)
_TEXT_ENDINGS = (".py", ".md", ".toml", ".yaml", ".yml", ".json", ".txt", "")


def test_no_leftovers() -> None:
    found = [
        f"{name}:{number}: {match.group(0)}"
        for name in _tracked()
        if name.endswith(_TEXT_ENDINGS) and not name.startswith(("tests/fixtures/hostile", "LICENSE"))
        for number, line in enumerate((CHECKOUT / name).read_text("utf-8", errors="replace").splitlines(), 1)
        for match in _LEFTOVERS.finditer(line)
    ]
    assert found == []


def test_the_top_level_holds_what_belongs_there() -> None:
    allowed = {
        ".ci",
        ".gitignore",
        ".pre-commit-hooks.yaml",
        "CHANGELOG.md",
        "LICENSE",
        "README.md",
        "adk_decl",
        "docs",
        "manifests",
        "plugins_builtin",
        "pyproject.toml",
        "schemas",
        "tests",
    }
    assert {name.split("/")[0] for name in _tracked()} - allowed == set()


def _tracked() -> list[str]:
    git = shutil.which("git")
    if git is None or not (CHECKOUT / ".git").exists():
        pytest.skip("not a git checkout")
    ended = subprocess.run([git, "ls-files"], capture_output=True, text=True, cwd=CHECKOUT, timeout=30, check=True)
    return [name for name in ended.stdout.splitlines() if (CHECKOUT / name).is_file()]
