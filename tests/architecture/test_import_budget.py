"""What `--help`, `validate` and the hook import; start-up time is a promise."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture.sources import CHECKOUT

HEAVY = frozenset(
    {
        "asyncio",
        "dataclasses",
        "difflib",
        "httpx",
        "importlib.metadata",
        "jsonschema",
        "logging",
        "msgspec",
        "multiprocessing",
        "opentelemetry",
        "pydantic",
        "pydantic_settings",
        "referencing",
        "sqlite3",
        "subprocess",
        "traceback",
        "xllamacpp",
    }
)
RUN_SIDE = ("workers", "transport", "plugins", "isolation", "models", "tools", "sessions", "runtime", "settings")

_SMALL = """\
apiVersion: adk-decl/v1
kind: Manifest
name: small
models: {m: {use: scripted, config: {replies: [{text: hello}]}}}
agents: {a: {model: m}}
runners: {r: {agent: a}}
"""

_PROBE = """
import sys
from {module} import main
code = main({arguments!r})
import json
print(json.dumps([code, sorted(sys.modules)]), file=sys.stderr)
"""


def _imported(module: str, arguments: list[str], folder: Path) -> set[str]:
    command = [sys.executable, "-B", "-c", _PROBE.format(module=module, arguments=arguments)]
    ended = subprocess.run(command, capture_output=True, text=True, cwd=folder, timeout=60, check=True)
    code, modules = json.loads(ended.stderr.splitlines()[-1])
    assert code == 0, ended.stdout
    return set(modules)


@pytest.mark.parametrize(
    ("module", "arguments"),
    [
        ("adk_decl.cli.main", ["--help"]),
        ("adk_decl.cli.main", ["--version"]),
        ("adk_decl.cli.main", ["validate", "quickstart.adk.yaml"]),
        ("adk_decl.hook", ["quickstart.adk.yaml"]),
        ("adk_decl.cli.main", ["fmt", "--check", "quickstart.adk.yaml"]),
        ("adk_decl.hook", ["--fmt", "--check", "quickstart.adk.yaml"]),
    ],
    ids=["help", "version", "validate", "hook", "fmt", "fmt hook"],
)
def test_only_what_is_needed_is_imported(module: str, arguments: list[str]) -> None:
    modules = _imported(module, arguments, CHECKOUT / "manifests")
    bare = set(
        json.loads(
            subprocess.run(
                [sys.executable, "-c", "import sys, json; print(json.dumps(sorted(sys.modules)))"],
                capture_output=True,
                text=True,
                timeout=60,
                check=True,
            ).stdout
        )
    )
    assert sorted(HEAVY & (modules - bare)) == []
    assert sorted(m for m in modules if m.startswith(tuple(f"adk_decl.{name}" for name in RUN_SIDE))) == []


@pytest.mark.parametrize(
    ("module", "arguments"), [("adk_decl.cli.main", ["validate", "support"]), ("adk_decl.hook", ["support.adk.yaml"])]
)
def test_a_warm_run_imports_neither_parser_nor_compiler(module: str, arguments: list[str], tmp_path: Path) -> None:
    (tmp_path / "support").mkdir()
    for place in (tmp_path / "support.adk.yaml", tmp_path / "support" / "support.adk.yaml"):
        place.write_text(_SMALL, encoding="utf-8")
    assert "ruamel.yaml" in _imported(module, arguments, tmp_path)
    modules = _imported(module, arguments, tmp_path)
    ours = {m for m in modules if m.startswith("adk_decl.") and not m.startswith(("adk_decl.cli", "adk_decl.plan"))}
    needed = {"compiler", "compiler.clean_results", "data_files", "disk", "errors", "hook", "version"}
    assert ours <= {f"adk_decl.{name}" for name in needed}
    assert not any(m.startswith(("ruamel", "hashlib", "ast.")) for m in modules)


@pytest.mark.parametrize("options", [[], ["--fmt"]])
def test_the_hook_does_without_click(options: list[str]) -> None:
    assert "click" not in _imported("adk_decl.hook", [*options, "quickstart.adk.yaml"], CHECKOUT / "manifests")


def test_help_imports_no_command() -> None:
    modules = _imported("adk_decl.cli.main", ["--help"], CHECKOUT)
    assert not any(m.startswith(("adk_decl.compiler", "adk_decl.syntax", "adk_decl.components")) for m in modules)
