"""The hook's file pattern says the same as a folder argument of `validate`."""

from __future__ import annotations

import re

import pytest
from ruamel.yaml import YAML

from adk_decl.cli.files import FOLDER_ENDINGS
from tests.architecture.sources import CHECKOUT

HOOKS = YAML(typ="safe").load((CHECKOUT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))


def test_the_pattern_takes_what_a_folder_argument_takes() -> None:
    pattern = re.compile(HOOKS[0]["files"])
    assert [ending for ending in FOLDER_ENDINGS if not pattern.search(f"a/b{ending}")] == []


@pytest.mark.parametrize(
    "name", ["a.yaml", "adk.yaml", "a.adk.json", "a.adk.yaml.bak", "a.policytest.json", "invalid/ADK110-x.yaml"]
)
def test_the_pattern_leaves_the_rest(name: str) -> None:
    assert not re.search(HOOKS[0]["files"], name)
    assert not name.endswith(FOLDER_ENDINGS)


def test_fmt_takes_what_is_not_json() -> None:
    pattern = re.compile(HOOKS[1]["files"])
    assert [ending for ending in FOLDER_ENDINGS if not pattern.search(f"a/b{ending}")] == [".evalset.json"]


def test_the_entries_are_the_light_one() -> None:
    assert {hook["id"]: hook["entry"] for hook in HOOKS} == {
        "adk-decl-validate": "python -m adk_decl.hook",
        "adk-decl-fmt": "python -m adk_decl.hook --fmt",
    }
