"""The files that ship with the package: schemas, pages of codes, example manifests.

They stand in the package's folder `_data` in a wheel, and in `schemas/`, `docs/codes/` and `manifests/` in a
checkout. This is the only place that knows.
"""

from __future__ import annotations

import os

_PACKAGE = os.path.dirname(os.path.abspath(__file__))
_CHECKOUT = os.path.dirname(_PACKAGE)
"""The checkout, or in a wheel the folder that holds both packages."""
_FOLDERS = {
    "schemas": "schemas",
    "codes": os.path.join("docs", "codes"),
    "manifests": "manifests",
}


def read_data(name: str) -> bytes:
    """The content of one file, named `schemas/FILE`, `codes/FILE` or `manifests/PATH`.

    Raises `FileNotFoundError` when there is none, also for a name that leaves its folder.
    """
    folder, _, rest = name.partition("/")
    if not rest or os.path.isabs(rest) or any(part in ("", "..", ".") for part in rest.split("/")):
        raise FileNotFoundError(name)
    path = os.path.join(_folder(folder), *rest.split("/"))
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        raise FileNotFoundError(name) from None


def data_names(folder: str) -> tuple[str, ...]:
    """The names of the files directly in `schemas`, `codes` or `manifests`, sorted. Empty when there are none.

    Raises `FileNotFoundError` for another folder.
    """
    path = _folder(folder)
    try:
        with os.scandir(path) as entries:
            return tuple(sorted(entry.name for entry in entries if entry.is_file()))
    except OSError:
        return ()


def read_package_file(name: str) -> bytes:
    """The content of a data file inside one of our two import packages, such as `plugins_builtin/components.json`.

    Raises `FileNotFoundError` when there is none.
    """
    try:
        with open(os.path.join(_CHECKOUT, *name.split("/")), "rb") as file:
            return file.read()
    except OSError:
        raise FileNotFoundError(name) from None


def _folder(name: str) -> str:
    if name not in _FOLDERS:
        raise FileNotFoundError(name)
    packaged = os.path.join(_PACKAGE, "_data", name)
    return packaged if os.path.isdir(packaged) else os.path.join(_CHECKOUT, _FOLDERS[name])
