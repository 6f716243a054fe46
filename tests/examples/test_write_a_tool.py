"""The files that `docs/write-a-tool.md` shows do what the page says."""

from __future__ import annotations

import re
from pathlib import Path

import adk_decl

PAGE = Path(__file__).parents[2] / "docs" / "write-a-tool.md"
_BLOCK = re.compile(r"```(?:python|yaml)\n# (\S+)\n(.*?)```", re.DOTALL)


async def test_the_tool_of_the_page_runs(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").touch()
    for name, text in _BLOCK.findall(PAGE.read_text(encoding="utf-8")):
        (tmp_path / name).write_text(text, encoding="utf-8")
    plan = adk_decl.load(str(tmp_path / "shop.adk.yaml"))
    assert [name for name, tool in plan.tools.items() if tool.isolation == "worker"] == ["ship"]
    async with adk_decl.Runner(plan) as runner:
        result = await runner.run("Send it").wait()
    assert result.text == "By post to Main St 1, Lisbon."
