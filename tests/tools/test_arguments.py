from __future__ import annotations

import dataclasses
import datetime
import enum
from typing import TYPE_CHECKING, Annotated, Any

import pytest

from adk_decl.tools.arguments import binder
from adk_decl.tools.failure import ToolFailed

if TYPE_CHECKING:
    from decimal import Decimal

CANARY = "canary-80d2"


class Color(enum.Enum):
    RED = "red"


class Mixed(enum.Enum):
    ONE = 1
    WORD = "word"


@dataclasses.dataclass
class Line:
    item: str
    color: Color = Color.RED


@dataclasses.dataclass
class Other:
    item: str


@dataclasses.dataclass
class Picky:
    count: int

    def __post_init__(self) -> None:
        raise RuntimeError(CANARY)


class Opaque:
    pass


def takes(
    color: Color,
    colors: dict[str, list[Color]],
    line: Annotated[Line, "a line"],
    maybe: Line | None,
    number: float,
    whole: int,
    wholes: list[int],
    either: Line | Other,
    mixed: Mixed,
    opaque: Opaque,
    unseen: Decimal,
    anything: Any,
    dates: list[datetime.date],
) -> None:
    return None


BIND = binder(takes)


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("color", "red", Color.RED),
        ("colors", {"a": ["red"]}, {"a": [Color.RED]}),
        ("line", {"item": "x", "color": "red"}, Line("x", Color.RED)),
        ("maybe", None, None),
        ("maybe", {"item": "x"}, Line("x")),
        ("number", 1, 1.0),
        ("whole", 2.0, 2),
        ("wholes", [1, 2.0], [1, 2]),
        ("either", {"item": "x"}, {"item": "x"}),
        ("mixed", 1, 1),
        ("opaque", {"a": 1.0}, {"a": 1.0}),
        ("unseen", 1.5, 1.5),
        ("anything", [1.0, {"x": None}], [1.0, {"x": None}]),
        ("dates", ["2026-01-31"], [datetime.date(2026, 1, 31)]),
        ("unknown", 1.0, 1.0),
    ],
)
def test_each_argument_becomes_what_its_annotation_says_or_stays_json(name: str, value: Any, expected: Any) -> None:
    (found,) = BIND({name: value}).values()
    assert found == expected
    assert type(found) is type(expected)


@pytest.mark.parametrize(
    ("name", "value"), [("color", CANARY), ("whole", 2.5), ("whole", True), ("line", {}), ("wholes", [CANARY])]
)
def test_what_does_not_fit_is_an_invalid_argument(name: str, value: Any) -> None:
    with pytest.raises(ToolFailed) as failure:
        BIND({name: value})
    assert failure.value.error.reason == "invalid_arguments"
    assert CANARY not in repr(failure.value.error)
    assert failure.value.__cause__ is None


def test_a_dataclass_that_refuses_is_an_invalid_argument_without_its_text() -> None:
    def function(picky: Picky) -> None:
        return None

    with pytest.raises(ToolFailed) as failure:
        binder(function)({"picky": {"count": 1}})
    assert CANARY not in str(failure.value)


def test_an_annotation_that_can_not_be_evaluated_harms_no_other() -> None:
    def function(a: int, b: int) -> None:
        return None

    function.__annotations__ = {"a": "1 / 0", "b": "int"}
    assert binder(function)({"a": 1.0, "b": 1.0}) == {"a": 1.0, "b": 1}
