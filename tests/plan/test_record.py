"""Records and frozen maps: values that nothing changes."""

from __future__ import annotations

import copy
import operator
import pickle
from typing import Any

import pytest

from adk_decl.plan.limits import LIMITS, Limit
from adk_decl.plan.record import FrozenError, FrozenMap, Record


class Point(Record):
    """A record of the tests."""

    x: int
    y: int = 2


def test_fields_defaults_and_equality() -> None:
    assert Point(x=1) == Point(x=1, y=2)
    assert hash(Point(x=1)) == hash(Point(x=1, y=2))
    assert Point(x=1) != Point(x=2)
    assert repr(Point(x=1)) == "Point(x=1, y=2)"


@pytest.mark.parametrize("values", [{}, {"x": 1, "z": 2}, {"y": 1}])
def test_wrong_fields_are_a_type_error(values: dict[str, Any]) -> None:
    with pytest.raises(TypeError):
        Point(**values)


@pytest.mark.parametrize("value", [Point(x=1), FrozenMap({"a": 1})])
def test_copies_and_pickles_are_equal_and_leave_the_original(value: Any) -> None:
    for other in (copy.copy(value), copy.deepcopy(value), pickle.loads(pickle.dumps(value))):
        assert other == value


def test_replace_makes_another() -> None:
    point = Point(x=1)
    assert point.replace(y=5) == Point(x=1, y=5)
    assert point.y == 2


def test_a_record_can_not_be_changed() -> None:
    point: Any = Point(x=1)
    with pytest.raises(FrozenError):
        point.x = 3
    with pytest.raises(FrozenError):
        del point.x
    with pytest.raises(FrozenError):
        point.other = 1


def test_a_map_can_not_be_changed() -> None:
    frozen: Any = FrozenMap({"a": 1})
    for change in (
        lambda: operator.setitem(frozen, "a", 2),
        lambda: operator.delitem(frozen, "a"),
        lambda: setattr(frozen, "x", 1),
        lambda: frozen.__ior__({"b": 1}) if hasattr(frozen, "__ior__") else frozen | {"b": 1},
    ):
        with pytest.raises(TypeError):
            change()
    for method in ("clear", "pop", "popitem", "update", "setdefault"):
        assert not hasattr(frozen, method)
    assert frozen == {"a": 1}


def test_a_map_equals_a_dict_and_another_map_in_any_order() -> None:
    assert FrozenMap({"a": 1, "b": 2}) == FrozenMap({"b": 2, "a": 1}) == {"a": 1, "b": 2}
    assert hash(FrozenMap({"a": 1, "b": 2})) == hash(FrozenMap({"b": 2, "a": 1}))


@pytest.mark.parametrize("limit", LIMITS.values(), ids=lambda limit: limit.name)
def test_every_default_lies_within_its_bounds(limit: Limit) -> None:
    assert limit.minimum <= limit.default <= limit.maximum
