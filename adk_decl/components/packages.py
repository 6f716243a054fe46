"""Which packages are installed, as two questions that can be asked again: see `adk_decl.disk`.

`importlib.metadata` and `find_spec` look at far more of the disk than can be listed, so their answers are summed up.
"""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec

from adk_decl import disk

_METADATA = (".dist-info", ".egg-info", ".egg", ".egg-link")
_ENTRY_POINTS = "entry_points.txt"
_LARGEST_BYTES = 1024 * 1024


def offers() -> str:
    """A digest of every `entry_points.txt` that is on `sys.path`, with the name of its package's metadata."""
    facts: list[str] = []
    for entry in dict.fromkeys(sys.path):
        facts.append(entry)
        try:
            names = sorted(name for name in os.listdir(entry or os.curdir) if name.endswith(_METADATA))
        except OSError:
            facts.append(_stamp(entry))
            continue
        for name in names:
            facts += (name, _content(os.path.join(entry, name, _ENTRY_POINTS)))
    return disk.digest("\0".join(facts).encode("utf-8", "surrogateescape"))


def package_folders(package: str) -> list[str]:
    """The folders of a top package. `find_spec` of a name without dots imports nothing."""
    try:
        spec = find_spec(package)
    except (ImportError, ValueError):
        return []
    return list(spec.submodule_search_locations or ()) if spec is not None else []


def folders_answer(package: str) -> str:
    """The folders of a top package as one answer."""
    return disk.digest("\0".join(package_folders(package)).encode("utf-8", "surrogateescape"))


def _content(path: str) -> str:
    try:
        with open(path, "rb") as stream:
            return disk.digest(stream.read(_LARGEST_BYTES))
    except OSError:
        return ""


def _stamp(path: str) -> str:
    try:
        facts = os.stat(path)
    except (OSError, ValueError):
        return ""
    return f"{facts.st_size}/{facts.st_mtime_ns}"
