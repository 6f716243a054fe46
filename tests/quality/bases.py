"""The valid manifests that mistakes are made in: our examples, made ones, one with every key, and twins in TOML."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

from adk_decl.diagnostics.diagnostic import DiagnosticBag
from adk_decl.syntax.read import read_bytes
from tests.benchmarks.manifests import manifest

CHECKOUT = Path(__file__).parents[2]
Format = Literal["yaml", "toml"]

_BARE = re.compile(r"[A-Za-z0-9_-]+\Z")


class Base(NamedTuple):
    """A valid manifest."""

    name: str
    format: Format
    text: str


@cache
def bases() -> tuple[Base, ...]:
    """All of them, in a fixed order; each compiles without a finding in a folder that `lay_out` made."""
    texts = {
        "quickstart": _read("manifests/quickstart.adk.yaml"),
        "several": _read("manifests/valid/several.adk.yaml").replace("[..]", "[.]"),
        "rich": (Path(__file__).parent / "rich.adk.yaml").read_text(encoding="utf-8"),
        "made": manifest(90, seed=7),
    }
    yaml = [Base(name, "yaml", text) for name, text in texts.items()]
    twins = [Base(f"{base.name} twin", "toml", toml_twin(base.text)) for base in yaml]
    return (*yaml, Base("limits", "toml", _read("manifests/limits.adk.toml")), *twins)


def lay_out(folder: Path) -> None:
    """The files that the manifests name, as a project of their own."""
    (folder / "pyproject.toml").touch()
    shutil.copytree(
        CHECKOUT / "manifests" / "support", folder / "support", ignore=shutil.ignore_patterns("__pycache__")
    )
    shutil.copy(CHECKOUT / "manifests" / "valid" / "answer.yaml", folder / "answer.yaml")


def toml_twin(text: str) -> str:
    """The same manifest in TOML: a table for each map down to the third level, inline values below."""
    document = read_bytes(text.encode(), file="base", format="yaml", bag=DiagnosticBag())
    assert document is not None
    lines: list[str] = []
    data: Any = document.root.to_plain()
    _table(data, (), lines)
    return "\n".join(lines).lstrip("\n") + "\n"


def _read(name: str) -> str:
    return (CHECKOUT / name).read_text(encoding="utf-8")


def _table(value: Mapping[str, Any], path: tuple[str, ...], lines: list[str]) -> None:
    tables = {key: part for key, part in value.items() if isinstance(part, dict) and part and len(path) < 3}
    plain = {key: part for key, part in value.items() if key not in tables}
    if path and (plain or not tables):
        lines += ["", f"[{'.'.join(_key(step) for step in path)}]"]
    lines += [f"{_key(key)} = {_value(part)}" for key, part in plain.items()]
    for key, part in tables.items():
        _table(part, (*path, key), lines)


def _value(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_key(key)} = {_value(part)}" for key, part in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(_value(item) for item in value) + "]"
    return json.dumps(value, ensure_ascii=False)


def _key(key: str) -> str:
    return key if _BARE.match(key) else json.dumps(key)
