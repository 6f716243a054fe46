"""The frozen plan and the tables that both sides share. Standard library only."""

from __future__ import annotations

from adk_decl.plan.canonical import canonical_json, digest
from adk_decl.plan.model import Plan
from adk_decl.plan.phases import PHASES, Phase
from adk_decl.plan.record import FrozenError, FrozenMap

__all__ = ["PHASES", "FrozenError", "FrozenMap", "Phase", "Plan", "canonical_json", "digest"]
