"""`content_guard`: scenario 138 and the rules one by one."""

from __future__ import annotations

from typing import Any

import pytest

from adk_decl.plugins import (
    Content,
    Halt,
    Message,
    ModelRequest,
    ModelResponse,
    Observe,
    Outcome,
    Return,
    Text,
    ToolCallPart,
    Usage,
    UserMessage,
)
from plugins_builtin.content_guard import PRESETS, ContentGuard
from tests.plugins_builtin.hook_calls import build, context, conversation

CANARY = "canary-1402"


def guard(**config: Any) -> ContentGuard:
    plugin = build(ContentGuard, **config)
    assert isinstance(plugin, ContentGuard)
    return plugin


def said(text: str) -> UserMessage:
    return UserMessage((Text(text),))


def rules(outcome: Outcome) -> list[str]:
    """The rules that a run is halted for."""
    if isinstance(outcome, Observe):
        return []
    assert isinstance(outcome, Halt)
    assert set(outcome.reason) == {"where", "rules"}
    found: list[str] = outcome.reason["rules"]
    return found


@pytest.mark.parametrize(
    ("text", "config", "broken"),
    [
        ("how to hack", {"blocked_keywords": ["hack"]}, ["blocked_keywords"]),
        ("how to HACK!", {"blocked_keywords": ["hack"]}, ["blocked_keywords"]),
        ("hackney", {"blocked_keywords": ["hack"]}, []),
        ("my invoice", {"required_topics": ["Invoice", "order"]}, []),
        ("the weather", {"required_topics": ["Invoice", "order"]}, ["required_topics"]),
        ("", {"required_topics": ["order"]}, ["required_topics"]),
        ("éé", {"max_length": 2}, []),
        ("ééé", {"max_length": 2}, ["max_length"]),
        ("", {"min_length": 1}, ["min_length"]),
        ("x", {"min_length": 1}, []),
        ("", {"min_length": 0}, []),
        ("x", {"max_length": 0}, ["max_length"]),
        ("a nerve agent", {"presets": ["harmful"]}, ["presets"]),
        ("hack it", {"presets": ["harmful"]}, []),
        ("hack it", {"presets": ["strict"]}, ["presets"]),
        # several rules; a critical one ends the check at once
        ("hack", {"blocked_keywords": ["hack"], "min_length": 9}, ["blocked_keywords", "min_length"]),
        ("exploit", {"presets": ["strict"], "min_length": 9}, ["presets"]),
        # 138: low passes, high is blocked
        ("hack", {"blocked_keywords": ["hack"], "severities": {"blocked_keywords": "low"}}, []),
        ("hack", {"blocked_keywords": ["hack"], "severities": {"blocked_keywords": "medium"}}, []),
        ("hack", {"blocked_keywords": ["hack"], "severities": {"blocked_keywords": "high"}}, ["blocked_keywords"]),
        ("hack", {"blocked_keywords": ["hack"], "severities": {"blocked_keywords": "critical"}}, ["blocked_keywords"]),
        ("hack", {"blocked_keywords": ["hack"], "fail_at": "critical"}, []),
        ("hack", {"presets": ["strict"], "fail_at": "critical"}, ["presets"]),
        ("hack", {"min_length": 9, "fail_at": "low", "severities": {"min_length": "low"}}, ["min_length"]),
    ],
)
def test_rules_on_both_sides(text: str, config: dict[str, Any], broken: list[str]) -> None:
    plugin = guard(**config)
    assert rules(plugin.on_user_message(context(), said(text))) == broken
    assert rules(plugin.after_model(context(), ModelResponse((Text(text),)))) == broken
    request = ModelRequest("m", "hack", (Message(role="user", parts=(Text(text),), id="m1"),))
    assert rules(plugin.before_model(context(), request)) == broken


def test_every_preset_word_is_found_by_itself() -> None:
    for name, words in PRESETS.items():
        for word in words:
            assert rules(guard(presets=[name]).on_user_message(context(), said(f"about {word}s {word}."))) == [
                "presets"
            ]


def test_check_chooses_the_side() -> None:
    bad = "hack"
    only_in, only_out = (guard(blocked_keywords=[bad], check=[side]) for side in ("input", "output"))
    assert rules(only_in.on_user_message(context(), said(bad)))
    assert not rules(only_in.after_model(context(), ModelResponse((Text(bad),))))
    assert not rules(only_out.on_user_message(context(), said(bad)))
    assert not rules(only_out.before_model(context(), ModelRequest("m", None, conversation(f"user: {bad}"))))
    assert rules(only_out.after_model(context(), ModelResponse((Text(bad),))))


def test_a_request_is_judged_by_the_newest_user_message() -> None:
    plugin = guard(blocked_keywords=["hack"])
    fine = conversation("user: hack", "assistant: hack", "user: hello", "assistant: call c1", "tool: result c1")
    assert not rules(plugin.before_model(context(), ModelRequest("m", None, fine)))
    assert not rules(plugin.before_model(context(), ModelRequest("m", None, ())))


def test_of_a_response_with_tool_calls_only_the_words_are_judged() -> None:
    call = ToolCallPart(name="t", call_id="c")
    plugin = guard(blocked_keywords=["hack"], required_topics=["order"], min_length=20)
    assert not rules(plugin.after_model(context(), ModelResponse((), (call,))))
    assert rules(plugin.after_model(context(), ModelResponse((Text("hack"),), (call,)))) == ["blocked_keywords"]


def test_a_word_across_two_texts_is_found() -> None:
    response = ModelResponse((Text("ha"), Text("ck")))
    assert rules(guard(blocked_keywords=["hack"]).after_model(context(), response)) == ["blocked_keywords"]


def test_an_answer_takes_the_place() -> None:
    plugin = guard(blocked_keywords=[CANARY], answer="I can't help with that.")
    usage = Usage(input_tokens=3, output_tokens=4)
    outcome = plugin.after_model(context(), ModelResponse((Text(CANARY),), usage=usage, model="m"))
    assert isinstance(outcome, Return)
    assert outcome.value == ModelResponse(
        (Text("I can't help with that."),), usage=usage, finish_reason="content_filter", model="m"
    )
    before = plugin.before_model(context(), ModelRequest("m", None, conversation(f"user: {CANARY}")))
    assert isinstance(before, Return)
    assert before.value.text == "I can't help with that."
    first = plugin.on_user_message(context(), said(CANARY))
    assert isinstance(first, Return)
    assert first.value == Content((Text("I can't help with that."),))


def test_its_own_answer_is_not_judged() -> None:
    plugin = guard(required_topics=["order"], answer="No.")
    assert not rules(plugin.after_model(context(), ModelResponse((Text("No."),))))


def test_nothing_of_what_was_found_is_told() -> None:
    for config in ({"blocked_keywords": [CANARY]}, {"required_topics": ["x-topic"]}, {"max_length": 2}):
        ctx = context()
        outcome = guard(**config).on_user_message(ctx, said(f"my {CANARY} text"))
        assert isinstance(outcome, Halt)
        assert CANARY not in f"{outcome.reason} {ctx.log.records}"
        assert len(ctx.log.records) == 1


def test_what_is_below_the_bar_is_logged() -> None:
    ctx = context()
    plugin = guard(max_length=1, severities={"max_length": "low"})
    assert isinstance(plugin.on_user_message(ctx, said("xx")), Observe)
    assert ctx.log.records == [
        ["warning", "content_rule_broken", {"rule": "max_length", "severity": "low", "where": "input"}]
    ]


@pytest.mark.parametrize("config", [{}, {"fail_at": "low"}, {"blocked_keywords": ["\u200b"]}])
def test_a_guard_without_a_rule_is_refused_at_the_start(config: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="no rule"):
        build(ContentGuard, **config)
