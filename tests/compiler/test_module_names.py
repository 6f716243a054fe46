from __future__ import annotations

from pathlib import Path

import pytest

from adk_decl.compiler.module_names import nearest_module


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("shop.tolos", "shop.tools"),
        ("shpo.tools", "shop.tools"),
        ("shpo.tolos", "shop.tools"),
        ("tolos", "tools"),
        ("shop.nothing_like_it", None),
        ("elsewhere.tools", None),
        ("tools.inner", None),
    ],
)
def test_nearest_module(tmp_path: Path, name: str, near: str | None) -> None:
    for file in ("shop/__init__.py", "shop/tools.py", "shop/texts.txt", "shop/not-a-name.py", "tools.py"):
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).touch()
    assert nearest_module(name, [str(tmp_path), str(tmp_path / "none")]) == near
