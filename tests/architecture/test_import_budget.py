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
    ],
    ids=["help", "version", "validate", "hook"],
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


def test_the_hook_does_without_click() -> None:
    assert "click" not in _imported("adk_decl.hook", ["quickstart.adk.yaml"], CHECKOUT / "manifests")


def test_help_imports_no_command() -> None:
    modules = _imported("adk_decl.cli.main", ["--help"], CHECKOUT)
    assert not any(m.startswith(("adk_decl.compiler", "adk_decl.syntax", "adk_decl.components")) for m in modules)
