"""The hooks as pre-commit runs them: the real package, its own environment, a repository made of this checkout.

With a folder of wheels (`PIP_NO_INDEX=1` and `PIP_FIND_LINKS`, as `.ci/run` gives them) pre-commit clones the
repository and installs it, as it does at a user's. The same cases run without that as `language: system` hooks of this
interpreter.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from tests.architecture.sources import CHECKOUT
from tests.benchmarks.manifests import manifest
from tests.cli.test_validate import INVALID, VALID, WARNED

GIT = shutil.which("git") or ""
PARTS = (
    "adk_decl", "plugins_builtin", "schemas", "docs/codes", "manifests",
    "pyproject.toml", "README.md", "LICENSE", ".pre-commit-hooks.yaml",
)  # fmt: skip
"""What the wheel and its build need of the checkout."""

UNTIDY = VALID.replace("  m: {use:", "    m: {use:").replace("agents:\n  a:", "agents:\n    a:")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not GIT, reason="git is not installed"),
    pytest.mark.skipif(importlib.util.find_spec("pre_commit") is None, reason="the extra `bench` is not installed"),
]


def _wheels_missing() -> str | None:
    """Why pre-commit can't install the hooks without a network, or None."""
    folders = os.environ.get("PIP_FIND_LINKS", "").split()
    if os.environ.get("PIP_NO_INDEX") != "1" or not folders:
        return "no folder of wheels: PIP_NO_INDEX=1 and PIP_FIND_LINKS are not set"
    found = [path.name for folder in folders for path in Path(folder).glob("*.whl")]
    needed = ("hatchling-", "ruamel_yaml-", "ruamel_yaml_clib-", "msgspec-")
    lacking = [name for name in needed if not any(wheel.startswith(name) for wheel in found)]
    return f"the folder of wheels lacks {', '.join(lacking)}" if lacking else None


class Hooks:
    """Where the hooks come from, and one folder of environments for all runs."""

    def __init__(self, home: Path, *, repository: Path | None, wheels: Mapping[str, str]) -> None:
        self.home = home
        self.repository = repository
        self.wheels = wheels

    def config(self, hook: str, arguments: Sequence[str]) -> str:
        """The text of `.pre-commit-config.yaml` with one hook."""
        if self.repository is not None:
            head = _git(self.repository, "rev-parse", "HEAD").strip()
            return (
                f"repos:\n- repo: {self.repository}\n  rev: {head}\n  hooks:\n"
                f"  - {{id: {hook}, args: {list(arguments)}, additional_dependencies: [ruamel.yaml.clib]}}\n"
            )
        declared = YAML(typ="safe").load((CHECKOUT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
        row = next(entry for entry in declared if entry["id"] == hook)
        entry = row["entry"].replace("python", sys.executable, 1)
        return (
            "repos:\n- repo: local\n  hooks:\n"
            f"  - {{id: {hook}, name: {hook}, language: system, entry: {entry}, args: {list(arguments)}, "
            f"files: '{row['files']}'}}\n"
        )


@pytest.fixture(scope="module", params=["installed", "system"])
def hooks(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Hooks:
    home = tmp_path_factory.mktemp("pre-commit")
    wheels = {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
    if request.param == "system":
        return Hooks(home, repository=None, wheels=wheels)
    missing = _wheels_missing()
    if missing is not None:
        pytest.skip(missing)
    repository = tmp_path_factory.mktemp("adk-decl")
    _copy_checkout(repository)
    _commit_all(repository)
    return Hooks(home, repository=repository, wheels=wheels)


class Project:
    """A repository whose commits the hooks check."""

    def __init__(self, folder: Path, hooks: Hooks) -> None:
        self.folder = folder
        self.hooks = hooks
        _git(folder, "init", "-q")

    def write(self, files: Mapping[str, str]) -> None:
        for name, text in files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    def run(self, hook: str = "adk-decl-validate", arguments: Sequence[str] = ()) -> subprocess.CompletedProcess[str]:
        """`pre-commit run --all-files` with one hook."""
        (self.folder / ".pre-commit-config.yaml").write_text(self.hooks.config(hook, arguments), encoding="utf-8")
        _git(self.folder, "add", "-A")
        environment = {**_environment(), **self.hooks.wheels, "PRE_COMMIT_HOME": str(self.hooks.home)}
        return subprocess.run(
            [sys.executable, "-m", "pre_commit", "run", "--all-files", "--color=never", "--verbose"],
            cwd=self.folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )


@pytest.fixture
def project(tmp_path: Path, hooks: Hooks) -> Project:
    return Project(tmp_path, hooks)


def test_a_good_file_passes(project: Project) -> None:
    project.write({"manifests/a b.adk.yaml": VALID, "notes.yaml": "a: ["})
    ended = project.run()
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "Passed" in ended.stdout


def test_a_bad_file_fails_with_its_place(project: Project) -> None:
    project.write({"manifests/bad.adk.yaml": INVALID, "manifests/good.adk.yaml": VALID})
    ended = project.run()
    assert ended.returncode == 1, ended.stdout + ended.stderr
    assert "error[ADK110]" in ended.stdout
    assert "--> manifests/bad.adk.yaml:" in ended.stdout
    assert "good.adk.yaml" not in ended.stdout


def test_nothing_to_check_is_skipped(project: Project) -> None:
    project.write({"a.yaml": "a: ["})
    ended = project.run()
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "no files to check" in ended.stdout


def test_arguments_reach_the_hook(project: Project) -> None:
    project.write({"warned.adk.yaml": WARNED})
    assert project.run().returncode == 0
    denied = project.run(arguments=["--deny-warnings", "--format=concise"])
    assert denied.returncode == 1, denied.stdout + denied.stderr
    assert any(line.startswith("warned.adk.yaml:") for line in denied.stdout.splitlines())


def test_200_files(project: Project) -> None:
    files = {f"manifests/m{number:03}.adk.yaml": manifest(200, seed=number) for number in range(200)}
    project.write(files)
    assert project.run(arguments=["--deny-warnings"]).returncode == 0
    bad = ("manifests/m000.adk.yaml", "manifests/m111.adk.yaml", "manifests/m199.adk.yaml")
    project.write({name: files[name] + "runers: {}\n" for name in bad})
    ended = project.run(arguments=["--format=concise"])
    assert ended.returncode == 1, ended.stdout + ended.stderr
    named = [line.split(":")[0] for line in ended.stdout.splitlines() if " ADK110 " in line]
    assert sorted(named) == sorted(bad)


def test_fmt_writes_and_then_passes(project: Project) -> None:
    project.write({"a.adk.yaml": UNTIDY})
    ended = project.run("adk-decl-fmt")
    assert ended.returncode == 1, ended.stdout + ended.stderr
    assert (project.folder / "a.adk.yaml").read_text(encoding="utf-8") == VALID
    assert project.run("adk-decl-fmt").returncode == 0


def _copy_checkout(folder: Path) -> None:
    ignored = shutil.ignore_patterns("__pycache__", ".*_cache")
    for part in PARTS:
        source, target = CHECKOUT / part, folder / part
        if source.is_dir():
            shutil.copytree(source, target, ignore=ignored)
        else:
            shutil.copy(source, target)


def _commit_all(folder: Path) -> None:
    _git(folder, "init", "-q")
    _git(folder, "add", "-A", "-f")
    _git(folder, "-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-q", "-m", "as it stands")


def _git(folder: Path, *arguments: str) -> str:
    ended = subprocess.run(
        [GIT, *arguments], cwd=folder, env=_environment(), capture_output=True, text=True, timeout=60, check=True
    )
    return ended.stdout


def _environment() -> dict[str, str]:
    """The own environment, without what a hook that runs these tests, or a user's settings, put there."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "PRE_COMMIT"))}
    return {**kept, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
