"""A third-party package is imported by the files that own it, and by no other."""

from __future__ import annotations

import sys
import tomllib

from tests.architecture.sources import CHECKOUT, PACKAGES, Import, imports

OWNERS: dict[str, str] = {
    "click": "adk_decl/cli/",
    "httpx": "adk_decl/transport/",
    "jsonschema": "adk_decl/json_schema.py",
    "referencing": "adk_decl/json_schema.py",
    "lsprotocol": "adk_decl/lsp/",
    "msgspec": "adk_decl/wire.py",
    "pydantic": "adk_decl/settings.py",
    "pydantic_core": "adk_decl/settings.py",
    "pydantic_settings": "adk_decl/settings.py",
    "pygls": "adk_decl/lsp/server.py",
    "ruamel": "adk_decl/syntax/yaml_reader.py",
    "xllamacpp": "adk_decl/models/llama_cpp.py",
}
"""Top package and the file, or the folder, that may import it."""

_OF_PYDANTIC_SETTINGS = {"pydantic", "pydantic_core"}
"""What pydantic-settings brings along."""


def test_each_third_party_import_is_at_its_owner() -> None:
    assert [f"{i.file}:{i.line} imports {i.module}" for i in imports() if not _allowed(i)] == []


def test_no_owner_is_stale() -> None:
    assert {top for top in OWNERS if not any(_top(i) == top for i in imports())} <= _OF_PYDANTIC_SETTINGS


def test_every_import_is_a_declared_dependency() -> None:
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"].values()
    declared = " ".join([*project["dependencies"], *(name for extra in extras for name in extra)])
    names = declared.replace("-", "_").replace(".", "_")
    assert [top for top in OWNERS if top not in names and top not in _OF_PYDANTIC_SETTINGS] == []


def _allowed(found: Import) -> bool:
    top = _top(found)
    if top in sys.stdlib_module_names or top in PACKAGES or top == "__future__":
        return True
    owner = OWNERS.get(top)
    return owner is not None and (found.file == owner or (owner.endswith("/") and found.file.startswith(owner)))


def _top(found: Import) -> str:
    return found.module.split(".")[0]
