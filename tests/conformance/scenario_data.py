"""Reads the scenarios and spells out their sequences."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

FOLDER = Path(__file__).parent
_LOCAL = frozenset({"ba", "aa", "bm", "am", "me", "bt", "at", "te"})


@cache
def document() -> dict[str, Any]:
    """The whole file `plugins.yaml`."""
    loaded: dict[str, Any] = YAML(typ="safe", pure=True).load((FOLDER / "plugins.yaml").read_text(encoding="utf-8"))
    return loaded


def scenarios() -> list[dict[str, Any]]:
    """Scenarios that run."""
    rows: list[dict[str, Any]] = document()["scenarios"]
    return rows


def manifests() -> list[dict[str, Any]]:
    """Scenarios of the compiler."""
    rows: list[dict[str, Any]] = document()["manifests"]
    return rows


def sequence(scenario: dict[str, Any]) -> list[str] | None:
    """The expected log, one entry a step; None when the scenario does not state it."""
    stated = scenario["expect"].get("sequence")
    if stated is None:
        return None
    if isinstance(stated, str):
        return [_with_plugin(step) for step in stated.split()]
    entries: list[str] = []
    for step in document()["bases"][stated["base"]].split():
        entries += _spelled_out(step, stated, scenario.get("local", {}))
    return entries


def _spelled_out(step: str, stated: dict[str, Any], local: dict[str, Any]) -> list[str]:
    if step.startswith("T("):
        return [step]
    before = step[0] == "b" or step[:2] in ("um", "ev")
    names = stated["before" if before else "after"]
    return [f"{name}:{step}" for name in names if name != "L" or step in local.keys() & _LOCAL]


def _with_plugin(step: str) -> str:
    return step if ":" in step or step.startswith("T(") else f"p:{step}"
