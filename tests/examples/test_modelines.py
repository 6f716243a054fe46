"""The first line of each example leads an editor to the schema, in a checkout and in a wheel."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.architecture.sources import CHECKOUT

EXAMPLES = sorted((CHECKOUT / "manifests").glob("*.adk.*"))
MODELINE = {".yaml": r"# yaml-language-server: \$schema=(\S+)\n", ".toml": r"#:schema (\S+)\n"}


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_the_modeline_names_the_schema_of_manifests(path: Path) -> None:
    found = re.match(MODELINE[path.suffix], path.read_text(encoding="utf-8"))
    assert found is not None
    schema = (path.parent / found[1]).resolve()
    assert schema == CHECKOUT / "schemas" / "manifest.v1.schema.json"
    assert json.loads(schema.read_text(encoding="utf-8"))["title"] == "manifest"
