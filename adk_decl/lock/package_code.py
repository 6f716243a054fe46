"""Which code an installed distribution brings: its version, and a digest of the modules of a top package.

Compiled extensions are left out, since they differ from one platform to the next; the version stands for them.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from adk_decl import disk
from adk_decl.components.descriptor import OWN_DISTRIBUTION
from adk_decl.components.packages import package_folders
from adk_decl.plan.canonical import canonical_json, digest
from adk_decl.plan.limits import LIMITS
from adk_decl.version import VERSION

UNKNOWN = "unknown"
_SOURCE = ".py"
_LARGEST_BYTES = LIMITS["lock.module_bytes"].maximum
_MOST_FILES = LIMITS["lock.package_modules"].maximum


def version_of(distribution: str) -> str:
    """The installed version of a distribution, or `unknown`."""
    if distribution == OWN_DISTRIBUTION:
        return VERSION
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(distribution)
    except (PackageNotFoundError, ValueError):
        return UNKNOWN


def package_digest(package: str) -> str:
    """The digest of all modules of a top package, by relative path. Nothing of it is imported.

    A module that can't be read counts as such; beyond the limits of `lock.*` the rest is left out.
    """
    found: dict[str, str] = {}
    for folder in package_folders(package):
        for path in _modules(folder):
            if len(found) >= _MOST_FILES:
                break
            found[os.path.relpath(path, folder).replace(os.sep, "/")] = _content(path)
    return digest(canonical_json(found))


def _modules(folder: str) -> Iterator[str]:
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name != "__pycache__")
        yield from (os.path.join(place, name) for name in sorted(names) if name.endswith(_SOURCE))


def _content(path: str) -> str:
    try:
        return digest(disk.read_file_bytes(path, _LARGEST_BYTES))
    except OSError:
        return UNKNOWN
