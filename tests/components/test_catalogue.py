"""The catalogue: built-in components at once, installed ones when needed, and never any of their code."""

from __future__ import annotations

import builtins
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from adk_decl.components import catalogue
from tests.components.packages import install, row


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder on `sys.path` for packages. The catalogue is read anew before and after."""
    monkeypatch.syspath_prepend(str(tmp_path))
    catalogue.forget()
    yield tmp_path
    catalogue.forget()
    assert not hasattr(builtins, "adk_decl_test_package_was_imported")
    assert "acme" not in sys.modules


def reasons() -> list[tuple[str, str]]:
    return [(problem.distribution, problem.reason) for problem in catalogue.problems()]


def test_the_built_in_components() -> None:
    assert set(catalogue.names("model")) >= {"scripted", "openai_chat", "llama_cpp"}
    assert set(catalogue.names("session_store")) >= {"memory", "sqlite"}
    plugins = {"global_instruction", "context_filter", "reflect_retry", "metadata_logger"}
    assert set(catalogue.names("plugin")) >= plugins
    assert {c.distribution for c in catalogue.all_components() if c.name in plugins} == {"adk-decl"}
    local = catalogue.find("model", "llama_cpp")
    assert local is not None
    assert (local.extra, local.needs) == ("local", "xllamacpp")


def test_a_kind_does_not_answer_for_another() -> None:
    assert catalogue.find("plugin", "scripted") is None
    assert catalogue.find("model", "sqlite") is None


def test_an_installed_component_is_found_without_importing_its_package(site: Path) -> None:
    install(site, row())
    found = catalogue.find("plugin", "acme_quota")
    assert found is not None
    assert (found.distribution, found.entry) == ("acme-plugins", "acme.quota:Quota")
    assert found.hooks == ("before_model",)
    assert found.defaults["timeout_ms"] == 250
    assert found in catalogue.all_components()
    assert "acme_quota" in catalogue.names("plugin")
    assert reasons() == []


def test_validating_a_manifest_that_names_it_imports_no_code(tmp_path: Path) -> None:
    """In a fresh process, where an audit hook ends it at any import of the package."""
    install(tmp_path / "site", row())
    manifest = tmp_path / "m.adk.yaml"
    manifest.write_text(
        "apiVersion: adk-decl/v1\nkind: Manifest\nname: m\n"
        "models: {m: {use: scripted, config: {replies: [{text: hi}]}}}\nagents: {a: {model: m}}\n"
        "plugins: {q: {use: acme_quota, config: {daily: x}}}\nrunners: {r: {agent: a, plugins: [q]}}\n"
    )
    code = (
        "import sys\n"
        "def hook(event, arguments):\n"
        "    if event == 'import' and arguments[0].split('.')[0] == 'acme':\n"
        "        import os\n"
        "        os._exit(9)\n"
        "    if event == 'open' and str(arguments[0]).endswith(('acme/__init__.py', 'acme/quota.py')):\n"
        "        import os\n"
        "        os._exit(8)\n"
        "sys.addaudithook(hook)\n"
        f"sys.path.insert(0, {str(tmp_path / 'site')!r})\n"
        "from adk_decl.compiler.compile import compile_file\n"
        f"result = compile_file({str(manifest)!r})\n"
        "print([d.code for d in result.diagnostics])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.strip() == "['ADK101']"


def test_a_built_in_name_wins_and_the_package_is_told_of(site: Path) -> None:
    install(site, row(name="metadata_logger"))
    found = catalogue.find("plugin", "metadata_logger")
    assert found is not None
    assert found.distribution == "adk-decl"
    assert reasons() == [("acme-plugins", "it offers the plugin `metadata_logger`, which is built in")]


def test_a_name_that_two_packages_offer_belongs_to_neither(site: Path) -> None:
    install(site, row())
    install(site, row(entry="bravo.quota:Quota"), package="bravo", distribution="bravo-plugins")
    assert catalogue.find("plugin", "acme_quota") is None
    assert reasons() == [("bravo-plugins", "it offers the plugin `acme_quota`, as acme-plugins does")]


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"data": b"{"}, "the file is not JSON"),
        ({"data": b"\xff\xfe"}, "the file is not JSON"),
        ({"data": b"[" * 100_000}, "the file is not JSON"),
        ({"data": b"[]"}, "the file is not a map with format_version 1"),
        ({"data": b'{"format_version": 2, "components": []}'}, "the file is not a map with format_version 1"),
        ({"data": b'{"format_version": 1}'}, "`components` is not a list of at most 1000 components"),
        ({"data": b'{"format_version": 1, "components": [], "x": 1}'}, "the file has a key that is unknown"),
        ({"data": b" " * (4 * 1024 * 1024 + 1)}, "the file that its entry point names is too large"),
        ({"value": "acme:other.json"}, "the file that its entry point names does not exist"),
        ({"value": "nowhere:components.json"}, "the file that its entry point names does not exist"),
        ({"value": "acme:../../secret.json"}, "the value of its entry point is not `top_package:FILE.json`"),
        ({"value": "acme.sub:components.json"}, "the value of its entry point is not `top_package:FILE.json`"),
        ({"value": "acme"}, "the value of its entry point is not `top_package:FILE.json`"),
    ],
)
def test_broken_data_is_a_problem_and_never_an_exception(site: Path, options: dict[str, Any], reason: str) -> None:
    install(site, **options)
    assert catalogue.find("plugin", "acme_quota") is None
    assert reasons() == [("acme-plugins", reason)]


def test_one_broken_component_leaves_the_others(site: Path) -> None:
    install(site, row(hooks=["before_lunch"]), row(name="acme_other"), 5)
    assert catalogue.find("plugin", "acme_other") is not None
    assert reasons() == [
        ("acme-plugins", "component 1: `hooks` is not what it has to be"),
        ("acme-plugins", "component 3: not a map"),
    ]


def test_a_package_without_a_name_is_survived(site: Path) -> None:
    install(site, row())
    (site / "acme_plugins-1.0.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\n")
    found = catalogue.find("plugin", "acme_quota")
    assert found is None or found.distribution == "unnamed"


def test_installed_packages_are_not_looked_up_for_a_built_in_name() -> None:
    code = (
        "import sys\n"
        "from adk_decl.components.catalogue import find\n"
        "assert find('model', 'scripted')\n"
        "assert 'importlib.metadata' not in sys.modules\n"
        "assert find('model', 'other') is None\n"
        "assert 'importlib.metadata' in sys.modules\n"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", _on_path(code)], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def _on_path(code: str) -> str:
    return f"import sys\nsys.path[:] = {sys.path!r}\n{code}"
