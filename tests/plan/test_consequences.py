"""What a change means: a case for each rule, and cases in which nothing may be said."""

from __future__ import annotations

from typing import Any

import pytest

from adk_decl.plan import value_rules
from adk_decl.plan.changes import component_of
from adk_decl.plan.consequences import LEVELS, RULES
from adk_decl.plan.diff import diff_plans
from adk_decl.plan.model import Breaker, EnvRef, EnvText, Plan, SecretRef, When
from adk_decl.plan.record import FrozenMap
from tests.cli.plans import plan, plugin, runner
from tests.plan.compared_plans import (
    compare,
    fields,
    full_plan,
    replaced,
    rules,
    text_of_rule,
    with_plugins,
    with_value,
)

REDACT, AUDIT, QUOTA = full_plan().runners["desk"].plugins
GUARD = "runners.desk.plugins.redact"
ENV = EnvText(parts=(EnvRef(name="CALLS", default="90"),), type="integer", minimum=1, maximum=100)


BREAKER = Breaker(failures=3, window_ms=1000, cooldown_ms=1000)


def with_models(**changes: Any) -> Plan:
    """The full plan with changes of its model."""
    return with_value("models.fast", full_plan().models["fast"].replace(**changes))


CASES: dict[str, tuple[Plan, Plan, set[str], str]] = {
    "guard_removed": (
        full_plan(),
        with_plugins(AUDIT, QUOTA),
        {"guard_removed"},
        "`redact` no longer runs in runner `desk`: a closed guard",
    ),
    "guard_observes": (
        full_plan(),
        with_value(f"{GUARD}.mode", "observe"),
        {"guard_observes"},
        "plugin `redact` of runner `desk` only observes now: it can neither change nor stop a call",
    ),
    "guard_shadowed": (
        full_plan(),
        with_value(f"{GUARD}.mode", "shadow"),
        {"guard_shadowed"},
        "plugin `redact` of runner `desk` is in shadow now: it can neither change nor stop a call",
    ),
    "guard_replaced": (
        full_plan(),
        with_value(f"{GUARD}.use", "python:policy:Other"),
        {"guard_replaced"},
        "plugin `redact` of runner `desk` is python:policy:Other now, and was python:policy:Redact",
    ),
    "phase_dropped": (
        full_plan(),
        with_value(f"{GUARD}.hooks", ("before_model",)),
        {"phase_dropped"},
        "`redact` no longer runs in after_model of runner `desk`",
    ),
    "guard_narrowed": (
        full_plan(),
        with_value("runners.desk.plugins.quota.when", When(tools=("refund",))),
        {"guard_narrowed"},
        "`quota` no longer sees calls of `lookup_order` in runner `desk`",
    ),
    "guard_widened": (
        with_value("runners.desk.plugins.quota.when", When(tools=("refund",))),
        full_plan(),
        {"guard_widened"},
        "`quota` sees calls of `lookup_order` in runner `desk`",
    ),
    "guard_reordered": (
        full_plan(),
        with_plugins(QUOTA, AUDIT, REDACT),
        {"guard_reordered"},
        "guard `quota` of runner `desk` now runs before `redact`, which may change what it let pass: in before_model | "
        "guard `redact` of runner `desk` now runs after `quota`, which may end the phase first: in before_model",
    ),
    "policy_opened": (
        full_plan(),
        with_value(f"{GUARD}.failure_policy", "open"),
        {"policy_opened"},
        "a failure of plugin `redact` of runner `desk` lets the call pass now",
    ),
    "guard_starved": (
        with_plugins(REDACT.replace(failure_policy="open")),
        with_plugins(REDACT.replace(failure_policy="open", timeout_ms=5)),
        {"guard_starved"},
        "timeout_ms of plugin `redact` of runner `desk`: 250 ms → 5 ms; where that is too little, the call passes",
    ),
    "guard_switched_off": (
        with_plugins(REDACT.replace(failure_policy="open")),
        with_plugins(REDACT.replace(failure_policy="open", breaker=BREAKER)),
        {"guard_switched_off"},
        "plugin `redact` of runner `desk` is skipped after repeated failures: calls pass unchecked",
    ),
    "limit_relaxed": (
        full_plan(),
        with_value("runners.desk.limits.max_model_calls", 80),
        {"limit_relaxed"},
        "max_model_calls of runner `desk`: 16 → 80",
    ),
    "limit_removed": (
        with_models(requests_per_minute=60),
        with_models(requests_per_minute=0),
        {"limit_removed"},
        "model `fast` has no requests_per_minute any more",
    ),
    "limit_from_environment": (
        full_plan(),
        with_value("runners.desk.limits.max_model_calls", ENV),
        {"limit_from_environment", "limit_relaxed", "variable_added"},
        "max_model_calls of runner `desk` now comes from the environment, and may be up to 100",
    ),
    "unenforced_allowed": (
        full_plan(),
        with_value("runners.desk.unenforced", "warn"),
        {"unenforced_allowed"},
        "runner `desk` runs where limits can't be enforced, with a warning",
    ),
    "heap_undeclared": (
        with_value(f"{GUARD}.heap_declared", True),
        full_plan(),
        {"heap_undeclared"},
        "the memory limit of plugin `redact` of runner `desk` is a default, which a machine need not enforce",
    ),
    "isolation_weakened": (
        full_plan(),
        with_value("tools.lookup_order.isolation", "inline"),
        {"isolation_weakened"},
        "tool `lookup_order` runs in this process, where it can't be stopped",
    ),
    "domain_merged": (
        with_value(f"{GUARD}.domain", "domain:safe@project"),
        full_plan(),
        {"domain_merged"},
        "plugin `redact` of runner `desk` shares its processes with tool `lookup_order`, tool `refund`, "
        "plugin `shield` of agent `support`, callback `before_tool` of agent `support`, "
        "callback `before_tool` of agent `second`, plugin `audit` of runner `desk`, "
        "plugin `quota` of runner `desk` now",
    ),
    "encryption_dropped": (
        full_plan(),
        with_models(base_url="http://models.example.com/v1"),
        {"encryption_dropped", "model_changed"},
        "model `fast` talks to models.example.com without encryption",
    ),
    "answer_unchecked": (
        full_plan(),
        with_value("agents.support.output_schema", None),
        {"answer_unchecked"},
        "no schema checks the answer of agent `support` any more",
    ),
    "guard_added": (
        with_plugins(AUDIT, QUOTA),
        full_plan(),
        {"guard_added", "phase_slower", "code_added"},
        "`redact` intervenes in runner `desk`, closed",
    ),
    "guard_intervenes": (
        with_value(f"{GUARD}.mode", "observe"),
        full_plan(),
        {"guard_intervenes"},
        "plugin `redact` of runner `desk` may change and stop calls now",
    ),
    "breaker_removed": (
        full_plan(),
        with_value("runners.desk.plugins.audit.breaker", None),
        {"breaker_removed"},
        "repeated failures do not switch plugin `audit` of runner `desk` off any more",
    ),
    "policy_closed": (
        full_plan(),
        with_value("runners.desk.plugins.audit.failure_policy", "closed"),
        {"policy_closed"},
        "a failure of plugin `audit` of runner `desk` ends the run now",
    ),
    "limit_tightened": (
        with_models(requests_per_minute=0),
        with_models(requests_per_minute=60),
        {"limit_tightened"},
        "requests_per_minute of model `fast`: 0 → 60",
    ),
    "unenforced_refused": (
        with_value("runners.desk.unenforced", "warn"),
        full_plan(),
        {"unenforced_refused"},
        "runner `desk` refuses to run where limits can't be enforced",
    ),
    "heap_declared": (
        full_plan(),
        with_value(f"{GUARD}.heap_declared", True),
        {"heap_declared"},
        "the memory limit of plugin `redact` of runner `desk` has to be enforced",
    ),
    "isolation_strengthened": (
        full_plan(),
        with_value("tools.refund.isolation", "worker"),
        {"isolation_strengthened"},
        "tool `refund` runs in a worker, where it can be stopped",
    ),
    "domain_split": (
        full_plan(),
        with_value("tools.refund.domain", "tools@project"),
        {"domain_split"},
        "",
    ),
    "answer_checked": (
        with_value("agents.support.output_schema", None),
        full_plan(),
        {"answer_checked"},
        "a schema checks the answer of agent `support` now",
    ),
    "secret_added": (
        full_plan(),
        with_value(f"{GUARD}.config.token", SecretRef(source="env", name="TOKEN")),
        {"secret_added"},
        "plugin `redact` of runner `desk` reads the secret env TOKEN",
    ),
    "variable_added": (
        full_plan(),
        with_value("runners.desk.session_store.config.mode", EnvText(parts=(EnvRef(name="MODE"),))),
        {"variable_added"},
        "runner `desk` reads the environment variable MODE, which has no default",
    ),
    "variable_required": (
        full_plan(),
        with_value("models.fast.model", EnvText(parts=(EnvRef(name="DEMO_MODEL"),))),
        {"variable_required", "model_changed"},
        "the environment variable DEMO_MODEL has no default any more",
    ),
    "host_added": (
        full_plan(),
        with_models(base_url="https://user:planted@Other.example:8443/v1?key=planted"),
        {"host_added", "model_changed"},
        "model `fast` talks to other.example:8443",
    ),
    "code_added": (
        full_plan(),
        with_value("tools.refund.code", full_plan().tools["refund"].code.replace(attribute="refund_all")),
        {"code_added"},
        "tool `refund` runs orders.tools:refund_all (orders/tools.py), in this process",
    ),
    "tool_added": (
        with_value("agents.support.tools", ("lookup_order",)),
        full_plan(),
        {"tool_added"},
        "the model of agent `support` may call tool `refund`: orders.tools:refund, in this process, 5 s",
    ),
    "timeout_raised": (
        full_plan(),
        with_value("tools.refund.timeout_ms", 7500),
        {"timeout_raised"},
        "timeout_ms of tool `refund`: 5 s → 7.5 s",
    ),
    "phase_slower": (
        full_plan(),
        with_value(f"{GUARD}.timeout_ms", 500),
        {"timeout_raised", "phase_slower"},
        "plugins of runner `desk` may take longer: before_model 750 ms → 1 s; after_model 500 ms → 750 ms",
    ),
    "heap_raised": (
        full_plan(),
        with_value(f"{GUARD}.max_heap_mib", 64),
        {"heap_raised"},
        "max_heap_mib of plugin `redact` of runner `desk`: 32 MiB → 64 MiB",
    ),
    "load_raised": (
        full_plan(),
        with_value("models.fast.retries.max_attempts", 5),
        {"load_raised"},
        "max_attempts of model `fast`: 3 → 5",
    ),
    "model_changed": (
        full_plan(),
        with_value("agents.support.model", "large"),
        {"model_changed"},
        "agent `support` has another model: answers, speed and price may differ",
    ),
    "agent_changed": (
        full_plan(),
        with_value("runners.desk.agent", "second"),
        {"agent_changed", "guard_removed"},
        "runner `desk` runs another agent: its model, instruction and tools count now",
    ),
    "session_store_changed": (
        full_plan(),
        with_value("runners.desk.session_store.path", "elsewhere.db"),
        {"session_store_changed"},
        "runner `desk` keeps sessions elsewhere: those of before are not found there",
    ),
}


def test_every_rule_has_a_case() -> None:
    assert set(CASES) == {rule.name for rule in RULES}
    assert [rule.level for rule in RULES] == sorted((rule.level for rule in RULES), key=LEVELS.index)


@pytest.mark.parametrize("rule", CASES)
def test_a_change_is_called_what_it_is(rule: str) -> None:
    old, new, expected, text = CASES[rule]
    diff = diff_plans(old, new)
    assert rules(diff) == expected
    assert not text or text_of_rule(diff, rule) == text
    assert "planted" not in text_of_rule(diff, rule)


@pytest.mark.parametrize("rule", CASES)
def test_a_consequence_leads_to_something_that_exists(rule: str) -> None:
    old, new, _, _ = CASES[rule]
    for each in diff_plans(old, new).consequences:
        table, name = component_of(each.path)[:2]
        assert name in getattr(old.body, table) or name in getattr(new.body, table)


@pytest.mark.parametrize("name", [name for name in dir(value_rules) if name.isupper() and name[0] != "_"])
def test_every_pattern_of_a_rule_leads_to_a_field(name: str) -> None:
    paths = [steps for steps, _ in fields(full_plan().body)]
    for pattern in getattr(value_rules, name):
        form = pattern.split(".")
        assert any(
            len(steps) == len(form) and all(part in ("*", step) for part, step in zip(form, steps, strict=True))
            for steps in paths
        ) or (name == "HOOKED"), pattern


def test_nothing_is_said_about_equal_plans() -> None:
    assert compare(full_plan(), full_plan()).consequences == ()


def test_an_observer_that_goes_protects_nothing() -> None:
    assert rules(compare(full_plan(), with_plugins(REDACT, QUOTA))) == set()


def test_another_place_for_the_same_guard_is_no_loss() -> None:
    shield = plugin("shield", "after_model", "before_tool")
    assert rules(compare(plan(runner("desk")), with_shield_in_the_runner(shield))) <= {"phase_slower"}
    outer = plugin("outer", "before_run", "before_model")
    diff = compare(plan(runner("desk", outer)), _with_agent_plugins(plan(runner("desk")), shield, outer))
    assert text_of_rule(diff, "phase_dropped") == "`outer` no longer runs in before_run of runner `desk`"


def test_another_agent_brings_its_tools() -> None:
    poor = full_plan().agents["second"].replace(tools=())
    old = with_value("agents.second", poor)
    old = old.replace(body=replaced(old.body, ("runners", "desk", "agent"), "second"))
    new = old.replace(body=replaced(old.body, ("runners", "desk", "agent"), "support"))
    assert text_of_rule(compare(old, new), "tool_added") == (
        "the model of runner `desk` may call tool `lookup_order`: orders.tools:lookup_order, in a worker of project, "
        "5 s | the model of runner `desk` may call tool `refund`: orders.tools:refund, in this process, 5 s"
    )


def test_a_new_name_of_a_runner_hides_no_loss() -> None:
    old = plan(runner("desk", plugin("redact", "before_model")))
    diff = compare(old, plan(runner("front")))
    assert text_of_rule(diff, "guard_removed") == "`redact` no longer runs in runner `front`: a closed guard"


def test_a_guard_of_an_agent_is_told_once_with_all_its_runners() -> None:
    old, new = plan(runner("a"), runner("b")), _with_agent_plugins(plan(runner("a"), runner("b")))
    assert text_of_rule(compare(old, new), "guard_removed") == (
        "`shield` no longer runs in runner `a` and runner `b`: a closed guard"
    )


def test_an_agent_that_no_runner_uses_is_compared_too() -> None:
    diff = compare(plan(), _with_agent_plugins(plan()))
    assert text_of_rule(diff, "guard_removed") == "`shield` no longer runs in agent `support`: a closed guard"


def test_priority_order_turns_after_phases_round() -> None:
    both = (plugin("a", "after_model"), plugin("b", "after_model"))
    diff = compare(plan(runner("desk", *both)), plan(runner("desk", *both, plugin_order="priority")))
    assert "guard_reordered" in rules(diff)


def test_a_guard_that_is_for_other_agents_now_is_gone() -> None:
    old = plan(runner("desk", plugin("redact", "before_model", "after_run")))
    new = plan(runner("desk", plugin("redact", "before_model", "after_run").replace(when=When(agents=("other",)))))
    assert text_of_rule(compare(old, new), "guard_removed") == (
        "`redact` no longer runs in runner `desk`: a closed guard"
    )


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"failures": 2}, "failures of the breaker of plugin `redact` of runner `desk`: 3 → 2"),
        ({"cooldown_ms": 5000}, "cooldown_ms of the breaker of plugin `redact` of runner `desk`: 1 s → 5 s"),
        ({"failures": 9}, ""),
        ({"cooldown_ms": 500}, ""),
    ],
)
def test_a_breaker_that_opens_sooner_or_longer(change: dict[str, int], told: str) -> None:
    guard = REDACT.replace(failure_policy="open", breaker=BREAKER)
    diff = compare(with_plugins(guard), with_plugins(guard.replace(breaker=BREAKER.replace(**change))))
    assert text_of_rule(diff, "guard_switched_off") == told


def test_a_guard_that_passed_many_is_told_once() -> None:
    guards = [plugin(f"g{number}", "before_model", "after_model") for number in range(20)]
    diff = compare(plan(runner("desk", *guards)), plan(runner("desk", *guards[1:], guards[0])))
    told = [each.text for each in diff.consequences if each.path[-1] == "g0"]
    assert told == [
        "guard `g0` of runner `desk` now runs after `g1`, `g2`, `g3`, `g4`, `g5`, `g6`, `g7`, `g8` and 11 more, "
        "which may end the phase first: in before_model, after_model"
    ]
    assert len(diff.consequences) == 20


def test_what_the_environment_may_set_beyond_a_default_is_not_compared_by_guessing() -> None:
    unknown = EnvText(parts=(EnvRef(name="N"),), type="integer", minimum=1, maximum=9)
    old, new = with_value("runners.desk.limits.max_model_calls", unknown), full_plan()
    assert "limit_tightened" not in rules(compare(old, new))
    assert "limit_relaxed" not in rules(compare(old, new))


def with_shield_in_the_runner(shield: Any) -> Plan:
    """The agent's own plugin, in the list of its runner."""
    return _with_agent_plugins(plan(runner("desk", shield)))


def _with_agent_plugins(made: Plan, *plugins: Any) -> Plan:
    agent = made.agents["support"].replace(plugins=plugins)
    return made.replace(body=made.body.replace(agents=FrozenMap({"support": agent})))
