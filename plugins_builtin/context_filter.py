"""`context_filter`: which messages of a conversation a model is sent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from adk_decl.plugins import (
    HookContext,
    Message,
    ModelRequest,
    Outcome,
    Part,
    Plugin,
    Text,
    ToolCallPart,
    ToolResultPart,
    amend,
    keep,
    observe,
)

Unit = list[Message]
"""Messages that are kept or dropped together."""

_Place = tuple[int, int]
"""Index of a message, and of a part in it."""


class ContextFilter(Plugin):
    """Drops messages by role, then all but the newest, without ever parting a tool call from its result.

    Messages are told apart by their ids, so equal texts count one by one. What remains keeps its order.
    """

    requires_intervene = True
    stateless = True

    def before_model(self, ctx: HookContext, value: ModelRequest) -> Outcome:
        """Amend `messages` with what is kept; observe when that is everything, unchanged."""
        messages = value.messages
        latest_user = self._latest_user(messages)
        units = _units([m for m in messages if m.id == latest_user or self._has_wanted_role(m)])
        kept_ids = _newest(units, self.config.get("max_messages"), latest_user)
        left = {m.id: m for unit in units for m in unit if m.id in kept_ids}
        kept = [left[m.id] for m in messages if m.id in left]
        if units and units[-1][-1].id not in left:
            ctx.log.warning("newest_messages_dropped", kept=len(kept), of=len(messages))
        return _outcome(messages, kept)

    def _latest_user(self, messages: Sequence[Message]) -> str | None:
        if not self.config.get("preserve_latest_user", True):
            return None
        return next((m.id for m in reversed(messages) if m.role == "user"), None)

    def _has_wanted_role(self, message: Message) -> bool:
        include = self.config.get("include_roles")
        return (include is None or message.role in include) and message.role not in self.config.get("exclude_roles", ())


def _units(messages: Sequence[Message]) -> list[Unit]:
    """An assistant message and the results of its calls are one unit, any other message is one alone.

    A call without a result and a result without a call are cut out, since models refuse both; a message that held
    nothing else is dropped. Units are in the order of their last messages.
    """
    unit_of = list(range(len(messages)))
    paired: set[tuple[int, int]] = set()
    for (caller, call_part), (answer, result_part) in _pairs(messages):
        paired |= {(caller, call_part), (answer, result_part)}
        _join(unit_of, caller, answer)
    units: dict[int, Unit] = {}
    for index, message in enumerate(messages):
        parts = tuple(p for i, p in enumerate(message.parts) if isinstance(p, Text) or (index, i) in paired)
        if parts or not message.parts:
            unit = units.pop(unit_of[index], [])
            units[unit_of[index]] = [*unit, message if parts == message.parts else _with_parts(message, parts)]
    return list(units.values())


def _pairs(messages: Sequence[Message]) -> Iterator[tuple[_Place, _Place]]:
    """Places of calls and of their results. A call id may return later in a conversation: the last call counts."""
    waiting: dict[str, _Place] = {}
    for index, message in enumerate(messages):
        for part_index, part in enumerate(message.parts):
            if isinstance(part, ToolCallPart):
                waiting[part.call_id] = (index, part_index)
            elif isinstance(part, ToolResultPart) and part.call_id in waiting:
                yield waiting.pop(part.call_id), (index, part_index)


def _join(unit_of: list[int], caller: int, answer: int) -> None:
    unit, joined = unit_of[caller], unit_of[answer]
    if joined == answer:
        unit_of[answer] = unit
    elif joined != unit:  # one message answers the calls of two
        unit_of[:] = [unit if other == joined else other for other in unit_of]


def _with_parts(message: Message, parts: tuple[Part, ...]) -> Message:
    return Message(role=message.role, parts=parts, id=message.id)


def _newest(units: Sequence[Unit], maximum: int | None, latest_user: str | None) -> set[str]:
    """Ids of the newest units that fit, without a gap; the latest user message has its place before all others."""
    kept = set() if latest_user is None else {latest_user}
    room = float("inf") if maximum is None else maximum - len(kept)
    for unit in reversed(units):
        room -= sum(message.id != latest_user for message in unit)
        if room < 0:
            break
        kept.update(message.id for message in unit)
    return kept


def _outcome(messages: Sequence[Message], kept: Sequence[Message]) -> Outcome:
    original = {message.id: message for message in messages}
    changed = {message.id: message for message in kept if message is not original[message.id]}
    if len(kept) == len(messages) and not changed:
        return observe()
    return amend(messages=keep([message.id for message in kept], replace=changed))
