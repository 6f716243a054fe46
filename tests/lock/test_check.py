"""Every drift is a finding, at its place in the lock file."""

from __future__ import annotations

import builtins
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from adk_decl.components.catalogue import forget
from adk_decl.lock import content as content_module
from adk_decl.lock import package_code
from adk_decl.lock.check import LockCheck, check_lock, locked_manifest
from tests.components.packages import install, row
from tests.lock.test_content import FILES, PROJECT, locked, project

__all__ = ["project"]
LOCK = "shop.lock.json"


def check(folder: Path) -> LockCheck:
    """Check the lock file of the project."""
    return check_lock(str(folder / LOCK), locked(folder), shown=LOCK)


def drifts(folder: Path) -> list[tuple[str, str]]:
    """Code of each finding, with the line of the lock file that it points at."""
    lines = (folder / LOCK).read_text(encoding="utf-8").splitlines()
    return [(found.code, lines[found.span.line - 1].strip().split(": ")[0]) for found in check(folder).diagnostics]


@pytest.fixture(autouse=True)
def _lock(project: Path) -> None:
    (project / LOCK).write_text(locked(project).text(), encoding="utf-8")


def edit(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Change the stored lock file."""
    stored = json.loads((folder / LOCK).read_text(encoding="utf-8"))
    change(stored)
    (folder / LOCK).write_text(json.dumps(stored, indent=2, sort_keys=True), encoding="utf-8")


def test_nothing_changed(project: Path) -> None:
    assert check(project).diagnostics == ()
    assert check(project).comparable


def test_a_comment_in_a_layer(project: Path) -> None:
    (project / "base.yaml").write_text(FILES["base.yaml"] + "# more\n", encoding="utf-8")
    assert drifts(project) == [("ADK603", '"base.yaml"')]


def test_another_limit(project: Path) -> None:
    text = PROJECT.replace("plugins: [mine", "limits: {max_model_calls: 9}, plugins: [mine")
    (project / "m.adk.yaml").write_text(text, encoding="utf-8")
    assert drifts(project) == [("ADK603", '"m.adk.yaml"'), ("ADK605", '"plan"')]


def test_a_module_that_a_tool_imports(project: Path) -> None:
    (project / "shop" / "words.py").write_text("X = 1\n", encoding="utf-8")
    assert drifts(project) == [("ADK607", '"shop/words.py"')]
    (found,) = check(project).diagnostics
    assert found.message == "code file `shop/words.py` has changed"
    assert found.notes == ("it is run by tool python:shop.tools:find",)


def test_a_module_that_nothing_imports(project: Path) -> None:
    (project / "shop" / "unused.py").write_text("X = 1\n", encoding="utf-8")
    assert drifts(project) == []


def test_a_new_import(project: Path) -> None:
    (project / "shop" / "callbacks.py").write_text("import shop.unused\n" + FILES["shop/callbacks.py"], "utf-8")
    assert drifts(project) == [("ADK607", '"code"'), ("ADK607", '"shop/callbacks.py"')]


def test_a_new_version_is_told_once(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(package_code, "VERSION", "9.9.9")
    (found,) = check(project).diagnostics
    assert found.code == "ADK606"
    assert found.message == "model `scripted` has version `9.9.9`, and was locked with `0.1.0`"
    assert found.notes == ("the same holds for plugin `metadata_logger`, session_store `sqlite`",)


def test_installed_code_that_somebody_edited(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(content_module, "package_digest", lambda package: "sha256:" + 64 * "1")
    assert [found.message for found in check(project).diagnostics] == [
        "the code of model `scripted` is not what was locked",
        "the code of plugin `metadata_logger` is not what was locked",
    ]


def test_an_installed_component_that_was_upgraded(
    tmp_path_factory: pytest.TempPathFactory, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = tmp_path_factory.mktemp("site")
    install(site, row())
    monkeypatch.syspath_prepend(str(site))
    forget()
    try:
        (project / "m.adk.yaml").write_text(PROJECT.replace("{use: metadata_logger}", "{use: acme_quota}"), "utf-8")
        lock = locked(project)
        entry = lock.content["components"]["plugin"]["acme_quota"]
        assert (entry["distribution"], entry["version"]) == ("acme-plugins", "1.0")
        (project / LOCK).write_text(lock.text(), encoding="utf-8")
        (site / "acme" / "quota.py").write_text("X = 1\n", encoding="utf-8")
        assert [found.message for found in check(project).diagnostics] == [
            "the code of plugin `acme_quota` is not what was locked"
        ]
        metadata = site / "acme_plugins-1.0.dist-info" / "METADATA"
        metadata.write_text(metadata.read_text("utf-8").replace("Version: 1.0", "Version: 1.1"), "utf-8")
        assert [found.message for found in check(project).diagnostics] == [
            "plugin `acme_quota` has version `1.1`, and was locked with `1.0`"
        ]
        assert not hasattr(builtins, "adk_decl_test_package_was_imported")
    finally:
        forget()


def test_another_schema(project: Path) -> None:
    edit(project, lambda stored: stored.update(schema="sha256:" + 64 * "2"))
    assert drifts(project) == [("ADK604", '"schema"')]


def test_components_that_came_and_went(project: Path) -> None:
    edit(project, lambda stored: stored["components"]["plugin"].pop("metadata_logger"))
    edit(project, lambda stored: stored["components"]["tool"].update({"python:a:b": {"code": "sha256:" + 64 * "3"}}))
    edit(project, lambda stored: stored["components"].pop("session_store"))
    assert [found.message for found in check(project).diagnostics] == [
        "session_store `sqlite` was not locked",
        "plugin `metadata_logger` was not locked",
        "tool `python:a:b` is locked and not used any more",
    ]


def test_a_digest_that_somebody_edited(project: Path) -> None:
    use = "python:shop.policy:Mine"
    edit(project, lambda stored: stored["components"]["plugin"][use].update(code="sha256:" + 64 * "4"))
    assert [found.message for found in check(project).diagnostics] == [
        f"the code of plugin `{use}` is not what was locked"
    ]


def test_a_lock_of_another_manifest(project: Path) -> None:
    edit(project, lambda stored: stored.update(manifest="other.adk.yaml", plan="sha256:" + 64 * "5"))
    assert drifts(project) == [("ADK602", '"manifest"')]
    assert locked_manifest(str(project / LOCK)) == "other.adk.yaml"


def test_no_lock(project: Path) -> None:
    (project / LOCK).unlink()
    result = check(project)
    assert [found.code for found in result.diagnostics] == ["ADK601"]
    assert result.comparable
    assert locked_manifest(str(project / LOCK)) is None


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "ADK015"),
        ("<<<<<<< HEAD\n{}", "ADK004"),
        ("[]", "ADK101"),
        ("{}", "ADK111"),
        ('{"lock_format": 2}', "ADK120"),
        ("\ufffe", "ADK002"),
    ],
)
def test_what_is_no_lock_file(text: str, code: str, project: Path) -> None:
    (project / LOCK).write_text(text, encoding="utf-8")
    result = check(project)
    assert code in {found.code for found in result.diagnostics}
    assert not result.comparable
    assert locked_manifest(str(project / LOCK)) is None


def test_every_single_change_of_a_lock_file_is_found(project: Path) -> None:
    original = json.loads((project / LOCK).read_text(encoding="utf-8"))
    for steps in _leaves(original):
        stored = json.loads(json.dumps(original))
        holder = stored
        for step in steps[:-1]:
            holder = holder[step]
        value = holder.pop(steps[-1])
        (project / LOCK).write_text(json.dumps(stored), encoding="utf-8")
        assert check(project).diagnostics, f"without {steps}"
        holder[steps[-1]] = "sha256:" + 64 * "0" if str(value).startswith("sha256:") else "x"
        (project / LOCK).write_text(json.dumps(stored), encoding="utf-8")
        assert check(project).diagnostics, f"with another {steps}"


def _leaves(value: Any, steps: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    if not isinstance(value, dict):
        return [steps]
    return [leaf for key, item in value.items() for leaf in _leaves(item, (*steps, key))]
