"""The example of layers: complete alone, and the same with its overlay named in the file or on the command line."""

from __future__ import annotations

import pytest

from adk_decl.compiler.compile import compile_file
from tests.architecture.sources import CHECKOUT

FOLDER = CHECKOUT / "manifests" / "layers"


@pytest.mark.parametrize("name", ["shop.adk.yaml", "prod.adk.yaml", "shop-prod.adk.yaml"])
def test_each_file_is_without_findings(name: str) -> None:
    assert compile_file(str(FOLDER / name), checks_only=True).diagnostics == ()


def test_an_overlay_in_the_file_and_on_the_command_line() -> None:
    named = compile_file(str(FOLDER / "shop-prod.adk.yaml")).plan
    given = compile_file(str(FOLDER / "shop.adk.yaml"), overlays=[str(FOLDER / "prod.adk.yaml")]).plan
    assert named is not None
    assert given is not None
    assert named.digest == given.digest
    runner = named.runners["desk"]
    assert [(plugin.id, plugin.timeout_ms) for plugin in runner.plugins] == [("house-style", 500), ("log", 1000)]
    assert named.models["clerk"].use == "openai_chat"
