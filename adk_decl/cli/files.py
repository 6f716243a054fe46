"""Which files `validate` and the hook look at. No click here."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence

MANIFEST_ENDINGS = (".adk.yaml", ".adk.yml", ".adk.toml")
FOLDER_ENDINGS = (
    *MANIFEST_ENDINGS,
    ".evalset.yaml",
    ".evalset.yml",
    ".evalset.toml",
    ".evalset.json",
    ".policytest.yaml",
    ".policytest.yml",
    ".policytest.toml",
)
"""File names that a folder argument stands for; the pattern of the pre-commit hook says the same."""

MANIFEST_FOLDER = "manifests"
_NOT_ENTERED = frozenset({"node_modules", "__pycache__", "build", "dist", "site-packages"})


def expand(paths: Sequence[str]) -> list[str]:
    """The files that these arguments stand for, each once, in order; a folder gives its files by name.

    A path that does not exist, or a folder that can't be listed, stays in the list: reading it gives the finding.
    No path stands for `manifests/` and every `*.adk.*` below the current folder.
    """
    if not paths:
        usual = _below(MANIFEST_FOLDER, FOLDER_ENDINGS) if os.path.isdir(MANIFEST_FOLDER) else ()
        return _unique([*usual, *_below(".", MANIFEST_ENDINGS)])
    found: list[str] = []
    for path in paths:
        found += _below(path, FOLDER_ENDINGS) if os.path.isdir(path) else [path]
    return _unique(found)


def _below(folder: str, endings: tuple[str, ...]) -> Iterator[str]:
    closed: list[OSError] = []
    for place, folders, names in os.walk(folder, onerror=closed.append):
        folders[:] = sorted(name for name in folders if _enters(place, name))
        for name in sorted(names):
            if name.endswith(endings):
                yield os.path.normpath(os.path.join(place, name))
    yield from (os.path.normpath(os.fspath(error.filename)) for error in closed)


def _enters(place: str, name: str) -> bool:
    if name.startswith(".") or name in _NOT_ENTERED:
        return False
    return not os.path.exists(os.path.join(place, name, "pyvenv.cfg"))


def _unique(paths: Iterable[str]) -> list[str]:
    return list({os.path.abspath(path): path for path in paths}.values())
