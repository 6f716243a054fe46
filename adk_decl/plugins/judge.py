"""Whether what a hook answered is allowed, and what it changes: shape, then JSON and depth, then size.

Deadline and mode are checked by the chain, in this order after these. Works on the encoded fields of a value, so
the judged change is what travels; nothing of the plugin's own objects is kept.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from adk_decl.plan.phases import PHASES, Phase
from adk_decl.plugins.event_rules import content_may_become
from adk_decl.plugins.json_leaves import NotJson, checked_json
from adk_decl.plugins.message_list import MessageList, UnknownMessage
from adk_decl.plugins.outcomes import Amend, Halt, Observe, Return
from adk_decl.plugins.redact import bounded_reason
from adk_decl.values import PAYLOAD_TYPES, Event, ModelRequest, ToolResult
from adk_decl.values.payload import Payload
from adk_decl.wire import WireError, decode

AMEND, RETURN, HALT = "amend", "return", "halt"
OBSERVE_WORDS: Final = frozenset({"observe", "continue", "ok"})
_MESSAGES: Final = ModelRequest.fields.index("messages")
_ARGS_OF_CALL: Final = ("name", "args", "call_id")


class Refused(Exception):
    """The answer is not allowed; `tag` is the failure. `why` tells an author who debugs; it names types, no values."""

    def __init__(self, tag: str, why: str = "") -> None:
        self.tag = tag
        super().__init__(f"{tag}: {why}" if why else tag)


class Rules:
    """What one phase allows, looked up once."""

    __slots__ = ("amendable", "is_event", "is_request", "notification", "phase", "returns", "value_type")

    def __init__(self, phase: Phase) -> None:
        self.phase = phase.name
        self.value_type = PAYLOAD_TYPES[phase.value]
        self.returns = PAYLOAD_TYPES[phase.returns] if phase.returns else None
        self.amendable = frozenset(self.value_type.fields.index(name) for name in phase.amendable)
        self.notification = phase.notification
        self.is_event = self.value_type is Event
        self.is_request = self.value_type is ModelRequest


class Change:
    """An allowed answer. `fields` are the changed fields as JSON by index, or of a return all of them.

    `breaks_event` says that it changes what `on_event` may not; that counts only after deadline and mode.
    """

    __slots__ = ("breaks_event", "fields", "kind", "messages", "reason")

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.fields: dict[int, bytes] = {}
        self.messages: MessageList | None = None
        self.reason = b""
        self.breaks_event = False


class Current:
    """The value that a chain works on: its encoded fields, and the messages of a request once they are needed."""

    __slots__ = ("_messages", "fields", "step")

    def __init__(self, fields: Sequence[Any]) -> None:
        self.fields = list(fields)
        self._messages: MessageList | None = None
        self.step = 0

    @property
    def messages(self) -> MessageList:
        """The messages of a request."""
        if self._messages is None:
            self._messages = MessageList.parse(self.fields[_MESSAGES])
        return self._messages

    def apply(self, change: Change) -> None:
        """Go on with the amended fields."""
        for index, data in change.fields.items():
            self.fields[index] = data
        if change.messages is not None:
            self._messages = change.messages
            self.fields[_MESSAGES] = change.messages.to_json()


def judge(answer: Any, rules: Rules, current: Current, max_result_bytes: int) -> Change | None:
    """The change that an answer makes, or None when it observes. Raises `Refused`."""
    if answer is None or isinstance(answer, Observe) or (isinstance(answer, str) and answer in OBSERVE_WORDS):
        return None
    try:
        if rules.notification:
            return _judge_ignored(answer, max_result_bytes)
        if isinstance(answer, Amend):
            return _judge_amend(answer, rules, current, max_result_bytes)
        if isinstance(answer, Return):
            return _judge_return(answer.value, rules, current, max_result_bytes)
        if isinstance(answer, Halt):
            return _judge_halt(answer.reason, max_result_bytes)
    except NotJson:
        raise Refused("invalid_result_type", "a value that is not JSON, or is nested too deep") from None
    except UnknownMessage:
        raise Refused("invalid_result", "messages that are no `Message`, or ids that the request lacks") from None
    except WireError:
        raise Refused("invalid_result", "a field with a value of a wrong type") from None
    raise Refused("invalid_result", f"`{type(answer).__name__}` is no outcome")


def _judge_ignored(answer: Any, limit: int) -> Change:
    """A notification changes nothing, but its answer is still bounded."""
    if isinstance(answer, Halt):
        _bounded([checked_json(answer.reason)], limit)
    elif isinstance(answer, Return | Amend) and isinstance(answer.value, Payload):
        _bounded([checked_json(value) for _, value in answer.value.read_fields()], limit)
    elif isinstance(answer, Amend) and isinstance(answer.fields, dict):
        _bounded([checked_json(value) for value in answer.fields.values()], limit)
    return Change(HALT)


def _judge_halt(reason: Any, limit: int) -> Change:
    data = checked_json(reason)
    _bounded([data], limit)
    change = Change(HALT)
    change.reason = bounded_reason(decode(data))
    return change


def _judge_amend(answer: Amend, rules: Rules, current: Current, limit: int) -> Change:
    kind = rules.value_type
    if answer.value is None:
        changes = _named_fields(answer.fields, kind)
    elif type(answer.value) is kind and not answer.fields:
        changes = dict(answer.value.read_fields())
    else:
        raise Refused("invalid_result", f"{rules.phase} amends `{kind.__name__}`, not `{type(answer.value).__name__}`")
    whole = answer.value is not None
    change = Change(AMEND)
    sizes: list[bytes] = []
    for index, value in changes.items():
        if index in rules.amendable:
            sizes.append(_amend_field(change, index, value, rules, current))
        elif not (whole and _is_unchanged(index, value, kind, current)):
            _refuse_field(change, rules, kind.fields[index])
    if whole:
        change.fields = {i: d for i, d in change.fields.items() if d != bytes(current.fields[i])}
    _bounded(sizes, limit)
    for index, data in change.fields.items():
        kind.decoders[index](data)
    if rules.is_event:
        _check_event(change, current)
    return change


def _named_fields(fields: Mapping[str, Any], kind: type[Payload]) -> dict[int, Any]:
    if not isinstance(fields, dict) or not fields or not all(name in kind.fields for name in fields):
        raise Refused("invalid_result", f"`{kind.__name__}` has no such field")
    return {kind.fields.index(name): value for name, value in fields.items()}


def _amend_field(change: Change, index: int, value: Any, rules: Rules, current: Current) -> bytes:
    """Record one changed field; returns what of it the plugin sends back."""
    if rules.is_request and index == _MESSAGES:
        messages = current.messages.amended(value, tag=f"{rules.phase}.{current.step}")
        change.messages = messages
        return messages.delta(current.messages)
    data = checked_json(value)
    change.fields[index] = data
    return data


def _refuse_field(change: Change, rules: Rules, name: str) -> None:
    if not rules.is_event:
        raise Refused("invalid_result", f"{rules.phase} can't amend `{name}`")
    change.breaks_event = True


def _is_unchanged(index: int, value: Any, kind: type[Payload], current: Current) -> bool:
    """Whether a field that can't be amended is as it was, or left at its default (or empty), which says nothing."""
    if value == "" or kind.defaults.get(kind.fields[index], _NOTHING) == value:
        return True
    data = checked_json(value)
    return data == bytes(current.fields[index]) or decode(data) == decode(current.fields[index])


def _judge_return(value: Any, rules: Rules, current: Current, limit: int) -> Change:
    kind = rules.returns
    if kind is None or type(value) is not kind:
        wanted = f"`{kind.__name__}`" if kind is not None else "nothing"
        raise Refused("invalid_result", f"{rules.phase} returns {wanted}, not `{type(value).__name__}`")
    change = Change(RETURN)
    encoded = {index: checked_json(field) for index, field in value.read_fields()}
    if len(encoded) < len(kind.fields):
        encoded = {index: bytes(data) for index, data in enumerate(value.encoded_fields())}
    _bounded(list(encoded.values()), limit)
    for index, data in encoded.items():
        kind.decoders[index](data)
    change.fields = encoded
    if kind is ToolResult:
        _fill_identity(change, rules.value_type, current)
    if rules.is_event:
        _check_event(change, current)
    return change


def _fill_identity(change: Change, value_type: type[Payload], current: Current) -> None:
    """Which call a result belongs to is not for a plugin to say."""
    for name in _ARGS_OF_CALL:
        change.fields[ToolResult.fields.index(name)] = bytes(current.fields[value_type.fields.index(name)])


def _check_event(change: Change, current: Current) -> None:
    content, final = Event.fields.index("content"), Event.fields.index("is_final")
    if change.kind == RETURN:
        frozen = (index for index in change.fields if index != content)
        if any(decode(change.fields[index]) != decode(current.fields[index]) for index in frozen):
            change.breaks_event = True
            return
    if content in change.fields:
        is_final = decode(current.fields[final]) is True
        before, after = bytes(current.fields[content]), change.fields[content]
        if before != after and not content_may_become(before, after, is_final=is_final):
            change.breaks_event = True


def _bounded(parts: list[bytes], limit: int) -> None:
    if sum(len(part) for part in parts) > limit:
        raise Refused("result_too_large", f"more than {limit} bytes")


_NOTHING: Final = object()

RULES: dict[str, Rules] = {name: Rules(phase) for name, phase in PHASES.items()}
"""The rules of each phase."""
