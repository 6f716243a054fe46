"""`pii_redactor`: what is replaced where, by kind and by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from adk_decl.plugins import (
    Amend,
    Content,
    Keep,
    Message,
    ModelRequest,
    ModelResponse,
    Observe,
    Outcome,
    Text,
    ToolCallPart,
    ToolError,
    ToolResult,
    ToolResultPart,
    UserMessage,
)
from plugins_builtin.pii_redactor import PiiRedactor
from tests.plugins_builtin.hook_calls import build, context

MAIL = "anna.berg@example.org"
EVERYWHERE = ["user_messages", "model_requests", "answers", "tool_results"]


def redactor(**config: Any) -> PiiRedactor:
    plugin = build(PiiRedactor, **({"apply_to": EVERYWHERE} | config))
    assert isinstance(plugin, PiiRedactor)
    return plugin


def fields(outcome: Outcome) -> dict[str, Any]:
    """What is amended; nothing when the plugin observes."""
    if isinstance(outcome, Observe):
        return {}
    assert isinstance(outcome, Amend)
    assert outcome.value is None
    return outcome.fields


def in_result(result: Any, **config: Any) -> Any:
    """What becomes of the result of a tool."""
    plugin = redactor(**config)
    return fields(plugin.after_tool(context(), ToolResult("t", "c", result=result))).get("result", result)


@pytest.mark.parametrize(
    ("text", "redacted"),
    [
        (f"Write to {MAIL}.", "Write to [EMAIL]."),
        ("SSN 219-09-5511, card 4111 2222 3333 4448", "SSN [SSN], card [CREDIT_CARD]"),
        ("IBAN DE60123456780012345678", "IBAN [IBAN]"),
        (f"{MAIL},{MAIL}", "[EMAIL],[EMAIL]"),
        ("from 203.0.113.42", "from 203.0.113.42"),
        ("order 1700000000", "order 1700000000"),  # 140
        ("", ""),
    ],
)
def test_texts_in_every_place(text: str, redacted: str) -> None:
    plugin = redactor()
    parts = (Text(text),)
    wanted = (Text(redacted),) if text != redacted else None
    assert fields(plugin.on_user_message(context(), UserMessage(parts))).get("parts") == wanted
    assert fields(plugin.after_model(context(), ModelResponse(parts))).get("content") == wanted
    assert fields(plugin.after_agent(context(), Content(parts))).get("parts") == wanted
    assert in_result(text) == redacted


def test_a_piece_across_several_texts_is_found_and_they_become_one() -> None:
    call = ToolCallPart(name="t", args={}, call_id="c")
    parts = (Text("anna.berg@"), call, Text("example.org"), Text("!"))
    redacted = fields(redactor().after_model(context(), ModelResponse(parts)))["content"]
    assert redacted == (Text("[EMAIL]!"), call)


def test_only_asked_places_are_redacted() -> None:
    parts = (Text(MAIL),)
    request = ModelRequest("m", None, (Message(role="user", parts=parts, id="m1"),))
    hooks: dict[str, Callable[[Any], Outcome]] = {
        "user_messages": lambda p: p.on_user_message(context(), UserMessage(parts)),
        "model_requests": lambda p: p.before_model(context(), request),
        "answers": lambda p: p.after_agent(context(), Content(parts)),
        "tool_results": lambda p: p.after_tool(context(), ToolResult("t", result=MAIL)),
    }
    for place in EVERYWHERE:
        plugin = redactor(apply_to=[place])
        assert [name for name, hook in hooks.items() if fields(hook(plugin))] == [place]
    default = build(PiiRedactor)
    assert [name for name, hook in hooks.items() if fields(hook(default))] == ["answers", "tool_results"]


@pytest.mark.parametrize(
    ("result", "config", "redacted"),
    [
        ({"a": [{"mail": MAIL}, 1, None, True]}, {}, {"a": [{"mail": "[EMAIL]"}, 1, None, True]}),
        ({MAIL: 1, "x": 2}, {}, {"[EMAIL]": 1, "x": 2}),
        ({MAIL: 1, f"b.{MAIL}": 2}, {}, {"[EMAIL]": 1, "[EMAIL] 2": 2}),
        ({"n": 4111222233334448}, {}, {"n": 4111222233334448}),
        ({"Password": "x", "user": "anna"}, {"fields": ["password"]}, {"Password": "[FIELD]", "user": "anna"}),
        ({"birth-date": {"y": 1}}, {"fields": ["Birth Date"]}, {"birth-date": "[FIELD]"}),
        ({"birth_date": [1]}, {"fields": ["birth-date"]}, {"birth_date": "[FIELD]"}),
        ({"deep": [{"pin": 1234}]}, {"fields": ["pin"]}, {"deep": [{"pin": "[FIELD]"}]}),
        ({"pin": None}, {"fields": ["pin"]}, {"pin": None}),
        ({"spinning": 1}, {"fields": ["pin"]}, {"spinning": 1}),
        ({"a": MAIL, "pin": 1}, {"types": [], "fields": ["pin"]}, {"a": MAIL, "pin": "[FIELD]"}),
        (MAIL, {"types": ["phone"]}, MAIL),
        ("203.0.113.42", {"types": ["ip_address"]}, "[IP_ADDRESS]"),
        (MAIL, {"marker": "<{type} removed>"}, "<EMAIL removed>"),
        (MAIL, {"marker": "***"}, "***"),
        (f"a {MAIL} b", {"marker": ""}, "a  b"),
        (MAIL, {"marker": "{0}{type!r}\\1"}, "{0}{type!r}\\1"),
        ([], {}, []),
        (None, {}, None),
    ],
)
def test_json(result: Any, config: dict[str, Any], redacted: Any) -> None:
    assert in_result(result, **config) == redacted


def test_details_of_an_error_are_redacted_and_its_reason_stays() -> None:
    error = ToolError(reason="KeyError", component="tool", error_class="exception", details={"who": MAIL})
    changes = fields(redactor().after_tool(context(), ToolResult("t", error=error)))
    assert changes == {
        "error": ToolError(reason="KeyError", component="tool", error_class="exception", details={"who": "[EMAIL]"})
    }


def test_messages_of_a_request_keep_their_ids_and_calls_their_names() -> None:
    messages = (
        Message(role="user", parts=(Text(f"I am {MAIL}"),), id="m1"),
        Message(role="user", parts=(Text("hello"),), id="m2"),
        Message(role="assistant", parts=(ToolCallPart(name="t", args={"to": MAIL, "pin": 1}, call_id="c"),), id="m3"),
        Message(role="tool", parts=(ToolResultPart(name="t", call_id="c", body={"result": [MAIL]}),), id="m4"),
    )
    kept = fields(redactor(fields=["pin"]).before_model(context(), ModelRequest("m", MAIL, messages)))["messages"]
    assert isinstance(kept, Keep)
    assert kept.ids == ("m1", "m2", "m3", "m4")
    assert set(kept.replace) == {"m1", "m3", "m4"}
    assert kept.replace["m1"].text == "I am [EMAIL]"
    assert kept.replace["m3"].parts == (ToolCallPart(name="t", args={"to": "[EMAIL]", "pin": "[FIELD]"}, call_id="c"),)
    assert kept.replace["m4"].parts == (ToolResultPart(name="t", call_id="c", body={"result": ["[EMAIL]"]}),)


def test_arguments_of_a_call_that_is_to_be_made_stay() -> None:
    response = ModelResponse((), (ToolCallPart(name="mail", args={"to": MAIL}, call_id="c"),))
    assert isinstance(redactor().after_model(context(), response), Observe)


def test_redacting_twice_changes_nothing_more() -> None:
    once = in_result(f"{MAIL} 415-555-0132 4111222233334448 219-09-5511")
    assert in_result(once) == once


def test_the_log_counts_and_shows_nothing() -> None:
    ctx = context()
    plugin = redactor(fields=["pin"])
    plugin.after_tool(ctx, ToolResult("t", result={"a": f"{MAIL}, x.{MAIL}", "pin": MAIL, "t": "415-555-0132"}))
    assert ctx.log.records == [["info", "redacted", {"email": 2, "field": 1, "phone": 1}]]
    ctx = context()
    plugin.after_tool(ctx, ToolResult("t", result="nothing"))
    assert ctx.log.records == []


def test_a_redactor_that_looks_for_nothing_is_refused_at_the_start() -> None:
    with pytest.raises(ValueError, match="nothing to look for"):
        redactor(types=[])
