"""A plan in which no field is empty, and plans that differ from it in one thing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from adk_decl.plan.diff import PlanDiff, diff_plans
from adk_decl.plan.model import (
    Breaker,
    CallbackLimits,
    EnvRef,
    EnvText,
    Generation,
    Plan,
    PlanBody,
    PluginDescriptor,
    Price,
    RunnerPlan,
    SecretRef,
    SessionStorePlan,
    When,
    freeze_plan,
)
from adk_decl.plan.record import EMPTY_MAP, FrozenMap, Record
from tests.cli.plans import plan, plugin, runner

GENERATION = Generation(temperature=0.5, top_p=0.9, max_output_tokens=512, stop=("END",), seed=7)
LIMITS = CallbackLimits(
    failure_policy="closed", timeout_ms=500, max_heap_mib=32, max_result_bytes=1024, heap_declared=True
)


def full_plan() -> Plan:
    """One of everything."""
    store = SessionStorePlan(use="sqlite", path="sessions.db", config=FrozenMap({"mode": "wal"}))
    desk = runner(
        "desk",
        plugin("redact", "before_model", "after_model"),
        plugin("audit", "before_model", "after_run", mode="observe", failure_policy="open").replace(
            when=When(agents=("second", "support"), models=("fast", "large")),
            breaker=Breaker(failures=5, window_ms=60_000, cooldown_ms=30_000),
        ),
        plugin("quota", "before_model", "before_tool"),
        local_callbacks=LIMITS,
        session_store=store,
    )
    body = plan(desk).body
    fast = body.models["fast"].replace(
        generation=GENERATION,
        price=Price(input=1.0, output=2.0, cached=0.5, currency="EUR"),
        config=FrozenMap({"key": SecretRef(source="file", name="key.txt")}),
    )
    lookup = body.tools["lookup_order"].replace(
        context_parameter="context", config=FrozenMap({"path": EnvText(parts=("a/", EnvRef(name="PLACE")))})
    )
    agent = body.agents["support"].replace(description="Answers.", generation=GENERATION)
    return frozen(
        body.replace(
            description="A plan.",
            models=FrozenMap({"fast": fast, "large": body.models["fast"].replace(name="large")}),
            tools=FrozenMap({**body.tools, "lookup_order": lookup}),
            agents=FrozenMap({"support": agent, "second": agent.replace(name="second", plugins=())}),
        )
    )


def fields(value: Any, steps: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every field of every record of a plan, with its path by names."""
    if isinstance(value, Record):
        for name in value._fields:
            yield (*steps, name), getattr(value, name)
            yield from fields(getattr(value, name), (*steps, name))
    elif isinstance(value, Mapping):
        for name, item in value.items():
            yield from fields(item, (*steps, name))
    elif isinstance(value, tuple):
        for item in value:
            if isinstance(item, Record) and not isinstance(item, EnvRef):
                yield from fields(item, (*steps, getattr(item, "id", "?")))


def frozen(body: PlanBody) -> Plan:
    """A plan with its real digest."""
    return freeze_plan(
        body, project_root="/project", manifest_file="demo.adk.yaml", code_roots=(".",), origins=EMPTY_MAP
    )


def replaced(value: Any, steps: tuple[str, ...], new: Any) -> Any:
    """A copy of a frozen value with what lies under a path of names replaced; plugins of a list go by id."""
    if not steps:
        return new
    name, rest = steps[0], steps[1:]
    if isinstance(value, FrozenMap):
        return FrozenMap({**value, name: replaced(value.get(name), rest, new)})
    if isinstance(value, tuple):
        return tuple(replaced(item, rest, new) if item.id == name else item for item in value)
    assert isinstance(value, Record)
    return value.replace(**{name: replaced(getattr(value, name), rest, new)})


def with_value(path: str, new: Any) -> Plan:
    """The full plan with another value under a dotted path."""
    return frozen(replaced(full_plan().body, tuple(path.split(".")), new))


def with_plugins(*plugins: PluginDescriptor, **changes: object) -> Plan:
    """The full plan with other plugins in its runner."""
    desk: RunnerPlan = full_plan().runners["desk"].replace(plugins=plugins, **changes)
    return with_value("runners.desk", desk)


def compare(old: Plan, new: Plan) -> PlanDiff:
    """Their difference."""
    return diff_plans(old, new)


def rules(diff: PlanDiff) -> set[str]:
    """The names of the rules that found something."""
    return {each.rule for each in diff.consequences}


def text_of_rule(diff: PlanDiff, rule: str) -> str:
    """What one rule says, its sentences joined."""
    return " | ".join(each.text for each in diff.consequences if each.rule == rule)
