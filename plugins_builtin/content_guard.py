"""`content_guard`: what users may say and models may answer, by words, topics and length."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from adk_decl.plugins import (
    HookContext,
    ModelRequest,
    ModelResponse,
    Outcome,
    Plugin,
    Text,
    UserMessage,
    halt,
    observe,
    ret,
    text_content,
    text_response,
)
from plugins_builtin.words import comparable, contains_any, contains_word

SEVERITIES = ("low", "medium", "high", "critical")
DEFAULT_SEVERITY = "high"
DEFAULT_FAIL_AT = "high"
DEFAULT_CHECK = ("input", "output")

_HARMFUL = ("pipe bomb", "nerve agent", "ricin", "mass shooting", "suicide method", "child pornography")

PRESETS: dict[str, tuple[str, ...]] = {
    "harmful": _HARMFUL,
    "strict": (*_HARMFUL, "hack", "exploit"),
}
"""Blocked words and phrases by the name of their preset. They are `critical`."""

Finding = tuple[str, str]
"""A rule that a text breaks, and its severity."""


class ContentGuard(Plugin):
    """Halts the run, or answers with a fixed text, when a text breaks a rule. What it found is told to nobody."""

    requires_intervene = True
    stateless = True

    def __init__(self, config: Any) -> None:
        """Prepare the rules. Raises `ValueError` when there is none."""
        super().__init__(config)
        self._check = config.get("check", DEFAULT_CHECK)
        self._fail_at = SEVERITIES.index(config.get("fail_at", DEFAULT_FAIL_AT))
        self._answer: str | None = config.get("answer")
        self._presets = _comparable(word for name in config.get("presets", ()) for word in PRESETS[name])
        self._words = _comparable(config.get("blocked_keywords", ()))
        self._topics = _comparable(config.get("required_topics", ()))
        self._least, self._most = config.get("min_length"), config.get("max_length")
        if not (self._presets or self._words or self._topics) and self._least is None and self._most is None:
            raise ValueError("no rule")

    def on_user_message(self, ctx: HookContext, value: UserMessage) -> Outcome:
        """Check what the user says, before anything is stored."""
        return self._judge(ctx, "input", value.text, lambda text: ret(text_content(text)))

    def before_model(self, ctx: HookContext, value: ModelRequest) -> Outcome:
        """Check the newest message of the user, for direct prompts and plugins of an agent."""
        newest = next((message.text for message in reversed(value.messages) if message.role == "user"), "")
        return self._judge(ctx, "input", newest, lambda text: ret(text_response(text)))

    def after_model(self, ctx: HookContext, value: ModelResponse) -> Outcome:
        """Check what the model says; of a response with tool calls only the words, since it is no answer yet."""
        if value.text == self._answer:
            return observe()
        final = not value.tool_calls
        return self._judge(ctx, "output", value.text, lambda text: ret(_in_place_of(value, text)), final=final)

    def _judge(
        self, ctx: HookContext, where: str, text: str, answered: Callable[[str], Outcome], *, final: bool = True
    ) -> Outcome:
        if where not in self._check:
            return observe()
        found: list[Finding] = []
        for rule, severity in self._broken(text, final=final):
            found.append((rule, severity))
            ctx.log.warning("content_rule_broken", rule=rule, severity=severity, where=where)
            if severity == "critical":
                break
        failed = [rule for rule, severity in found if SEVERITIES.index(severity) >= self._fail_at]
        if not failed:
            return observe()
        return answered(self._answer) if self._answer is not None else halt({"where": where, "rules": failed})

    def _broken(self, text: str, *, final: bool) -> Iterator[Finding]:
        """The rules that a text breaks, the cheap ones about an answer as a whole last."""
        plain = comparable(text)
        if contains_word(plain, self._presets):
            yield "presets", "critical"
        if contains_word(plain, self._words):
            yield "blocked_keywords", self._severity("blocked_keywords")
        if not final:
            return
        if self._topics and not contains_any(plain, self._topics):
            yield "required_topics", self._severity("required_topics")
        if self._least is not None and len(text) < self._least:
            yield "min_length", self._severity("min_length")
        if self._most is not None and len(text) > self._most:
            yield "max_length", self._severity("max_length")

    def _severity(self, rule: str) -> str:
        severity: str = self.config.get("severities", {}).get(rule, DEFAULT_SEVERITY)
        return severity


def _comparable(words: Any) -> tuple[str, ...]:
    return tuple(dict.fromkeys(plain for word in words if (plain := comparable(word))))


def _in_place_of(response: ModelResponse, text: str) -> ModelResponse:
    """An answer of ours; what the model's own has cost still counts."""
    return ModelResponse((Text(text),), usage=response.usage, finish_reason="content_filter", model=response.model)
