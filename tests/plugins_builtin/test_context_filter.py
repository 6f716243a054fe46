"""`context_filter`: scenarios 125 to 127, L53, L55 and the laws that hold for every conversation."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adk_decl.plugins import Amend, Keep, Message, ModelRequest, Observe, ToolCallPart, ToolResultPart
from plugins_builtin.context_filter import ContextFilter
from tests.plugins_builtin.hook_calls import build, context, conversation


def filtered(messages: tuple[Message, ...], **config: Any) -> Keep | None:
    """What is kept, or None when the plugin observes."""
    plugin = build(ContextFilter, **config)
    assert isinstance(plugin, ContextFilter)
    outcome = plugin.before_model(context(), ModelRequest("m", "system", messages))
    if isinstance(outcome, Observe):
        return None
    assert isinstance(outcome, Amend)
    assert set(outcome.fields) == {"messages"}
    kept = outcome.fields["messages"]
    assert isinstance(kept, Keep)
    assert kept.append == ()
    return kept


def ids(messages: tuple[Message, ...], **config: Any) -> tuple[str, ...]:
    kept = filtered(messages, **config)
    return tuple(m.id for m in messages) if kept is None else kept.ids


ROUND = ("user: a", "assistant: b", "user: c", "assistant: call c1", "tool: result c1")


@pytest.mark.parametrize(
    ("lines", "config", "kept"),
    [
        # 125: the newest is a tool result; the latest user is kept, the round that does not fit is dropped whole
        (("user: q", "assistant: call c1", "tool: result c1"), {"max_messages": 1}, "m1"),
        # 126: equal messages count one by one
        (("user: hi", "assistant: x", "user: hi"), {"max_messages": 1}, "m3"),
        (("user: hi", "user: hi", "user: hi"), {"max_messages": 2}, "m2 m3"),
        # 127: included roles and the latest user, in the original order
        (
            ("user: a", "assistant: b", "user: c", "assistant: d"),
            {"include_roles": ["assistant"]},
            "m2 m3 m4",
        ),
        (("user: a", "assistant: b"), {"include_roles": ["assistant"], "preserve_latest_user": False}, "m2"),
        (("user: a", "assistant: b", "user: c"), {"exclude_roles": ["user"]}, "m2 m3"),
        # a role that is both included and excluded is excluded
        (("user: a", "assistant: b"), {"include_roles": ["user", "assistant"], "exclude_roles": ["assistant"]}, "m1"),
        (("user: a", "assistant: b"), {"include_roles": [], "preserve_latest_user": False}, ""),
        # L55: the cut never parts a call from its result
        (ROUND, {"max_messages": 5}, "m1 m2 m3 m4 m5"),
        (ROUND, {"max_messages": 4}, "m2 m3 m4 m5"),
        (ROUND, {"max_messages": 3}, "m3 m4 m5"),
        (ROUND, {"max_messages": 2}, "m3"),
        (ROUND, {"max_messages": 2, "preserve_latest_user": False}, "m4 m5"),
        (ROUND, {"max_messages": 1, "preserve_latest_user": False}, ""),
        # a call id that returns later belongs to the later call
        (
            ("user: a", "assistant: call c1", "tool: result c1", "user: b", "assistant: call c1", "tool: result c1"),
            {"max_messages": 3},
            "m4 m5 m6",
        ),
        # parallel calls: one assistant message, several results
        (("user: a", "assistant: call c1 | call c2", "tool: result c2", "tool: result c1"), {"max_messages": 3}, "m1"),
        (
            ("user: a", "assistant: call c1 | call c2", "tool: result c2", "tool: result c1"),
            {"max_messages": 4},
            "m1 m2 m3 m4",
        ),
        (("user: a", "assistant: call c1 | call c2", "tool: result c1 | result c2"), {"max_messages": 3}, "m1 m2 m3"),
        # one message answers the calls of two: all three stay together
        (
            ("user: a", "assistant: call c1", "assistant: call c2", "tool: result c1 | result c2"),
            {"max_messages": 3},
            "m1",
        ),
        # excluded tools take the calls with them
        (ROUND, {"exclude_roles": ["tool"]}, "m1 m2 m3"),
        (ROUND, {"exclude_roles": ["assistant"]}, "m1 m3"),
        # L53: an orphan is dropped, however old
        (("assistant: call c9", "user: a", "assistant: b"), {}, "m2 m3"),
        (("tool: result c9", "user: a"), {}, "m2"),
        # a result before its call is an orphan, and so is the call
        (("user: a", "tool: result c1", "assistant: call c1"), {}, "m1"),
        ((), {"max_messages": 1}, ""),
    ],
)
def test_keeps(lines: tuple[str, ...], config: dict[str, Any], kept: str) -> None:
    assert ids(conversation(*lines), **config) == tuple(kept.split())


def test_cuts_an_orphan_out_of_a_message_that_says_more() -> None:
    messages = conversation("user: a", "assistant: text | call c1 | call c2", "tool: result c2")
    kept = filtered(messages)
    assert kept is not None
    assert kept.ids == ("m1", "m2", "m3")
    assert list(kept.replace) == ["m2"]
    assert kept.replace["m2"].parts == (messages[1].parts[0], messages[1].parts[2])


def test_keeps_the_text_of_an_assistant_whose_tools_are_excluded() -> None:
    messages = conversation("user: a", "assistant: let me look | call c1", "tool: result c1")
    kept = filtered(messages, exclude_roles=["tool"])
    assert kept is not None
    assert kept.ids == ("m1", "m2")
    assert kept.replace["m2"].text == "let me look"


@pytest.mark.parametrize("config", [{}, {"max_messages": 5}, {"max_messages": None}, {"include_roles": None}])
def test_observes_when_nothing_changes(config: dict[str, Any]) -> None:
    assert filtered(conversation(*ROUND), **config) is None


def test_says_when_the_newest_messages_do_not_fit() -> None:
    plugin = build(ContextFilter, max_messages=1)
    assert isinstance(plugin, ContextFilter)
    ctx = context()
    plugin.before_model(ctx, ModelRequest("m", None, conversation(*ROUND)))
    assert ctx.log.records == [["warning", "newest_messages_dropped", {"kept": 1, "of": 5}]]
    assert not any("order" in str(record) for record in ctx.log.records)


LINES = st.lists(
    st.sampled_from(
        [
            "user: a",
            "assistant: b",
            "assistant: b | call c1",
            "assistant: call c1 | call c2",
            "tool: result c1",
            "tool: result c2",
            "tool: result c1 | result c2",
        ]
    ),
    max_size=14,
)


@given(LINES, st.integers(1, 15) | st.none(), st.booleans())
def test_laws(lines: list[str], maximum: int | None, preserve: bool) -> None:
    messages = conversation(*lines)
    kept = filtered(messages, max_messages=maximum, preserve_latest_user=preserve)
    by_id = {m.id: m for m in messages}
    left = [by_id[i] if kept is None else kept.replace.get(i, by_id[i]) for i in ids_of(messages, kept)]
    positions = [messages.index(by_id[m.id]) for m in left]
    assert positions == sorted(set(positions))
    assert maximum is None or len(left) <= maximum
    assert_paired(left)
    users = [m.id for m in messages if m.role == "user"]
    assert not (preserve and users) or users[-1] in [m.id for m in left]


def ids_of(messages: tuple[Message, ...], kept: Keep | None) -> tuple[str, ...]:
    return tuple(m.id for m in messages) if kept is None else kept.ids


def assert_paired(messages: list[Message]) -> None:
    """Every result follows its call, and no call is without a result."""
    waiting: list[str] = []
    for message in messages:
        for part in message.parts:
            if isinstance(part, ToolCallPart):
                waiting.append(part.call_id)
            elif isinstance(part, ToolResultPart):
                assert part.call_id in waiting
                waiting.remove(part.call_id)
    assert not waiting
