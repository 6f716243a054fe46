"""Manifests for tests of layers: plain trees, written as YAML or TOML."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from adk_decl.compiler.compile import CompileResult, compile_file
from tests.compiler.project import write_files

HEAD = {"apiVersion": "adk-decl/v1", "kind": "Manifest"}
OVERLAY = {"apiVersion": "adk-decl/v1", "kind": "Overlay"}
BASE_TEXT = """\
apiVersion: adk-decl/v1
kind: Manifest
name: example
models:
  clerk: {use: scripted, config: {replies: [{text: Hello.}]}}
agents:
  support: {model: clerk}
plugins:
  log: {use: metadata_logger, timeout_ms: 250}
runners:
  desk: {agent: support, plugins: [log]}
"""
"""Lines 4 to 11 are what the layers of a test lie over."""


def compile_layers(
    folder: Path, layers: Mapping[str, str], *, main: str = "base.yaml", overlays: Sequence[str] = ()
) -> CompileResult:
    """Write files beside `base.yaml`, which is `BASE_TEXT` unless given, and compile `main` with overlays."""
    write_files(folder, {"base.yaml": BASE_TEXT, **layers})
    return compile_file(str(folder / main), overlays=[str(folder / name) for name in overlays])


def over_base(folder: Path, overlay: str) -> CompileResult:
    """`BASE_TEXT` with one overlay."""
    return compile_layers(folder, {"over.yaml": overlay}, overlays=["over.yaml"])


def as_yaml(tree: Any) -> str:
    """A tree as YAML, in the style of JSON."""
    return json.dumps(tree, indent=1)


def as_toml(tree: Mapping[str, Any]) -> str:
    """A tree as TOML: each top-level key on a line, with inline tables."""
    return "".join(f"{_key(key)} = {_toml(value)}\n" for key, value in tree.items())


def _toml(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_key(key)} = {_toml(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(value)


def _key(key: str) -> str:
    return json.dumps(key)
