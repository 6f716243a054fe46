"""What a runner needs from outside."""

from __future__ import annotations

from adk_decl.plan.model import EnvRef, EnvText, SecretRef, SessionStorePlan
from adk_decl.plan.needs import needs_of
from adk_decl.plan.record import FrozenMap
from tests.cli.plans import plan, plugin, runner


def test_variables_and_secrets_are_found_wherever_they_stand() -> None:
    deep = FrozenMap({"list": (FrozenMap({"key": SecretRef(source="file", name="key.txt")}),)})
    desk = runner("desk", plugin("p", "before_model", config=deep))
    needs = needs_of(plan(desk), desk)
    assert needs.required == ("DEMO_TIMEOUT",)
    assert needs.defaulted == ("DEMO_MODEL",)
    assert needs.secrets == (SecretRef(source="env", name="DEMO_KEY"), SecretRef(source="file", name="key.txt"))


def test_a_variable_with_and_without_default_is_required() -> None:
    store = SessionStorePlan(use="sqlite", path=EnvText(parts=("a/", EnvRef(name="DEMO_MODEL"))))
    desk = runner("desk", session_store=store)
    needs = needs_of(plan(desk), desk)
    assert needs.required == ("DEMO_MODEL", "DEMO_TIMEOUT")
    assert needs.defaulted == ()


def test_what_only_another_runner_reaches_does_not_count() -> None:
    other = runner("other", session_store=SessionStorePlan(use="sqlite", path=EnvText(parts=(EnvRef(name="OTHER"),))))
    desk = runner("desk")
    assert "OTHER" not in needs_of(plan(desk, other), desk).required
