"""The files that ship are found in a checkout, and nothing outside their folders is."""

from __future__ import annotations

import json

import pytest

from adk_decl.data_files import data_names, read_data, read_package_file


def test_a_schema_is_read() -> None:
    assert json.loads(read_data("schemas/manifest.v1.schema.json"))["title"] == "manifest"


def test_names_are_listed_in_order() -> None:
    names = data_names("schemas")
    assert "manifest.v1.schema.json" in names
    assert list(names) == sorted(names)


@pytest.mark.parametrize(
    "name",
    [
        "schemas/none.json",
        "schemas",
        "schemas/",
        "schemas/../pyproject.toml",
        "schemas//etc/passwd",
        "schemas//../x",
        "codes/./ADK001.md",
        "elsewhere/file",
        "../schemas/manifest.v1.schema.json",
    ],
)
def test_what_is_not_there(name: str) -> None:
    with pytest.raises(FileNotFoundError):
        read_data(name)


def test_an_unknown_folder_is_refused() -> None:
    with pytest.raises(FileNotFoundError):
        data_names("elsewhere")


def test_component_data_is_read_from_the_packages() -> None:
    assert json.loads(read_package_file("plugins_builtin/components.json"))["format_version"] == 1
    with pytest.raises(FileNotFoundError):
        read_package_file("plugins_builtin/none.json")
