"""Arguments that plugins don't see, and how they come back."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adk_decl.plugins.prune import is_hidden, merge_hidden, merge_message, prune, prune_messages
from adk_decl.values import Message, Text, ToolCallPart

HIDDEN = [
    "api_key",
    "API-KEY",
    "x.token",
    "page_token",
    "max_tokens",
    "secretary",
    "pin",
    "git_ref",
    "client",
    "db handle",
]
SHOWN = ["x", "order_id", "pinned", "query", "references", "clients"]


@pytest.mark.parametrize("key", HIDDEN)
def test_secrets_and_handles_are_hidden(key: str) -> None:
    assert is_hidden(key)


@pytest.mark.parametrize("key", SHOWN)
def test_other_names_are_shown(key: str) -> None:
    assert not is_hidden(key)


MERGES: list[tuple[Any, Any, Any]] = [
    ({"x": 1, "pin": 2}, {"x": 5}, {"x": 5, "pin": 2}),
    ({"x": 1, "pin": 2}, {}, {"pin": 2}),
    ({"x": 1, "pin": 2}, {"pin": 9}, {"pin": 9}),
    ({"a": {"token": 1, "y": 2}}, {"a": {"y": 3}}, {"a": {"y": 3, "token": 1}}),
    ({"a": {"token": 1, "y": 2}}, {"a": 5}, {"a": 5}),
    ({"a": {"token": 1}}, {}, {}),
    ({"a": [{"pin": 1}, {"pin": 2}]}, {"a": [{}, {}, {}]}, {"a": [{"pin": 1}, {"pin": 2}, {}]}),
    ({"a": [{"pin": 1}, {"pin": 2}]}, {"a": [{}]}, {"a": [{"pin": 1}]}),
]


@pytest.mark.parametrize(("original", "amended", "expected"), MERGES)
def test_hidden_arguments_come_back_where_their_place_exists(original: Any, amended: Any, expected: Any) -> None:
    assert merge_hidden(original, amended) == expected


KEYS = st.sampled_from(["x", "y", "pin", "token", "git_ref", "inner"])
JSON = st.recursive(
    st.integers() | st.text(max_size=3),
    lambda children: st.lists(children, max_size=3) | st.dictionaries(KEYS, children, max_size=4),
    max_leaves=20,
)


@given(st.dictionaries(KEYS, JSON, max_size=5))
def test_merging_back_an_untouched_value_restores_it(args: dict[str, Any]) -> None:
    assert merge_hidden(args, prune(args)) == args


@given(st.dictionaries(KEYS, JSON, max_size=5))
def test_nothing_hidden_is_left(args: dict[str, Any]) -> None:
    def keys(value: Any) -> set[str]:
        if isinstance(value, dict):
            return set(value) | {key for item in value.values() for key in keys(item)}
        return {key for item in value for key in keys(item)} if isinstance(value, list) else set()

    assert not any(map(is_hidden, keys(prune(args))))


def test_only_tool_calls_of_messages_are_pruned() -> None:
    call = ToolCallPart(name="t", args={"token": 1, "x": 2}, call_id="c")
    plain = Message(role="user", parts=(Text("token"),), id="a")
    messages = (plain, Message(role="assistant", parts=(Text("t"), call), id="b"))
    pruned = prune_messages(messages)
    assert pruned[0] is plain
    shown = pruned[1].parts[1]
    assert isinstance(shown, ToolCallPart)
    assert shown.args == {"x": 2}
    assert prune_messages((plain,)) == (plain,)
    assert merge_message(messages[1], pruned[1]) == messages[1]
