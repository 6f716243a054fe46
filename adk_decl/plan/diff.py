"""The semantic difference of two plans: what was added, removed, changed and moved, and what that means.

Secrets and variables are shown as references. Values of `config`, instructions and schemas are never shown: what
changed there is said by its path alone.
"""

from __future__ import annotations

from typing import Any

from adk_decl.plan.canonical import to_plain
from adk_decl.plan.changes import ChangeKind, Difference, Steps, component_of, differences
from adk_decl.plan.compared import Compared
from adk_decl.plan.consequences import Consequence, consequences
from adk_decl.plan.frozen_json import FrozenJson, freeze
from adk_decl.plan.model import (
    AgentPlan,
    CodeRef,
    EnvText,
    ModelPlan,
    Origin,
    Plan,
    PlanBody,
    PluginDescriptor,
    RunnerPlan,
    SecretRef,
    ToolPlan,
)
from adk_decl.plan.record import FrozenMap, Record
from adk_decl.plan.words import duration, reference_with_defaults, secret, without_user

DIFF_FORMAT = 1
HIDDEN_FIELDS = frozenset({"config", "description", "instruction", "output_schema", "parameters"})
"""Fields whose values are never shown, nor what lies below them."""

_ADDRESS_FIELDS = frozenset({"base_url"})


class Change(Record):
    """One difference as it may be shown.

    `path` leads to the value by names. `old` and `new` are JSON values, references as text; both are None when
    `hidden`, and where a whole component was added or removed, of which `note` says a few words. `old_origin` and
    `new_origin` say where the value was stated, None where that is not known.
    """

    kind: ChangeKind
    path: Steps
    old: FrozenJson = None
    new: FrozenJson = None
    hidden: bool = False
    note: str = ""
    old_origin: Origin | None = None
    new_origin: Origin | None = None

    @property
    def component(self) -> Steps:
        """The part of the path that names the component; empty for a field of the plan itself."""
        return component_of(self.path)

    @property
    def field(self) -> Steps:
        """The rest of the path; empty when the component as a whole was added or removed."""
        return self.path[len(self.component) :]


class PlanDiff(Record):
    """What two plans differ in. There are no changes exactly when the plans are equal."""

    old_digest: str
    new_digest: str
    changes: tuple[Change, ...]
    consequences: tuple[Consequence, ...]

    def to_json(self) -> dict[str, Any]:
        """Plain data with `format_version`; its schema is `schemas/plan-diff.v1.schema.json`."""
        return {
            "format_version": DIFF_FORMAT,
            "equal": not self.changes,
            "old_digest": self.old_digest,
            "new_digest": self.new_digest,
            "changes": [_change_json(change) for change in self.changes],
            "consequences": [to_plain(each) for each in self.consequences],
        }


def diff_plans(old: Plan, new: Plan, *, runner: str | None = None) -> PlanDiff:
    """The difference of two plans; with `runner` only what concerns that runner and what it reaches."""
    before, after = (plan.body if runner is None else narrowed(plan.body, runner) for plan in (old, new))
    found = differences(before, after)
    return PlanDiff(
        old_digest=old.digest,
        new_digest=new.digest,
        changes=tuple(_shown(difference, old, new) for difference in found),
        consequences=consequences(Compared(before, after, found)) if found else (),
    )


def narrowed(body: PlanBody, name: str) -> PlanBody:
    """A plan with one runner and what it reaches; without any component when it has no such runner."""
    runner = body.runners.get(name)
    agent = body.agents[runner.agent] if runner is not None else None
    return body.replace(
        runners=FrozenMap({name: runner} if runner is not None else {}),
        agents=FrozenMap({agent.name: agent} if agent is not None else {}),
        models=FrozenMap({agent.model: body.models[agent.model]} if agent is not None else {}),
        tools=FrozenMap({tool: body.tools[tool] for tool in agent.tools} if agent is not None else {}),
    )


def _shown(difference: Difference, old: Plan, new: Plan) -> Change:
    hidden = any(step in HIDDEN_FIELDS for step in difference.steps[len(component_of(difference.steps)) :])
    whole = difference.steps == component_of(difference.steps)
    references = [isinstance(value, EnvText | SecretRef) for value in (difference.old, difference.new)]
    show_old, show_new = (not whole and (not hidden or is_reference) for is_reference in references)
    return Change(
        kind=difference.kind,
        path=difference.steps,
        old=_value(difference, difference.old, hidden) if show_old else None,
        new=_value(difference, difference.new, hidden) if show_new else None,
        hidden=hidden,
        note=_note(difference.new if difference.old is None else difference.old) if whole else "",
        old_origin=_origin(old, difference.old_pointer) if difference.kind != "added" else None,
        new_origin=_origin(new, difference.new_pointer) if difference.kind != "removed" else None,
    )


def _value(difference: Difference, value: Any, hidden: bool) -> FrozenJson:
    if isinstance(value, EnvText):
        text = reference_with_defaults(value, hide_text=hidden)
        return without_user(text) if difference.steps[-1] in _ADDRESS_FIELDS else text
    if isinstance(value, SecretRef):
        return f"secret {secret(value)}"
    if isinstance(value, CodeRef):
        return f"{value.module}:{value.attribute}" + (f" in {value.file}" if value.file else "")
    if isinstance(value, str) and difference.steps[-1] in _ADDRESS_FIELDS:
        return without_user(value)
    return freeze(to_plain(value))


def _note(component: Any) -> str:
    """A few words about a component that came or went."""
    if isinstance(component, PluginDescriptor):
        return f"{component.use}, {component.mode}, {component.failure_policy}, {duration(component.timeout_ms)}"
    if isinstance(component, ToolPlan):
        return f"{component.code.module}:{component.code.attribute}, {component.isolation}"
    if isinstance(component, ModelPlan):
        return component.use
    if isinstance(component, AgentPlan):
        return f"model {component.model}"
    return f"agent {component.agent}" if isinstance(component, RunnerPlan) else ""


def _change_json(change: Change) -> dict[str, Any]:
    places = {"old_origin": change.old_origin, "new_origin": change.new_origin}
    plain = {name: to_plain(getattr(change, name)) for name in change._fields if name not in places}
    return plain | {name: _origin_json(origin) for name, origin in places.items()}


def _origin_json(origin: Origin | None) -> dict[str, Any] | None:
    """The place alone: what it says of other layers may hold values that a difference never shows."""
    if origin is None:
        return None
    return {"file": origin.file, "line": origin.line, "column": origin.column, "layer": origin.layer}


def _origin(plan: Plan, pointer: str) -> Origin | None:
    """Where a value was stated; a component, where its name was."""
    for place in (pointer, f"{pointer}/id", f"{pointer}/name"):
        if place in plan.origins:
            return plan.origins[place]
    return None
