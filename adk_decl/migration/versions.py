"""Versions of manifests in order, and the rules that lead from each to the next."""

from __future__ import annotations

from collections.abc import Sequence

from adk_decl.migration.rules import Rule
from adk_decl.plan.record import FrozenMap, Record


class Step(Record):
    """From one `apiVersion` to the next: the rules for all that changed in between."""

    before: str
    after: str
    rules: tuple[Rule, ...]


STEPS: tuple[Step, ...] = ()
"""Every step there is, oldest first. There is one version so far, so there is none."""

CURRENT = "adk-decl/v1"
"""The version that a migration leads to."""


class UnknownVersion(ValueError):
    """An `apiVersion` from which no step leads on."""


def rules_from(version: str, steps: Sequence[Step] = STEPS, *, current: str = CURRENT) -> tuple[Rule, ...]:
    """All rules that lead from a version to the current one, each step ending with the new `apiVersion`.

    Raises `UnknownVersion` when the steps do not lead there.
    """
    by_version = {step.before: step for step in steps}
    rules: list[Rule] = []
    while version != current:
        step = by_version.pop(version, None)
        if step is None:
            raise UnknownVersion(version)
        rules += step.rules
        rules.append(Rule(pattern="apiVersion", values=FrozenMap({step.before: step.after})))
        version = step.after
    return tuple(rules)
