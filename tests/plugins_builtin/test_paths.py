"""Scenario 139: what counts as a path under a folder."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plugins_builtin.paths import LONGEST_PATH, path_problem


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder `data` with a file, links of every kind, and a sibling whose name begins alike."""
    base = Path(os.path.realpath(tmp_path))
    data = base / "data"
    (data / "inner").mkdir(parents=True)
    (data / "file.txt").write_text("x")
    (base / "database").mkdir()
    (base / "database" / "secret").write_text("x")
    (data / "good").symlink_to(data / "inner")
    (data / "escaping").symlink_to(base / "database")
    (data / "dangling").symlink_to(base / "nowhere")
    (data / "loop").symlink_to(data / "loop")
    (data / "relative").symlink_to("../database")
    (base / "way").symlink_to(data)
    return data


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ("{data}", None),
        ("{data}/", None),
        ("{data}/file.txt", None),
        ("{data}/./inner//new/deep.txt", None),
        ("/{data}/file.txt", None),
        ("{data}/good/new.txt", None),
        ("{data}/new/.../x", None),
        ("{base}/way/file.txt", None),
        ("{data}/../database/secret", "path_goes_up"),
        ("{data}/inner/../file.txt", "path_goes_up"),
        ("{data}/..", "path_goes_up"),
        ("data/file.txt", "path_not_absolute"),
        ("./file.txt", "path_not_absolute"),
        ("~/file.txt", "path_not_absolute"),
        ("", "path_not_absolute"),
        ("file://{data}/file.txt", "path_not_absolute"),
        ("{data}/a\0b", "path_not_absolute"),
        ("{base}/database/secret", "path_outside"),
        ("{base}", "path_outside"),
        ("/", "path_outside"),
        ("{data}/escaping/secret", "path_outside"),
        ("{data}/escaping/new", "path_outside"),
        ("{data}/relative/secret", "path_outside"),
        ("{data}/dangling", "path_not_resolved"),
        ("{data}/dangling/x", "path_not_resolved"),
        ("{data}/loop/x", "path_not_resolved"),
        ("{data}/file.txt/x", "path_not_resolved"),
        ("{data}/" + "n" * 300, "path_not_resolved"),
        ("{data}/" + "n/" * LONGEST_PATH, "path_not_absolute"),
        (["{data}/file.txt"], "path_not_text"),
        ({"path": "x"}, "path_not_text"),
        (7, "path_not_text"),
        (None, "path_not_text"),
        (True, "path_not_text"),
    ],
)
def test_paths(root: Path, given: object, problem: str | None) -> None:
    if isinstance(given, str):
        given = given.replace("{data}", str(root)).replace("{base}", str(root.parent))
    assert path_problem(given, [str(root)]) == problem


def test_a_root_may_be_a_link_or_a_file_or_everything(root: Path) -> None:
    file = str(root / "file.txt")
    assert path_problem(file, [str(root.parent / "way")]) is None
    assert path_problem(file, [file]) is None
    assert path_problem(file, ["/"]) is None


def test_one_root_of_several_is_enough_but_each_has_to_be_there(root: Path) -> None:
    file = str(root / "file.txt")
    assert path_problem(file, [str(root.parent / "database"), str(root)]) is None
    assert path_problem(file, [str(root), str(root.parent / "missing")]) == "root_not_resolved"
    assert path_problem(file, [str(root / "dangling")]) == "root_not_resolved"
    assert path_problem(file, []) == "path_outside"


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A root with links that lead in, out, up and in circles."""
    base = Path(os.path.realpath(tmp_path_factory.mktemp("world")))
    (base / "root" / "a" / "b").mkdir(parents=True)
    (base / "out").mkdir()
    (base / "root" / "in").symlink_to("a/b")
    (base / "root" / "up").symlink_to("..")
    (base / "root" / "a" / "off").symlink_to(base / "out")
    (base / "out" / "back").symlink_to(base / "root")
    (base / "root" / "round").symlink_to("round")
    return base


@given(st.lists(st.sampled_from(["a", "b", "in", "up", "off", "back", "round", "root", "out", "new", ".", "..", ""])))
def test_what_passes_lies_under_the_root(world: Path, parts: list[str]) -> None:
    root = world / "root"
    path = "/".join([str(root), *parts])
    if path_problem(path, [str(root)]) is None:
        real = Path(os.path.realpath(path))
        assert real == root or root in real.parents
        assert ".." not in parts
