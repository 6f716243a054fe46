"""What README and docs say holds: commands are there, examples compile, links lead somewhere."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from adk_decl.cli.checking import check
from tests.architecture.sources import CHECKOUT

README = (CHECKOUT / "README.md").read_text(encoding="utf-8")
PAGES = sorted([CHECKOUT / "README.md", CHECKOUT / "CHANGELOG.md", *(CHECKOUT / "docs").rglob("*.md")])


@pytest.mark.parametrize(
    ("name", "part"), [("quickstart", "adk-decl run manifests/quickstart.adk.yaml"), ("tests", "pytest")]
)
def test_the_commands_that_ci_runs_are_there(name: str, part: str) -> None:
    found = re.findall(rf"<!-- ci: {name} -->\n```sh\n(.*)\n```", README)
    assert len(found) == 1
    assert part in found[0]


def test_the_manifest_of_the_readme_compiles(tmp_path: Path) -> None:
    blocks = re.findall(r"```yaml\n(apiVersion.*?)```", README, flags=re.DOTALL)
    shutil.copytree(CHECKOUT / "manifests" / "support", tmp_path / "support")
    file = tmp_path / "readme.adk.yaml"
    file.write_text(blocks[0], encoding="utf-8")
    assert len(blocks) == 1
    assert check([str(file)]).diagnostics == ()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(CHECKOUT).as_posix())
def test_links_lead_to_files(page: Path) -> None:
    links = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
    local = [link for link in links if not link.startswith(("http://", "https://"))]
    assert [link for link in local if not (page.parent / link).exists()] == []
