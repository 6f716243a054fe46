"""The difference of two plans: complete, empty for equal plans, and without any value that may not be shown."""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adk_decl.json_schema import validator
from adk_decl.plan import model
from adk_decl.plan.diff import HIDDEN_FIELDS, diff_plans, narrowed
from adk_decl.plan.model import EnvRef, EnvText, Origin, SecretRef
from adk_decl.plan.record import FrozenMap, Record
from tests.architecture.sources import CHECKOUT
from tests.cli.plans import HIDDEN, plan, plugin, runner
from tests.plan.compared_plans import compare, fields, frozen, full_plan, replaced, with_value

Steps = tuple[str, ...]
NOT_IN_A_BODY = {"Plan", "Origin", "Replaced"}
"""Records of the plan that stand outside its body, and so outside of every difference."""


def other(value: Any) -> Any:
    """A value of the same kind that is not the same; None where a part of the value has to differ instead."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    if isinstance(value, str):
        return value + "x"
    if isinstance(value, tuple) and value and all(isinstance(item, str) for item in value):
        return (*value, "x")
    return None


REFERENCES: dict[Steps, Any] = {
    ("agents", "support", "tools"): ("lookup_order",),
    ("agents", "support", "model"): "large",
    ("agents", "second", "tools"): ("lookup_order",),
    ("agents", "second", "model"): "large",
    ("runners", "desk", "agent"): "second",
}
"""Other values of fields that name a component."""

FIELDS = [
    (steps, REFERENCES.get(steps, other(value)))
    for steps, value in fields(full_plan().body)
    if other(value) is not None
]


def test_the_full_plan_holds_every_record_there_is() -> None:
    known = {name for name, kind in inspect.getmembers(model, inspect.isclass) if issubclass(kind, Record)}
    seen = {type(value).__name__ for _, value in fields(full_plan().body)}
    seen |= {type(item).__name__ for _, value in fields(full_plan().body) for item in _inside(value)}
    assert known - {"Record", "PlanBody"} - NOT_IN_A_BODY - seen == set()


@pytest.mark.parametrize(("steps", "changed"), FIELDS, ids=[".".join(steps) for steps, _ in FIELDS])
def test_every_field_counts(steps: Steps, changed: Any) -> None:
    new = frozen(replaced(full_plan().body, steps, changed))
    paths = [change.path for change in compare(full_plan(), new).changes]
    assert paths
    assert all(path[: len(steps)] == steps[: len(path)] for path in paths)


@pytest.mark.parametrize("path", ["runners.desk.local_callbacks", "models.fast.price", "agents.support.output_schema"])
def test_what_is_not_there_differs_from_what_is(path: str) -> None:
    assert [".".join(change.path) for change in compare(full_plan(), with_value(path, None)).changes] == [path]
    assert [".".join(change.path) for change in compare(with_value(path, None), full_plan()).changes] == [path]


def test_a_plan_does_not_differ_from_itself() -> None:
    diff = compare(full_plan(), full_plan())
    assert (diff.changes, diff.consequences) == ((), ())
    assert diff.to_json()["equal"] is True


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats(-2, 2) | st.sampled_from(["", "a", "1"]),
    lambda inner: (
        st.lists(inner, max_size=2).map(tuple)
        | st.dictionaries(st.sampled_from(["a", "b"]), inner, max_size=2).map(FrozenMap)
    ),
    max_leaves=4,
)


@given(JSON, JSON)
def test_there_is_a_change_exactly_when_the_digests_differ(first: Any, second: Any) -> None:
    old, new = (
        with_value("runners.desk.plugins.redact.config", FrozenMap({"value": value})) for value in (first, second)
    )
    assert bool(compare(old, new).changes) == (old.digest != new.digest)


@given(st.permutations(["a", "b", "c", "d"]), st.permutations(["a", "b", "c", "d", "e"]))
def test_the_way_back_has_the_same_size(before: list[str], after: list[str]) -> None:
    old, new = (plan(runner("desk", *(plugin(name, "before_model") for name in names))) for names in (before, after))
    there, back = diff_plans(old, new), diff_plans(new, old)
    assert len(there.changes) == len(back.changes)
    assert {c.path for c in there.changes} == {c.path for c in back.changes}


@given(st.lists(st.sampled_from(range(len(FIELDS))), max_size=6, unique=True))
def test_many_changes_at_once(chosen: list[int]) -> None:
    body = full_plan().body
    for steps, changed in (FIELDS[index] for index in chosen):
        with suppress(AttributeError, KeyError):  # a field of something that an earlier change renamed
            body = replaced(body, steps, changed)
    old, new = full_plan(), frozen(body)
    for diff in (compare(old, new), compare(new, old)):
        assert bool(diff.changes) == (old.digest != new.digest)
        assert HIDDEN not in json.dumps(diff.to_json())


def test_true_is_not_one() -> None:
    old, new = (with_value("tools.refund.config", FrozenMap({"a": value})) for value in (1, True))
    assert [change.path[-1] for change in compare(old, new).changes] == ["a"]
    same = with_value("tools.refund.config", FrozenMap({"a": 1.0}))
    assert compare(old, same).changes == ()


@pytest.mark.parametrize("field", sorted(HIDDEN_FIELDS))
def test_hidden_values_stand_nowhere(field: str) -> None:
    planted, steps = "planted-value-7", next(s for s, _ in fields(full_plan().body) if s[-1] == field and len(s) > 1)
    secret = planted if field in ("instruction", "description") else FrozenMap({"deep": FrozenMap({"x": (planted,)})})
    there = frozen(replaced(full_plan().body, steps, secret))
    for diff in (compare(full_plan(), there), compare(there, full_plan())):
        assert diff.changes
        assert planted not in json.dumps(diff.to_json())
        assert HIDDEN not in json.dumps(diff.to_json())


def test_references_are_shown_without_what_they_stand_for() -> None:
    new = with_value("models.fast.api_key", SecretRef(source="file", name="key"))
    (change,) = compare(full_plan(), new).changes
    assert (change.old, change.new) == ("secret env DEMO_KEY", "secret file key")
    variable = EnvText(parts=(EnvRef(name="T", default="planted"),))
    (change,) = compare(full_plan(), with_value("tools.refund.config", FrozenMap({"a": variable}))).changes
    assert "planted" not in json.dumps(compare(full_plan(), full_plan()).to_json())
    (change,) = compare(full_plan(), with_value("models.fast.model", variable)).changes
    assert change.new == "${env:T:-planted}"
    (change,) = compare(full_plan(), with_value("agents.support.instruction", variable)).changes
    assert change.new == "${env:T}"


@pytest.mark.parametrize("url", ["https://u:planted@a.example/v1?key=planted", "https://planted@a.example"])
def test_addresses_lose_what_could_be_secret(url: str) -> None:
    for value in (url, EnvText(parts=(EnvRef(name="U", default=url),))):
        text = json.dumps(compare(full_plan(), with_value("models.fast.base_url", value)).to_json())
        assert "a.example" in text
        assert "planted" not in text
        assert "password" not in text


def test_a_new_name_is_a_change_and_not_another_plugin() -> None:
    new = with_value("runners.desk.plugins.redact.id", "cleaner")
    (change,) = compare(full_plan(), new).changes
    assert change.path == ("runners", "desk", "plugins", "redact", "id")
    assert compare(full_plan(), new).consequences == ()


def test_places_are_those_of_either_plan() -> None:
    def place(line: int) -> Origin:
        return Origin(file="m.yaml", line=line, column=1, layer="m.yaml")

    old = full_plan().replace(origins=FrozenMap({"/runners/desk/plugins/1/id": place(4)}))
    first, second, third = full_plan().runners["desk"].plugins
    new = with_value("runners.desk.plugins", (third, first)).replace(
        origins=FrozenMap({"/runners/desk/plugins/0/timeout_ms": place(9)})
    )
    new = new.replace(body=replaced(new.body, ("runners", "desk", "plugins", "quota", "timeout_ms"), 251))
    removed, changed, moved = sorted(compare(old, new).changes, key=lambda change: change.kind != "removed")
    assert (removed.path[-1], removed.old_origin, removed.new_origin) == (second.id, place(4), None)
    assert (changed.path[-1], changed.new_origin) == ("timeout_ms", place(9))
    assert (moved.kind, moved.old, moved.new) == ("moved", ("redact", "quota"), ("quota", "redact"))


def test_one_runner_alone() -> None:
    old = plan(runner("desk"), runner("other"))
    new = plan(runner("desk"), runner("other", plugin_order="priority"))
    assert diff_plans(old, new, runner="desk").changes == ()
    assert [c.path[1] for c in diff_plans(old, new, runner="other").changes] == ["other"]
    assert narrowed(old.body, "none").agents == {}
    assert [c.kind for c in diff_plans(plan(), old, runner="desk").changes if c.path[0] == "runners"] == ["added"]


def test_json_follows_its_schema() -> None:
    check = validator(json.loads((CHECKOUT / "schemas" / "plan-diff.v1.schema.json").read_text("utf-8")))
    for steps, changed in FIELDS:
        new = frozen(replaced(full_plan().body, steps, changed))
        assert check(json.loads(json.dumps(compare(full_plan(), new).to_json()))) == []
    assert check({"format_version": 2}) != []


def _inside(value: Any) -> Iterator[Any]:
    items = value.values() if isinstance(value, Mapping) else value if isinstance(value, tuple) else ()
    for item in items:
        yield item
        yield from _inside(item)
    if isinstance(value, EnvText):
        yield from value.parts
