"""Which files are looked at."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from adk_decl.cli.files import FOLDER_ENDINGS, expand

_PLACES = (
    "a.adk.yaml",
    "manifests/b.adk.toml",
    "manifests/c.evalset.json",
    "manifests/deep/d.policytest.yml",
    "manifests/invalid/ADK110-x.yaml",
    "other/e.adk.yml",
    "other/f.evalset.yaml",
    ".hidden/g.adk.yaml",
    "node_modules/h.adk.yaml",
    "env/pyvenv.cfg",
    "env/i.adk.yaml",
    "plain.yaml",
)


@pytest.fixture
def _tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in _PLACES:
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("", encoding="utf-8")
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("_tree")
def test_no_path_is_manifests_and_what_lies_below() -> None:
    assert expand([]) == [
        "manifests/b.adk.toml",
        "manifests/c.evalset.json",
        "manifests/deep/d.policytest.yml",
        "a.adk.yaml",
        "other/e.adk.yml",
    ]


@pytest.mark.usefixtures("_tree")
def test_a_folder_is_its_files_of_every_kind() -> None:
    assert expand(["other"]) == ["other/e.adk.yml", "other/f.evalset.yaml"]


@pytest.mark.usefixtures("_tree")
def test_a_file_is_itself_whatever_its_name() -> None:
    assert expand(["plain.yaml", "missing.yaml"]) == ["plain.yaml", "missing.yaml"]


@pytest.mark.usefixtures("_tree")
def test_each_file_counts_once(tmp_path: Path) -> None:
    assert expand(["a.adk.yaml", "./a.adk.yaml", str(tmp_path / "a.adk.yaml"), "."])[0].endswith("a.adk.yaml")
    assert len(expand(["a.adk.yaml", "./a.adk.yaml", str(tmp_path / "a.adk.yaml")])) == 1


@pytest.mark.usefixtures("_tree")
def test_a_link_that_leads_in_a_circle_ends(tmp_path: Path) -> None:
    (tmp_path / "other" / "loop").symlink_to(tmp_path / "other")
    assert expand(["other"]) == ["other/e.adk.yml", "other/f.evalset.yaml"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everywhere")
@pytest.mark.usefixtures("_tree")
def test_a_folder_that_cannot_be_listed_is_not_passed_over(tmp_path: Path) -> None:
    closed = tmp_path / "other" / "closed"
    closed.mkdir(mode=0o000)
    try:
        assert "other/closed" in expand(["other"])
    finally:
        closed.chmod(0o700)


def test_an_empty_folder_has_nothing(tmp_path: Path) -> None:
    assert expand([str(tmp_path)]) == []


def test_every_ending_has_a_kind_and_a_format() -> None:
    assert [ending for ending in FOLDER_ENDINGS if ending.count(".") != 2] == []
