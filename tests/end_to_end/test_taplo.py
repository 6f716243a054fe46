"""Our schema in taplo, which the TOML extensions of most editors run. Its packages hold the checker, not the server."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.architecture.sources import CHECKOUT
from tests.end_to_end.editors import copy_of_examples, taplo

pytestmark = pytest.mark.slow

PLACE = re.compile(r"┌─ .*?:(\d+):\d+$", re.MULTILINE)


def _lint(folder: Path, name: str) -> tuple[int, list[int]]:
    """Exit code, and the lines of the findings. The schema is found by the comment in the file's first line."""
    command = [*taplo(), "lint", "--colors", "never", f"manifests/{name}"]
    ended = subprocess.run(command, capture_output=True, text=True, cwd=folder, timeout=60, check=False)
    return ended.returncode, [int(number) for number in PLACE.findall(ended.stderr)]


def _changed(manifests: Path, old: str, new: str) -> int:
    """Changes the example and returns the line of the change."""
    path = manifests / "limits.adk.toml"
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), encoding="utf-8")
    return text[: text.index(old)].count("\n") + 1


@pytest.mark.parametrize("with_plugins", [None, "limits.adk.toml"])
def test_the_example_has_no_findings(tmp_path: Path, with_plugins: str | None) -> None:
    copy_of_examples(tmp_path, with_plugins=with_plugins)
    assert _lint(tmp_path, "limits.adk.toml") == (0, [])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("timeout_ms = 250 ", 'timeout_ms = "soon" '),
        ("max_heap_mib = 32 ", "max_heap_mib = 1 "),
        ('failure_policy = "closed"  #', 'failure_policy = "shut"  #'),
    ],
)
def test_a_wrong_value_is_shown_on_its_line(tmp_path: Path, old: str, new: str) -> None:
    line = _changed(copy_of_examples(tmp_path), old, new)
    assert _lint(tmp_path, "limits.adk.toml") == (1, [line])


def test_an_unknown_key_is_shown(tmp_path: Path) -> None:
    line = _changed(copy_of_examples(tmp_path), "timeout_ms = 250 ", "timeout_msec = 250 ")
    code, lines = _lint(tmp_path, "limits.adk.toml")
    assert code == 1
    # taplo marks everything in the table that holds the key.
    assert line in lines


@pytest.mark.parametrize(
    ("old", "new"),
    [("exclude_roles = []", "exclude_roles = 3"), ('log_level = "info"', 'log_level = "loud"')],
)
def test_a_wrong_configuration_is_shown_on_its_line(tmp_path: Path, old: str, new: str) -> None:
    manifests = copy_of_examples(tmp_path, with_plugins="limits.adk.toml")
    line = _changed(manifests, old, new)
    assert _lint(tmp_path, "limits.adk.toml") == (1, [line])


def test_the_association_of_the_documentation_does_without_the_first_line(tmp_path: Path) -> None:
    page = (CHECKOUT / "docs" / "editor-setup.md").read_text(encoding="utf-8")
    (settings,) = re.findall(r"```toml\n(\[\[rule\]\].*?)```", page, flags=re.DOTALL)
    (tmp_path / ".taplo.toml").write_text(settings, encoding="utf-8")
    manifests = copy_of_examples(tmp_path)
    _changed(manifests, "#:schema ../schemas/manifest.v1.schema.json", "#")
    line = _changed(manifests, "timeout_ms = 250 ", 'timeout_ms = "soon" ')
    assert _lint(tmp_path, "limits.adk.toml") == (1, [line])
