"""`schema_guard`: an answer has to be JSON that fits a schema."""

from __future__ import annotations

import json
from itertools import takewhile
from typing import Any, NoReturn

from adk_decl.plugins import (
    Content,
    HookContext,
    ModelResponse,
    Outcome,
    Part,
    Plugin,
    Text,
    halt,
    observe,
    ret,
    text_content,
)
from adk_decl.plugins.json_schema import validator

DEFAULT_FIND = "whole"

_NOTHING = object()


class SchemaGuard(Plugin):
    """Halts the run, or answers with a fixed text, when an answer does not fit. It shows nothing of the answer."""

    requires_intervene = True
    stateless = True

    def __init__(self, config: Any) -> None:
        """Build the validator. Raises `UnusableSchema`."""
        super().__init__(config)
        self._problems = validator(config["schema"])
        self._first = config.get("find", DEFAULT_FIND) == "first"
        self._answer: str | None = config.get("answer")

    def after_model(self, ctx: HookContext, value: ModelResponse) -> Outcome:
        """Check an answer; a response with tool calls is none yet."""
        refusal = None if value.tool_calls else self._refusal(ctx, value.content)
        if refusal is None:
            return observe()
        if self._answer is None:
            return halt(refusal)
        answer = (Text(self._answer),)
        return ret(ModelResponse(answer, usage=value.usage, finish_reason="content_filter", model=value.model))

    def after_agent(self, ctx: HookContext, value: Content) -> Outcome:
        """Check the final content of an agent, whoever it is from."""
        refusal = self._refusal(ctx, value.parts)
        if refusal is None:
            return observe()
        return halt(refusal) if self._answer is None else ret(text_content(self._answer))

    def _refusal(self, ctx: HookContext, parts: tuple[Part, ...]) -> dict[str, Any] | None:
        """What is told of an answer that does not fit: which keywords of the schema, and how many errors."""
        texts = [part.text for part in parts if isinstance(part, Text)]
        if self._answer is not None and "".join(texts) == self._answer:
            return None
        data = _first_json(texts) if self._first else _parsed("".join(texts))
        if data is _NOTHING:
            refusal: dict[str, Any] = {"rule": "not_json", "errors": 1, "keywords": []}
        else:
            problems = self._problems(data)
            if not problems:
                return None
            refusal = {
                "rule": "schema",
                "errors": len(problems),
                "keywords": sorted({problem.keyword for problem in problems}),
            }
        ctx.log.warning("answer_does_not_fit", rule=refusal["rule"], errors=refusal["errors"])
        return refusal


def _first_json(texts: list[str]) -> Any:
    """The first text that is JSON as a whole, else the first fenced block."""
    found = next((data for data in map(_parsed, texts) if data is not _NOTHING), _NOTHING)
    if found is not _NOTHING:
        return found
    block = _first_block("\n".join(texts))
    return _NOTHING if block is None else _parsed(block)


def _first_block(text: str) -> str | None:
    """What stands between the first line that begins with three backticks and the next such line."""
    lines = iter(text.splitlines())
    for line in lines:
        if line.startswith("```"):
            block = list(takewhile(lambda inner: not inner.startswith("```"), lines))
            return "\n".join(block)
    return None


def _parsed(text: str) -> Any:
    try:
        return json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return _NOTHING


def _refuse(constant: str) -> NoReturn:
    raise ValueError("NaN and infinities are no JSON")
