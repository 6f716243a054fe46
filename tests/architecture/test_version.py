"""The version stands once; the changelog tells of it."""

from __future__ import annotations

from adk_decl.version import VERSION
from tests.architecture.sources import CHECKOUT


def test_the_changelog_has_this_version() -> None:
    assert f"## {VERSION}" in (CHECKOUT / "CHANGELOG.md").read_text(encoding="utf-8")
