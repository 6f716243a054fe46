"""The frozen plan and the tables that both sides share. Standard library only.

Names are loaded when first used: the command line needs the tables of this package, and not the plan.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from adk_decl.plan.canonical import canonical_json, digest
    from adk_decl.plan.model import Plan
    from adk_decl.plan.phases import PHASES, Phase
    from adk_decl.plan.record import FrozenError, FrozenMap

_HOMES = {
    "PHASES": "phases",
    "FrozenError": "record",
    "FrozenMap": "record",
    "Phase": "phases",
    "Plan": "model",
    "canonical_json": "canonical",
    "digest": "canonical",
}

__all__ = ["PHASES", "FrozenError", "FrozenMap", "Phase", "Plan", "canonical_json", "digest"]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'adk_decl.plan' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"adk_decl.plan.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
