"""Where a compile happens, and how files are named."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from adk_decl.compiler.context import Context, find_project_root
from adk_decl.compiler.paths import data_path
from adk_decl.syntax.document import Node


def test_the_project_root_is_the_nearest_marked_folder(tmp_path: Path) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    (tmp_path / "pyproject.toml").touch()
    assert find_project_root(str(inner)) == str(tmp_path)
    (tmp_path / "a" / ".git").mkdir()
    assert find_project_root(str(inner)) == str(tmp_path / "a")
    context = Context(str(inner / "m.yaml"))
    assert context.project_root == str(tmp_path / "a")
    assert Context(str(inner / "m.yaml"), project_root=str(inner)).project_root == str(inner)


def test_without_a_mark_the_folder_is_the_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("adk_decl.compiler.context.ROOT_MARKS", ("no-such-mark",))
    assert find_project_root(str(tmp_path)) == str(tmp_path)


def test_files_are_shown_as_seen_from_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "in").mkdir()
    monkeypatch.chdir(tmp_path / "in")
    context = Context("m.yaml")
    assert context.shown == "m.yaml"
    assert context.shown_name(str(tmp_path / "in" / "x" / "y.py")) == "x/y.py"
    assert context.shown_name(str(tmp_path / "other.py")) == str(tmp_path / "other.py")
    assert context.shown_name(str(tmp_path / "input.py")) == str(tmp_path / "input.py")


def test_links_do_not_lead_out(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (tmp_path / "secret").touch()
    (root / "link").symlink_to(tmp_path / "secret")
    (root / "loop").symlink_to(root / "loop")
    (root / "fine").touch()
    context = Context(str(root / "m.yaml"), project_root=str(root))
    assert context.inside(str(root / "fine"))
    assert context.inside(str(root / "not" / "there"))
    assert context.inside(str(root))
    assert not context.inside(str(root / "link"))
    assert not context.inside(str(root / ".." / "secret"))
    assert not context.inside(str(tmp_path / "rootless"))
    assert not context.inside("a\0b")


def test_paths_of_data(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    context = Context(str(tmp_path / "sub" / "m.yaml"), project_root=str(tmp_path))
    node = Node("scalar", 1, 1, 1, 1)
    assert data_path(context, "var/s.db", node) == "sub/var/s.db"
    assert data_path(context, "../s.db", node) == "s.db"
    assert data_path(context, "/var/s.db", node) == "/var/s.db"
    assert data_path(context, "package:models/x.gguf", node) == "package:models/x.gguf"


def test_a_path_is_relative_to_the_layer_that_states_it(tmp_path: Path) -> None:
    context = Context(str(tmp_path / "sub" / "m.yaml"), project_root=str(tmp_path))
    context.add_layers((("other/base.yaml", str(tmp_path / "other" / "base.yaml")), (context.shown, context.file)))
    node = Node("scalar", 1, 1, 1, 1)
    node.file = "other/base.yaml"
    assert data_path(context, "s.db", node) == "other/s.db"
    assert context.layer_folders == (str(tmp_path / "sub"), str(tmp_path / "other"))


def test_a_current_folder_that_is_gone(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    before = os.getcwd()
    os.chdir(gone)
    try:
        gone.rmdir()
        assert Context(str(tmp_path / "m.yaml")).file == str(tmp_path / "m.yaml")
    finally:
        os.chdir(before)
