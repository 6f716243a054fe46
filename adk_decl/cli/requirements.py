"""What a plan needs from outside: each environment variable and secret with the places that use it, never a value."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Literal

from adk_decl.plan.leaves import field_path, leaves, pointer
from adk_decl.plan.model import EnvRef, EnvText, Origin, Plan, RunnerPlan, SecretRef
from adk_decl.plan.record import Record
from adk_decl.scalars import convert

Kind = Literal["variable", "secret", "secret file"]
State = Literal["set", "default", "missing", "unfit"]


class Use(Record):
    """One place that uses a variable or secret: its field path, where it is stated, and its default there.

    `default_hidden` says that there is a default that may not be shown, because it stands inside `config`.
    """

    path: str
    origin: Origin
    default: str | None = None
    default_hidden: bool = False
    text: EnvText | None = None


class Requirement(Record):
    """One environment variable, secret in a variable, or secret in a file. `name` is a path for a file."""

    name: str
    kind: Kind
    uses: tuple[Use, ...]

    @property
    def required(self) -> bool:
        """Whether some place has no default for it."""
        return any(use.default is None and not use.default_hidden for use in self.uses)


def requirements(plan: Plan, runner: RunnerPlan | None = None) -> tuple[Requirement, ...]:
    """All that the plan needs, or one runner of it: secrets last, by name."""
    found: dict[tuple[Kind, str], dict[str, Use]] = {}
    for kind, name, use in _uses(plan, _reached(plan, runner)):
        found.setdefault((kind, name), {})[use.path] = use
    order = sorted(found, key=lambda key: (key[0] != "variable", key))
    return tuple(Requirement(kind=key[0], name=key[1], uses=tuple(found[key].values())) for key in order)


def state(needed: Requirement, environment: Mapping[str, str], project_root: str) -> tuple[State, str | None]:
    """Whether something is there, and for `unfit` what its value would have to be. No value is told.

    A default stands in for a variable that is unset or empty; a secret may not be empty. Of a file only its presence
    is looked at.
    """
    if needed.kind == "secret file":
        path = os.path.join(project_root, needed.name)
        return ("set" if os.path.isfile(path) and os.access(path, os.R_OK) else "missing"), None
    value = environment.get(needed.name)
    if needed.kind == "secret":
        return ("set" if value else "missing"), None
    if value is None and needed.required:
        return "missing", None
    for use in needed.uses:
        reason = _misfit(use, environment)
        if reason is not None:
            return "unfit", reason
    return ("set" if value or needed.required else "default"), None


def _uses(plan: Plan, reached: frozenset[tuple[str, str]] | None) -> Iterator[tuple[Kind, str, Use]]:
    for steps, value in leaves(plan.body):
        if not isinstance(value, EnvText | SecretRef) or (reached is not None and steps[:2] not in reached):
            continue
        path, origin = field_path(plan.body, steps), plan.origins[pointer(steps)]
        if isinstance(value, SecretRef):
            yield "secret" if value.source == "env" else "secret file", value.name, Use(path=path, origin=origin)
            continue
        hidden = "config" in steps
        for part in value.parts:
            if isinstance(part, EnvRef):
                default = None if hidden else part.default
                secret = hidden and part.default is not None
                use = Use(path=path, origin=origin, default=default, default_hidden=secret, text=value)
                yield "variable", part.name, use


def _reached(plan: Plan, runner: RunnerPlan | None) -> frozenset[tuple[str, str]] | None:
    """The parts of the plan that building a runner reads; None for all."""
    if runner is None:
        return None
    agent = plan.agents[runner.agent]
    tools = (("tools", name) for name in agent.tools)
    return frozenset((("runners", runner.name), ("agents", agent.name), ("models", agent.model), *tools))


def _misfit(use: Use, environment: Mapping[str, str]) -> str | None:
    """What the field of a reference needs and does not get; None when it gets it, or something is missing."""
    text = use.text
    if text is None:
        return None
    pieces = [part if isinstance(part, str) else environment.get(part.name) or part.default for part in text.parts]
    if any(piece is None for piece in pieces):
        return None
    try:
        joined = "".join(piece for piece in pieces if piece is not None)
        convert(joined, text.type, minimum=text.minimum, maximum=text.maximum, choices=text.choices)
    except ValueError as error:
        return str(error)
    return None
