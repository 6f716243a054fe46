"""What a runner needs from outside its manifest: environment variables and secrets, by name, never by value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from adk_decl.plan.model import EnvRef, EnvText, Plan, RunnerPlan, SecretRef
from adk_decl.plan.record import Record


class Needs(Record):
    """Names of environment variables without and with a default, and secrets; each sorted."""

    required: tuple[str, ...]
    defaulted: tuple[str, ...]
    secrets: tuple[SecretRef, ...]


def needs_of(plan: Plan, runner: RunnerPlan) -> Needs:
    """What must be there to build this runner, and nothing that only other runners reach."""
    agent = plan.agents[runner.agent]
    reached = (runner, agent, plan.models[agent.model], *(plan.tools[name] for name in agent.tools))
    references = {ref for part in reached for ref in _references(part)}
    variables = [ref for ref in references if isinstance(ref, EnvRef)]
    required = {ref.name for ref in variables if ref.default is None}
    return Needs(
        required=tuple(sorted(required)),
        defaulted=tuple(sorted({ref.name for ref in variables} - required)),
        secrets=tuple(sorted((r for r in references if isinstance(r, SecretRef)), key=lambda r: (r.source, r.name))),
    )


def _references(value: Any) -> Iterator[EnvRef | SecretRef]:
    if isinstance(value, EnvRef | SecretRef):
        yield value
    elif isinstance(value, EnvText):
        yield from (part for part in value.parts if isinstance(part, EnvRef))
    elif isinstance(value, Record):
        for name in value._fields:
            yield from _references(getattr(value, name))
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _references(item)
    elif isinstance(value, tuple):
        for item in value:
            yield from _references(item)
