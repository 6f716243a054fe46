"""`schema_guard`: answers that are JSON and fit, and all others."""

from __future__ import annotations

from typing import Any

import pytest

from adk_decl.plugins import Content, Halt, ModelResponse, Observe, Outcome, Return, Text, ToolCallPart, Usage
from adk_decl.plugins.json_schema import UnusableSchema
from plugins_builtin.schema_guard import SchemaGuard
from tests.plugins_builtin.hook_calls import build, context

CANARY = "canary-9912"
SCHEMA = {
    "type": "object",
    "required": ["status", "total"],
    "additionalProperties": False,
    "properties": {"status": {"enum": ["open", "paid"]}, "total": {"type": "number"}},
}
GOOD = '{"status": "paid", "total": 3}'
FENCED = f"Here it is:\n```json\n{GOOD}\n```\nBye."


def guard(**config: Any) -> SchemaGuard:
    plugin = build(SchemaGuard, **({"schema": SCHEMA} | config))
    assert isinstance(plugin, SchemaGuard)
    return plugin


def judged(texts: tuple[str, ...], **config: Any) -> dict[str, Any] | None:
    """What a run is halted for; both hooks say the same."""
    parts = tuple(map(Text, texts))
    outcomes: list[Outcome] = [
        guard(**config).after_model(context(), ModelResponse(parts)),
        guard(**config).after_agent(context(), Content(parts)),
    ]
    assert outcomes[0] == outcomes[1]
    if isinstance(outcomes[0], Observe):
        return None
    assert isinstance(outcomes[0], Halt)
    assert CANARY not in str(outcomes[0].reason)
    reason: dict[str, Any] = outcomes[0].reason
    return reason


NOT_JSON = {"rule": "not_json", "errors": 1, "keywords": []}


@pytest.mark.parametrize(
    ("texts", "config", "expected"),
    [
        ((GOOD,), {}, None),
        ((f"  {GOOD}\n",), {}, None),
        (('{"status": "paid",', '"total": 3}'), {}, None),
        ((), {}, NOT_JSON),
        (("",), {}, NOT_JSON),
        ((CANARY,), {}, NOT_JSON),
        ((GOOD + CANARY,), {}, NOT_JSON),
        (("NaN",), {"schema": {}}, NOT_JSON),
        (('{"total": Infinity, "status": "paid"}',), {}, NOT_JSON),
        (("[" * 100_000,), {}, NOT_JSON),
        (("1" * 10_000,), {"schema": {"type": "string"}}, NOT_JSON),
        ((f'{{"status": "{CANARY}"}}',), {}, {"rule": "schema", "errors": 2, "keywords": ["enum", "required"]}),
        (
            (f'{{"{CANARY}": 1, "status": 1, "total": "x"}}',),
            {},
            {"rule": "schema", "errors": 3, "keywords": ["additionalProperties", "enum", "type"]},
        ),
        (("[1, 2]",), {}, {"rule": "schema", "errors": 1, "keywords": ["type"]}),
        (("null",), {"schema": {}}, None),
        # whole: a fenced block is not JSON
        ((FENCED,), {}, NOT_JSON),
        # first: the first text that is JSON, else the first fenced block
        ((FENCED,), {"find": "first"}, None),
        ((GOOD,), {"find": "first"}, None),
        (("Well:", GOOD), {"find": "first"}, None),
        (("7", GOOD), {"find": "first"}, {"rule": "schema", "errors": 1, "keywords": ["type"]}),
        ((f"```\n{CANARY}\n```\n{FENCED}",), {"find": "first"}, NOT_JSON),
        ((f"```json\n{GOOD}",), {"find": "first"}, None),
        (("no json",), {"find": "first"}, NOT_JSON),
        ((f"a ``` b {GOOD}",), {"find": "first"}, NOT_JSON),
    ],
)
def test_answers(texts: tuple[str, ...], config: dict[str, Any], expected: dict[str, Any] | None) -> None:
    assert judged(texts, **config) == expected


def test_a_response_with_tool_calls_is_no_answer_yet() -> None:
    response = ModelResponse((Text("let me look"),), (ToolCallPart(name="t", call_id="c"),))
    assert isinstance(guard().after_model(context(), response), Observe)


def test_many_errors_are_counted_to_a_bound() -> None:
    schema = {"type": "array", "items": {"type": "string"}}
    reason = judged(("[" + ",".join("1" * 1000) + "]",), schema=schema)
    assert reason == {"rule": "schema", "errors": 100, "keywords": ["type"]}


def test_an_answer_takes_the_place_and_is_not_judged() -> None:
    plugin = guard(answer="Sorry.")
    usage = Usage(output_tokens=2)
    outcome = plugin.after_model(context(), ModelResponse((Text(CANARY),), usage=usage, model="m"))
    assert isinstance(outcome, Return)
    assert outcome.value == ModelResponse((Text("Sorry."),), usage=usage, finish_reason="content_filter", model="m")
    assert isinstance(plugin.after_agent(context(), Content((Text("Sorry."),))), Observe)
    final = plugin.after_agent(context(), Content((Text(CANARY),)))
    assert isinstance(final, Return)
    assert final.value == Content((Text("Sorry."),))


def test_the_log_says_how_many_errors() -> None:
    ctx = context()
    guard().after_agent(ctx, Content((Text(CANARY),)))
    assert ctx.log.records == [["warning", "answer_does_not_fit", {"rule": "not_json", "errors": 1}]]


def test_a_schema_that_can_not_be_used_is_refused_at_the_start() -> None:
    with pytest.raises(UnusableSchema):
        guard(schema={"$ref": "https://example.org/other.json"})
