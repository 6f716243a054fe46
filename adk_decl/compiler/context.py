"""Where a compile happens: the manifest's folder, the project root, and how files are named to people."""

from __future__ import annotations

import os
from collections.abc import Mapping

from adk_decl import disk

ROOT_MARKS = ("pyproject.toml", ".git")
"""A folder that holds one of these is a project root."""

_MAX_LEVELS = 64


class Context:
    """Facts about one compile that every pass may read, and the texts of the files that findings point into.

    `file` is the manifest's absolute path, `folder` its folder, `project_root` the boundary of what the compiler
    may read. `sources` maps shown names to texts. `texts` are contents that stand in place of those on the disk, by
    absolute path: what an editor has not saved yet.
    """

    __slots__ = ("_boundary", "_layers", "cwd", "file", "folder", "project_root", "shown", "sources", "texts")

    def __init__(self, path: str, *, project_root: str | None = None, texts: Mapping[str, bytes] | None = None) -> None:
        self.cwd = _current_folder()
        self.file = os.path.normpath(os.path.join(self.cwd, path))
        self.folder = os.path.dirname(self.file)
        root = find_project_root(self.folder) if project_root is None else os.path.join(self.cwd, project_root)
        self.project_root = os.path.normpath(root)
        self._boundary = os.path.join(disk.real_path(self.project_root), "")
        self.shown = self.shown_name(self.file)
        self.sources: dict[str, str] = {}
        self._layers: dict[str, str] = {}
        self.texts: Mapping[str, bytes] = {} if texts is None else texts

    def shown_name(self, path: str) -> str:
        """The name of a file in findings: relative to the current folder when below it, else absolute."""
        below = os.path.join(self.cwd, "")
        return _posix(path[len(below) :] if path.startswith(below) else path)

    def inside(self, path: str) -> bool:
        """Whether a path lies inside the project root once all symbolic links are followed."""
        try:
            return os.path.join(disk.real_path(path), "").startswith(self._boundary)
        except (OSError, ValueError):
            return False

    def from_root(self, path: str) -> str:
        """A path relative to the project root, with `/`; `.` is the root itself."""
        return _posix(os.path.relpath(path, self.project_root))

    def beside(self, relative: str, layer: str | None = None) -> str:
        """The absolute path of what a file names relative to itself: `layer`, by its shown name, or the manifest."""
        return os.path.normpath(os.path.join(self._folder_of(layer), relative))

    def add_layers(self, layers: tuple[tuple[str, str], ...]) -> None:
        """Say of which files the manifest is made: shown name and absolute path, the one that gives way first."""
        self._layers = dict(layers)

    @property
    def layers(self) -> tuple[str, ...]:
        """Absolute paths of the files that the manifest is made of, the one that gives way first."""
        return tuple(self._layers.values()) or (self.file,)

    @property
    def layer_folders(self) -> tuple[str, ...]:
        """Folders of the layers, the one that wins first."""
        return tuple(dict.fromkeys(os.path.dirname(path) for path in reversed(self.layers)))

    def _folder_of(self, layer: str | None) -> str:
        return self.folder if layer is None else os.path.dirname(self._layers[layer])


def find_project_root(folder: str) -> str:
    """The nearest folder, this one or above, that holds `pyproject.toml` or `.git`; else the folder itself."""
    current = folder
    for _ in range(_MAX_LEVELS):
        if any(disk.exists(os.path.join(current, mark)) for mark in ROOT_MARKS):
            return current
        above = os.path.dirname(current)
        if above == current:
            break
        current = above
    return folder


def _current_folder() -> str:
    try:
        return os.getcwd()
    except OSError:  # the folder was removed under us
        return os.sep


def _posix(path: str) -> str:
    return path.replace(os.sep, "/")
