"""Payloads: frozen, decoded on first access and anew for each reader, strict about types."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adk_decl.plan.record import FrozenError
from adk_decl.values import (
    PAYLOAD_TYPES,
    Content,
    Message,
    ModelRequest,
    ModelResponse,
    Text,
    ToolCall,
    ToolCallPart,
    ToolResult,
    UserMessage,
)
from adk_decl.wire import WireError

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
ARGS = st.dictionaries(st.text(max_size=5), JSON, max_size=4)


@given(name=st.text(max_size=10), args=ARGS, call_id=st.text(max_size=5))
def test_what_is_encoded_comes_back(name: str, args: dict[str, Any], call_id: str) -> None:
    call = ToolCall(name, args, call_id)
    assert ToolCall.from_json(call.to_json()) == call


@given(result=JSON)
def test_fields_that_nobody_read_are_copied_as_they_came(result: Any) -> None:
    data = ToolResult(name="t", result=result).to_json()
    assert ToolResult.from_json(data).to_json() == data


def test_a_change_in_place_reaches_no_other_reader() -> None:
    data = ToolCall("t", {"list": [1]}).to_json()
    first, second = ToolCall.from_json(data), ToolCall.from_json(data)
    first.args["list"].append(2)
    assert second.args == {"list": [1]}


def test_a_field_is_decoded_once_for_one_reader() -> None:
    call = ToolCall.from_json(ToolCall("t", {"a": 1}).to_json())
    assert call.args is call.args


def test_payloads_do_not_share_their_defaults() -> None:
    one, two = ToolResult(name="a"), ToolResult(name="b")
    one.args["x"] = 1
    assert two.args == {}


@pytest.mark.parametrize("kind", PAYLOAD_TYPES.values(), ids=PAYLOAD_TYPES)
def test_no_attribute_can_be_set_or_deleted(kind: type[Any]) -> None:
    payload = kind.from_encoded([b"null"] * len(kind.fields))
    for name in (*kind.fields, "anything"):
        with pytest.raises(FrozenError):
            setattr(payload, name, 1)
        with pytest.raises(FrozenError):
            delattr(payload, name)


def test_replace_leaves_the_original() -> None:
    content = Content(parts=(Text("a"),))
    assert content.replace(parts=(Text("b"),)).text == "b"
    assert content.text == "a"


@pytest.mark.parametrize(
    ("arguments", "named"), [((1, 2, 3, 4), {}), ((), {}), (("n", {}), {"nope": 1}), (("n", {}), {"name": "again"})]
)
def test_wrong_construction_is_a_type_error(arguments: tuple[Any, ...], named: dict[str, Any]) -> None:
    with pytest.raises(TypeError):
        ToolCall(*arguments, **named)


@pytest.mark.parametrize("data", [b"", b"{}", b"[]", b'["t"]', b'["t",{},"c",1]', b"[1"])
def test_bytes_of_another_shape_are_refused(data: bytes) -> None:
    with pytest.raises(WireError):
        ToolCall.from_json(data)


def test_checked_finds_a_wrong_type() -> None:
    wrong: Any = ModelResponse(content="text")  # type: ignore[arg-type]
    with pytest.raises(WireError):
        wrong.checked()
    assert UserMessage(parts=(Text("a"),)).checked().text == "a"


def test_nothing_of_the_content_is_printed() -> None:
    assert "canary" not in repr(UserMessage(parts=(Text("canary"),)))


def test_messages_have_text_and_keep_their_parts() -> None:
    message = Message(role="assistant", parts=(Text("a"), ToolCallPart(name="t", call_id="c"), Text("b")))
    request = ModelRequest("m", messages=(message,))
    assert ModelRequest.from_json(request.to_json()).messages == (message,)
    assert message.text == "ab"
