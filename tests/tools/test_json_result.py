from __future__ import annotations

import collections
import dataclasses
import datetime
import decimal
import enum
import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adk_decl.plan.limits import LIMITS
from adk_decl.plan.record import FrozenMap
from adk_decl.tools.failure import ToolFailed
from adk_decl.tools.json_result import encode_result

BOUND = LIMITS["tool.max_result_bytes"].default


class Color(enum.Enum):
    RED = "red"


class Number(enum.IntEnum):
    ONE = 1


class Text(str):
    __slots__ = ()


@dataclasses.dataclass
class Line:
    item: str
    of: Any = None


Pair = collections.namedtuple("Pair", "a b")

_json = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner),
    max_leaves=20,
)


def _reason(value: Any) -> str:
    with pytest.raises(ToolFailed) as failure:
        encode_result(value)
    return failure.value.error.reason


@given(_json)
def test_json_passes_unchanged(value: Any) -> None:
    assert json.loads(encode_result(value)) == value


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (Color.RED, "red"),
        (Number.ONE, 1),
        (Text("x"), "x"),
        ((1, (2,)), [1, [2]]),
        (Pair(1, 2), [1, 2]),
        (Line("x", Line("y")), {"item": "x", "of": {"item": "y", "of": None}}),
        (FrozenMap({"a": (1,)}), {"a": [1]}),
        (collections.OrderedDict(a=1), {"a": 1}),
        (2**200, 2**200),
        (True, True),
    ],
)
def test_near_relatives_of_json_are_converted(value: Any, expected: Any) -> None:
    assert json.loads(encode_result(value)) == expected


@pytest.mark.parametrize(
    "value",
    [
        {1, 2},
        b"x",
        object(),
        Line,
        math.nan,
        [math.inf],
        {1: 2},
        {None: 1},
        datetime.date(2026, 1, 1),
        decimal.Decimal(1),
        iter([]),
        "\ud800",
        {"\ud800": 1},
        2**2000,
        1j,
    ],
)
def test_everything_else_is_an_invalid_type(value: Any) -> None:
    assert _reason(value) == "invalid_result_type"


def test_size_and_depth_are_bounded_before_anything_grows() -> None:
    assert len(encode_result("x" * (BOUND - 2))) == BOUND
    assert _reason("x" * (BOUND - 1)) == "result_too_large"
    assert _reason("\0" * (BOUND // 2)) == "result_too_large"
    assert _reason(["x"] * BOUND) == "result_too_large"
    doubled: Any = 1
    for _ in range(60):
        doubled = [doubled, doubled]
    assert _reason(doubled) == "result_too_large"
    deep: Any = 1
    for _ in range(64):
        deep = [deep]
    assert _reason(deep) == "invalid_result_type"
    cyclic: list[Any] = []
    cyclic.append(cyclic)
    assert _reason(cyclic) == "invalid_result_type"
