"""What the rules about consequences look at, and what they say: two plans, their differences, findings in words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Literal, NamedTuple

from adk_decl.plan.changes import Difference, Steps, component_of
from adk_decl.plan.model import EnvText, PlanBody
from adk_decl.plan.words import duration, number, size

Level = Literal["weakens", "strengthens", "needs", "costs"]


class Compared(NamedTuple):
    """Two plans and every difference of them."""

    old: PlanBody
    new: PlanBody
    found: tuple[Difference, ...]


class Effect(NamedTuple):
    """What one rule found: the path that it is about, and what it means in words."""

    steps: Steps
    text: str


Find = Callable[[Compared], Iterable[Effect]]


def changed(compared: Compared, patterns: Iterable[str]) -> Iterator[Difference]:
    """Values that differ and whose path has one of these forms, in which `*` stands for any one step."""
    forms = [tuple(pattern.split(".")) for pattern in patterns]
    for difference in compared.found:
        if any(_fits(form, difference.steps) for form in forms):
            yield difference


def _fits(form: Steps, steps: Steps) -> bool:
    return len(form) == len(steps) and all(part in ("*", step) for part, step in zip(form, steps, strict=True))


def named(steps: Steps) -> str:
    """A component in words: ``plugin `guard` of runner `desk` ``; what is no component is `the plan`."""
    parts = component_of(steps)
    if len(parts) == 4:
        return f"{_SINGULAR[parts[2]]} `{parts[3]}` of {_SINGULAR[parts[0]]} `{parts[1]}`"
    return f"{_SINGULAR.get(parts[0], parts[0])} `{parts[1]}`" if parts else "the plan"


_NAMES_LISTED = 8
_SINGULAR = {
    "agents": "agent",
    "callbacks": "callback",
    "models": "model",
    "plugins": "plugin",
    "runners": "runner",
    "tools": "tool",
}


def several(names: Iterable[str]) -> str:
    """Up to eight names, comma separated, and how many more there are."""
    every = tuple(names)
    more = len(every) - _NAMES_LISTED
    return ", ".join(every[:_NAMES_LISTED]) + (f" and {more} more" if more > 0 else "")


def quantity(field: str, value: int | EnvText | None) -> str:
    """A number with the unit that the name of its field ends in; `none` for nothing."""
    if value is None:
        return "none"
    if field.endswith("_ms"):
        return duration(value)
    if isinstance(value, EnvText):
        return number(value)
    if field.endswith("_bytes"):
        return size(value)
    return f"{value} MiB" if field.endswith("_mib") else str(value)


def least_known(value: Any) -> int | float | None:
    """A number as far as the plan knows it: itself, or what the defaults of its references say; else None."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return value
    if not isinstance(value, EnvText):
        return None
    try:
        return float("".join(part if isinstance(part, str) else part.default or "" for part in value.parts))
    except ValueError:
        return None
