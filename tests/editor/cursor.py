"""Texts with a mark where the cursor is."""

from __future__ import annotations

from pathlib import Path

from adk_decl.editor.manifest import Manifest

MARK = "‸"


def cut(text: str) -> tuple[str, int, int]:
    """The text without its mark, and the line and column from 1 where the mark was."""
    before, mark, after = text.partition(MARK)
    assert mark, "a text needs a mark"
    return before + after, before.count("\n") + 1, len(before) - before.rfind("\n")


def manifest_at(folder: Path, text: str, *, ending: str = "yaml") -> tuple[Manifest, int, int]:
    """A manifest in a folder as an editor holds it, and where its cursor is."""
    plain, line, column = cut(text)
    return Manifest(str(folder / f"m.adk.{ending}"), plain, line=line), line, column
