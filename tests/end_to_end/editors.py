"""The editors' own tools, where they are installed, and a copy of the examples with a schema beside them."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

from adk_decl.cli.main import main
from tests.architecture.sources import CHECKOUT

NODE_MODULES = "ADK_DECL_CI_NODE_MODULES"
"""Names the folder that npm installed into."""
REQUIRED = "ADK_DECL_CI_EDITORS_REQUIRED"
"""When set, a tool that is missing fails the tests in place of skipping them."""


def yaml_language_server() -> list[str]:
    """The command of yaml-language-server, of the npm registry."""
    folder = os.environ.get(NODE_MODULES)
    script = Path(folder or "", "yaml-language-server", "bin", "yaml-language-server")
    node = shutil.which("node")
    if folder and node and script.is_file():
        return [node, str(script), "--stdio"]
    found = shutil.which("yaml-language-server")
    return [found, "--stdio"] if found else _absent(f"yaml-language-server is neither on PATH nor in {NODE_MODULES}")


def taplo() -> list[str]:
    """The command of taplo, of PyPI."""
    beside = Path(sys.executable).with_name("taplo")
    found = str(beside) if beside.is_file() else shutil.which("taplo")
    return [found] if found else _absent("taplo is not installed: it is in the extra `bench`")


def copy_of_examples(folder: Path, *, with_plugins: str | None = None) -> Path:
    """The example manifests in `folder/manifests`, and the schema that they name in `folder/schemas`.

    With `with_plugins`, an example's name, the schema knows the configurations of what that example uses.
    """
    manifests = folder / "manifests"
    shutil.copytree(CHECKOUT / "manifests", manifests, ignore=shutil.ignore_patterns("invalid", "warned"))
    (folder / "schemas").mkdir()
    schema = str(folder / "schemas" / "manifest.v1.schema.json")
    options = ["--with-plugins", str(manifests / with_plugins)] if with_plugins else []
    assert main(["schema", *options, "--out", schema]) == 0
    return manifests


def _absent(reason: str) -> list[str]:
    if os.environ.get(REQUIRED):
        pytest.fail(reason)
    pytest.skip(reason)
