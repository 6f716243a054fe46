"""Functions of tools, described by their annotations."""

from __future__ import annotations

import ast
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adk_decl.signatures import (
    FunctionShape,
    NotAFunction,
    SourceProblem,
    describe_function,
    first_paragraph,
    parameter_descriptions,
)

HEAD = """\
from __future__ import annotations
import enum
import typing as t
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Dict, List, Literal, NotRequired, Optional, Required, TypedDict, Union
from adk_decl.tools import ToolContext


class Color(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Level(enum.IntEnum):
    LOW = 1
    _hidden = 5


class Odd(enum.Enum):
    A = enum.auto()


class Address(TypedDict, total=False):
    street: Required[str]
    number: int


class Full(TypedDict):
    a: int
    b: NotRequired[str]


@dataclass(frozen=True)
class Item:
    name: str
    count: int = 1
    tags: list[str] = field(default_factory=list)
    kind: t.ClassVar[str] = "x"


class Plain: ...


class Tree(TypedDict):
    children: list["Tree"]


Size = Literal["s", "m"]
Again = Size
"""


def _describe(parameters: str, *, before: str = "", **modules: str) -> FunctionShape:
    source = f"{HEAD}{before}\ndef f({parameters}): ...\n"
    return describe_function(source, "f", file_reader=modules.get)


OBJECT = {"type": "object", "additionalProperties": False}
TYPES: list[tuple[str, Any]] = [
    ("str", {"type": "string"}),
    ("int", {"type": "integer"}),
    ("float", {"type": "number"}),
    ("bool", {"type": "boolean"}),
    ("None", {"type": "null"}),
    ("list", {"type": "array"}),
    ("dict", {"type": "object"}),
    ("list[int]", {"type": "array", "items": {"type": "integer"}}),
    ("List[str]", {"type": "array", "items": {"type": "string"}}),
    ("Sequence[str]", {"type": "array", "items": {"type": "string"}}),
    (
        "dict[str, list[bool]]",
        {"type": "object", "additionalProperties": {"type": "array", "items": {"type": "boolean"}}},
    ),
    ("Dict[str, int]", {"type": "object", "additionalProperties": {"type": "integer"}}),
    ("Mapping[str, int]", {"type": "object", "additionalProperties": {"type": "integer"}}),
    ("str | None", {"anyOf": [{"type": "string"}, {"type": "null"}]}),
    ("Optional[str]", {"anyOf": [{"type": "string"}, {"type": "null"}]}),
    ("Union[str, int, str]", {"anyOf": [{"type": "string"}, {"type": "integer"}]}),
    ("str | (int | None)", {"anyOf": [{"type": "string"}, {"type": "integer"}, {"type": "null"}]}),
    ("t.Optional[t.List[int]]", {"anyOf": [{"type": "array", "items": {"type": "integer"}}, {"type": "null"}]}),
    ("Literal['a', 'b']", {"type": "string", "enum": ["a", "b"]}),
    ("Literal[1, 'b', None]", {"enum": [1, "b", None]}),
    ("Literal[True]", {"type": "boolean", "enum": [True]}),
    ("Annotated[str, 'words']", {"type": "string", "description": "words"}),
    ("Annotated[int, 3, Field(description='words')]", {"type": "integer", "description": "words"}),
    ("'list[str]'", {"type": "array", "items": {"type": "string"}}),
    ("Color", {"type": "string", "enum": ["red", "blue"]}),
    ("Level", {"type": "integer", "enum": [1]}),
    ("Size", {"type": "string", "enum": ["s", "m"]}),
    ("Again", {"type": "string", "enum": ["s", "m"]}),
    (
        "Address",
        {**OBJECT, "properties": {"street": {"type": "string"}, "number": {"type": "integer"}}, "required": ["street"]},
    ),
    ("Full", {**OBJECT, "properties": {"a": {"type": "integer"}, "b": {"type": "string"}}, "required": ["a"]}),
    (
        "Item",
        {
            **OBJECT,
            "properties": {
                "name": {"type": "string"},
                "count": {"type": "integer", "default": 1},
                "tags": {"type": "array", "items": {"type": "string"}},
            },
            "required": ["name"],
        },
    ),
]


@pytest.mark.parametrize(("annotation", "schema"), TYPES, ids=[annotation for annotation, _ in TYPES])
def test_types(annotation: str, schema: Any) -> None:
    shape = _describe(f"a: {annotation}")
    assert shape.problems == ()
    assert shape.parameters == {
        "type": "object",
        "properties": {"a": schema},
        "required": ["a"],
        "additionalProperties": False,
    }


@pytest.mark.parametrize(
    "annotation",
    [
        "object",
        "t.Any",
        "bytes",
        "tuple[int, int]",
        "set[str]",
        "dict[int, str]",
        "Plain",
        "Odd",
        "Tree",
        "nothing",
        "elsewhere.Thing",
        "list[Plain]",
        "'not a type('",
        "3",
        "f()",
        "Literal[1.5]",
        "Literal[x]",
        "t.Callable[[int], str]",
    ],
)
def test_types_without_a_schema(annotation: str) -> None:
    shape = _describe(f"fine: int, a: {annotation}")
    assert [problem.parameter for problem in shape.problems] == ["a"]


def test_deep_types_end() -> None:
    deep = "list[" * 60 + "int" + "]" * 60
    assert [p.reason for p in _describe(f"a: {deep}").problems] == ["has a type that is nested too deeply"]
    wide = " | ".join(["int"] * 900)
    assert _describe(f"a: {wide}").parameters["properties"] == {"a": {"type": "integer"}}


@pytest.mark.parametrize(
    ("parameters", "problems"),
    [
        ("a", ["a"]),
        ("a: int, /", ["a"]),
        ("*a: int", ["a"]),
        ("**a: int", ["a"]),
        ("c: ToolContext, d: ToolContext", ["d"]),
        ("a, b: bytes, *c: int", ["c", "a", "b"]),
    ],
)
def test_parameters_that_can_not_be_given(parameters: str, problems: list[str]) -> None:
    assert [problem.parameter for problem in _describe(parameters).problems] == problems


def test_defaults_make_a_parameter_optional() -> None:
    shape = _describe("a: int, b: int = 3, c: str | None = None, d: Color = Color.RED, *, e: list[int] = [1], g: bool")
    assert shape.parameters["required"] == ["a", "g"]
    assert shape.required == ("a", "g")
    properties = shape.parameters["properties"]
    assert properties["b"]["default"] == 3
    assert properties["c"]["default"] is None
    assert "default" not in properties["d"]
    assert properties["e"]["default"] == [1]


@pytest.mark.parametrize("annotation", ["ToolContext", "ToolContext | None", "'ToolContext'", "Optional[ToolContext]"])
def test_the_context_is_left_out(annotation: str) -> None:
    shape = _describe(f"a: int, somewhere: {annotation} = None")
    assert shape.context_parameter == "somewhere"
    assert shape.names == ("a",)
    assert list(shape.parameters["properties"]) == ["a"]
    assert shape.problems == ()


def test_types_of_other_project_files() -> None:
    modules = {
        "lib": "from .kinds import Order\nfrom typing import Literal\nSize = Literal['s']\n",
        "lib.kinds": "from typing import TypedDict\nclass Order(TypedDict):\n    id: int\n",
        "kinds": "from typing import TypedDict\nclass Order(TypedDict):\n    id: int\n",
    }
    before = "import lib\nfrom lib import Order as O\n"
    shape = _describe("a: O, b: lib.Size, c: list[lib.Order]", before=before, **modules)
    order = {**OBJECT, "properties": {"id": {"type": "integer"}}, "required": ["id"]}
    assert shape.problems == ()
    assert shape.parameters["properties"] == {
        "a": order,
        "b": {"type": "string", "enum": ["s"]},
        "c": {"type": "array", "items": order},
    }


def test_a_broken_file_that_a_type_leads_to() -> None:
    with pytest.raises(SourceProblem):
        _describe("a: Order", before="from lib import Order\n", lib="def (")


def test_async_functions_and_what_is_no_function() -> None:
    source = "async def f(): ...\nclass K: ...\nv = 3\nfrom elsewhere import g\n"
    assert describe_function(source, "f", file_reader=lambda name: None).is_async
    for name, kind in (("K", "a class"), ("v", "a value"), ("g", "imported from outside the project")):
        with pytest.raises(NotAFunction, match=kind):
            describe_function(source, name, file_reader=lambda name: None)
    with pytest.raises(LookupError):
        describe_function(source, "missing", file_reader=lambda name: None)


DOCSTRING = """Look an order up,
    in the book of orders.

    Longer text: not of interest.

    Args:
        order_id (str): number of
            the order
        limit: how many

            and more
        empty:

    Returns:
        order: the order
"""


def test_what_a_docstring_says() -> None:
    assert first_paragraph(DOCSTRING) == "Look an order up, in the book of orders."
    assert parameter_descriptions(DOCSTRING)["order_id"] == "number of the order"
    assert parameter_descriptions(DOCSTRING)["limit"] == "how many"
    assert "order" not in parameter_descriptions(DOCSTRING)
    assert "empty" not in parameter_descriptions(DOCSTRING)
    sphinx = "Text.\n\n:param int a: first\n    and on\n:param b: second\n:returns: x"
    assert parameter_descriptions(sphinx) == {"a": "first and on", "b": "second"}


def test_descriptions_reach_the_schema_and_annotations_win() -> None:
    source = (
        "from typing import Annotated\ndef f(a: int, b: Annotated[int, 'mine']):\n"
        '    """Do.\n\n    Args:\n        a: first\n        b: second\n    """\n'
    )
    shape = describe_function(source, "f", file_reader=lambda name: None)
    assert shape.description == "Do."
    assert shape.parameters["properties"]["a"]["description"] == "first"
    assert shape.parameters["properties"]["b"]["description"] == "mine"


@given(st.text(alphabet="Args:\n ab()_param", max_size=120))
def test_any_docstring_is_read(text: str) -> None:
    for name in parameter_descriptions(text):
        assert name.isidentifier()


@given(
    st.recursive(
        st.sampled_from(["int", "str", "None", "Color", "x.y", "1", "'int'"]),
        lambda inner: st.one_of(
            st.tuples(
                st.sampled_from(["list", "dict", "Optional", "Union", "Literal", "Annotated", "Z"]),
                st.lists(inner, min_size=1, max_size=3),
            ).map(lambda pair: f"{pair[0]}[{', '.join(pair[1])}]"),
            st.tuples(inner, inner).map(" | ".join),
        ),
        max_leaves=8,
    )
)
def test_any_annotation_gives_a_schema_or_a_problem(annotation: str) -> None:
    ast.parse(annotation)
    shape = _describe(f"a: {annotation}")
    assert bool(shape.problems) != bool(shape.parameters["properties"])
