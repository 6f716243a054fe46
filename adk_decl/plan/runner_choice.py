"""Which runner is meant when none is named: the only one, or the one called `default`."""

from __future__ import annotations

from adk_decl.plan.model import Plan, RunnerPlan

DEFAULT_RUNNER = "default"


class RunnerChoiceError(LookupError):
    """No runner is meant, or one that does not exist. The text is a complete sentence."""


def choose_runner(plan: Plan, name: str | None = None) -> RunnerPlan:
    """The runner of that name; without a name the only one or `default`. Raises `RunnerChoiceError`."""
    runners = plan.runners
    if name is not None:
        if name in runners:
            return runners[name]
        raise RunnerChoiceError(f"there is no runner {name!r}; {_list(plan)}")
    if len(runners) == 1:
        return next(iter(runners.values()))
    if DEFAULT_RUNNER in runners:
        return runners[DEFAULT_RUNNER]
    raise RunnerChoiceError(f"name a runner; {_list(plan)}" if runners else _list(plan))


def _list(plan: Plan) -> str:
    if not plan.runners:
        return "the manifest defines no runner"
    return "the manifest defines " + ", ".join(sorted(plan.runners))
