"""What is examined: one runner of a plan on this machine, as far as it can be resolved."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from adk_decl.plan.model import EnvText, Plan, RunnerPlan
from adk_decl.plan.record import Record
from adk_decl.runtime.build import Reached, look_up


class Subject:
    """One runner. `problems` are sentences about values that are missing or wrong; what they concern stays open."""

    def __init__(self, plan: Plan, runner: RunnerPlan, environment: Mapping[str, str], *, offline: bool) -> None:
        self.plan = plan
        self.runner = runner
        self.environment = environment
        self.offline = offline
        self.reached: Reached
        self.api_key: str | None
        self.problems: tuple[str, ...]
        self.reached, self.api_key, self.problems = look_up(plan, runner.agent, runner, environment)


def is_open(value: Any) -> bool:
    """Whether a value still holds a reference that the environment does not fill."""
    if isinstance(value, EnvText):
        return True
    if isinstance(value, Record):
        return any(is_open(getattr(value, name)) for name in value._fields)
    if isinstance(value, Mapping):
        return any(is_open(item) for item in value.values())
    return isinstance(value, tuple) and any(is_open(item) for item in value)
