"""`pii_redactor`: takes personal data out of what users say, models are sent and answer, and tools give back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from adk_decl.plugins import (
    Content,
    HookContext,
    Message,
    ModelRequest,
    ModelResponse,
    Outcome,
    Part,
    Plugin,
    Text,
    ToolCallPart,
    ToolError,
    ToolResult,
    ToolResultPart,
    UserMessage,
    amend,
    keep,
    observe,
)
from plugins_builtin.pii_patterns import DEFAULT_TYPES, find

DEFAULT_MARKER = "[{type}]"
DEFAULT_APPLY_TO = ("answers", "tool_results")
FIELD = "field"
"""What the marker calls a value that was taken out because of its name."""


class PiiRedactor(Plugin):
    """Puts a marker in the place of each piece. What it removed is told to nobody; how much, the log says."""

    requires_intervene = True
    stateless = True

    def __init__(self, config: Any) -> None:
        """Prepare names and markers. Raises `ValueError` when there is nothing to look for."""
        super().__init__(config)
        self._apply_to = config.get("apply_to", DEFAULT_APPLY_TO)
        self._types = tuple(config.get("types", DEFAULT_TYPES))
        self._marker: str = config.get("marker", DEFAULT_MARKER)
        self._fields = frozenset(_plain_name(name) for name in config.get("fields", ()))
        if not (self._types or self._fields):
            raise ValueError("nothing to look for")

    def on_user_message(self, ctx: HookContext, value: UserMessage) -> Outcome:
        """Redact what the user says, before it is stored."""
        return self._amended_parts(ctx, "user_messages", "parts", value.parts)

    def before_model(self, ctx: HookContext, value: ModelRequest) -> Outcome:
        """Redact the messages that a model is sent; the session keeps them as they are."""
        if "model_requests" not in self._apply_to:
            return observe()
        redaction = self._redaction()
        changed: dict[str, Message] = {}
        for message in value.messages:
            parts = redaction.parts(message.parts)
            if parts is not message.parts:
                changed[message.id] = Message(role=message.role, parts=parts, id=message.id)
        if not changed:
            return observe()
        redaction.log(ctx)
        return amend(messages=keep([message.id for message in value.messages], replace=changed))

    def after_model(self, ctx: HookContext, value: ModelResponse) -> Outcome:
        """Redact what a model says. Arguments of tool calls stay: the tool needs them."""
        return self._amended_parts(ctx, "answers", "content", value.content)

    def after_agent(self, ctx: HookContext, value: Content) -> Outcome:
        """Redact the final content of an agent, whoever it is from."""
        return self._amended_parts(ctx, "answers", "parts", value.parts)

    def after_tool(self, ctx: HookContext, value: ToolResult) -> Outcome:
        """Redact what a tool gave back, before it is stored and a model is told it."""
        if "tool_results" not in self._apply_to:
            return observe()
        redaction = self._redaction()
        changes: dict[str, Any] = {}
        result = redaction.value(value.result)
        if result is not value.result:
            changes["result"] = result
        error = value.error
        if error is not None and (details := redaction.value(error.details)) is not error.details:
            changes["error"] = _with_details(error, details)
        if not changes:
            return observe()
        redaction.log(ctx)
        return amend(**changes)

    def _amended_parts(self, ctx: HookContext, where: str, field: str, parts: tuple[Part, ...]) -> Outcome:
        if where not in self._apply_to:
            return observe()
        redaction = self._redaction()
        redacted = redaction.parts(parts)
        if redacted is parts:
            return observe()
        redaction.log(ctx)
        return amend(**{field: redacted})

    def _redaction(self) -> Redaction:
        return Redaction(self._types, self._fields, self._marker)


class Redaction:
    """One pass over a value; counts what it removes. What has nothing to remove is given back as the same object."""

    def __init__(self, types: tuple[str, ...], fields: frozenset[str], marker: str) -> None:
        self._types = types
        self._fields = fields
        self._marker = marker
        self._counts: Counter[str] = Counter()

    def log(self, ctx: HookContext) -> None:
        """Say how much of which kind was removed."""
        ctx.log.info("redacted", **dict(sorted(self._counts.items())))

    def parts(self, parts: tuple[Part, ...]) -> tuple[Part, ...]:
        """The parts of a message. Several texts are looked at as one, as whoever reads them does."""
        texts = [part.text for part in parts if isinstance(part, Text)]
        joined = "".join(texts)
        text = self.text(joined)
        redacted: list[Part] = []
        for part in parts:
            if not isinstance(part, Text):
                redacted.append(self._data_part(part))
            elif text is joined:
                redacted.append(part)
            elif not any(isinstance(earlier, Text) for earlier in redacted):
                redacted.append(Text(text))
        same = len(redacted) == len(parts) and all(a is b for a, b in zip(redacted, parts, strict=True))
        return parts if same else tuple(redacted)

    def value(self, value: Any) -> Any:
        """A JSON value: its texts and keys, and whole values under the names of fields."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return self._map(value)
        if isinstance(value, list):
            items = [self.value(item) for item in value]
            return value if all(a is b for a, b in zip(items, value, strict=True)) else items
        return value

    def text(self, text: str) -> str:
        """One text."""
        pieces: list[str] = []
        at = 0
        for found in find(text, self._types):
            pieces += [text[at : found.start], self._mark(found.type)]
            at = found.end
        return "".join([*pieces, text[at:]]) if pieces else text

    def _map(self, value: dict[str, Any]) -> dict[str, Any]:
        redacted: dict[str, Any] = {}
        same = True
        for key, item in value.items():
            if _plain_name(key) in self._fields and item is not None:
                name, new = key, self._mark(FIELD)
            else:
                name, new = self.text(key), self.value(item)
            same = same and name is key and new is item
            redacted[_unused(name, redacted)] = new
        return value if same else redacted

    def _data_part(self, part: ToolCallPart | ToolResultPart) -> Part:
        if isinstance(part, ToolCallPart):
            args = self.value(part.args)
            return part if args is part.args else ToolCallPart(name=part.name, args=args, call_id=part.call_id)
        body = self.value(part.body)
        return part if body is part.body else ToolResultPart(name=part.name, call_id=part.call_id, body=body)

    def _mark(self, kind: str) -> str:
        self._counts[kind] += 1
        return self._marker.replace("{type}", kind.upper())


def _plain_name(name: str) -> str:
    return name.casefold().replace("-", "_").replace(" ", "_")


def _unused(name: str, taken: Iterable[str]) -> str:
    """A key that is still free: two keys may have become the same marker."""
    number = 2
    unused = name
    while unused in taken:
        unused = f"{name} {number}"
        number += 1
    return unused


def _with_details(error: ToolError, details: dict[str, Any]) -> ToolError:
    return ToolError(
        reason=error.reason,
        component=error.component,
        operation=error.operation,
        error_class=error.error_class,
        details=details,
    )
