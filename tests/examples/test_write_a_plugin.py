"""The files that `docs/write-a-plugin.md` shows do what the page says."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import adk_decl

PAGE = Path(__file__).parents[2] / "docs" / "write-a-plugin.md"
_BLOCK = re.compile(r"```(?:python|yaml)\n# (\S+)\n(.*?)```", re.DOTALL)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The project of the page."""
    (tmp_path / "pyproject.toml").touch()
    for name, text in _BLOCK.findall(PAGE.read_text(encoding="utf-8")):
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def test_the_page_shows_all_files(folder: Path) -> None:
    assert {path.name for path in folder.iterdir()} == {
        "desk.adk.yaml",
        "policy.py",
        "pyproject.toml",
        "test_policy.py",
        "tools.py",
    }


def test_the_tests_of_the_page_pass(folder: Path) -> None:
    code = "import test_policy; test_policy.test_refuses_a_large_refund(); test_policy.test_the_model_is_told()"
    subprocess.run([sys.executable, "-c", code], cwd=folder, check=True)


async def test_the_plugin_refuses_the_refund(folder: Path) -> None:
    plan = adk_decl.load(str(folder / "desk.adk.yaml"))
    async with adk_decl.Runner(plan) as runner:
        result = await runner.run("Refund order 1042").wait()
    assert result.text == "That needs a person: refund_too_large."
    outcomes = [entry.outcome for record in result.traces if record.phase == "before_tool" for entry in record.entries]
    assert outcomes == ["returned"]
