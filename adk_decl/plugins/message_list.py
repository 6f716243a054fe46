"""The messages of a request while a chain works on them, and what of them has changed.

A message that did not change travels back as its id, so the size of an amendment is that of the change. Messages
that a plugin adds get an id here, unique in the request, so that the next plugin can name them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from adk_decl.plugins.json_leaves import checked_json
from adk_decl.plugins.outcomes import Keep
from adk_decl.values.content import Message
from adk_decl.wire import Raw, Struct, WireError, decoder, encode, replace


class UnknownMessage(Exception):
    """An amendment names a message that the request does not have, or is not a list of messages."""


class _Entry(NamedTuple):
    id: str
    json: bytes


class MessageList:
    """Messages by position, each with its id and JSON."""

    __slots__ = ("_entries",)

    def __init__(self, entries: Sequence[_Entry]) -> None:
        self._entries = tuple(entries)

    @classmethod
    def parse(cls, field: Any) -> MessageList:
        """From the JSON of the field `messages`."""
        pairs = zip(_decode_ids(field), _decode_raws(field), strict=True)
        return cls([_Entry(one.id, bytes(raw)) for one, raw in pairs])

    def amended(self, change: Any, *, tag: str) -> MessageList:
        """The messages after an amendment: a `Keep`, or a whole list. `tag` makes new ids unique.

        Raises `UnknownMessage` for ids and values that don't fit, `NotJson` for what is not JSON.
        """
        names = _Names(self._entries, tag)
        if isinstance(change, Keep):
            return MessageList(self._keep(change, names))
        if not isinstance(change, list | tuple):
            raise UnknownMessage
        return MessageList([names.entry(message, kept=None) for message in change])

    def to_json(self) -> bytes:
        """The JSON of the field `messages`."""
        return b"[" + b",".join(entry.json for entry in self._entries) + b"]"

    def delta(self, origin: MessageList) -> bytes:
        """JSON of the list in which each message that `origin` has unchanged is only its id."""
        known = {entry.id: entry.json for entry in origin._entries if entry.id}
        return encode([e.id if e.id and known.get(e.id) == e.json else Raw(e.json) for e in self._entries])

    def _keep(self, change: Keep, names: _Names) -> list[_Entry]:
        known = {entry.id: entry for entry in self._entries if entry.id}
        if not known.keys() >= {*change.ids, *change.replace} or len(set(change.ids)) != len(change.ids):
            raise UnknownMessage
        entries = [
            names.entry(change.replace[one], kept=one) if one in change.replace else known[one] for one in change.ids
        ]
        return entries + [names.entry(message, kept="") for message in change.append]


class _Names:
    """Gives each message an id that no other has; `kept` is the id it must have, or "" for a new one."""

    def __init__(self, entries: Sequence[_Entry], tag: str) -> None:
        self._json = {entry.id: entry.json for entry in entries if entry.id}
        self._used: set[str] = set()
        self._tag = tag
        self._count = 0

    def entry(self, message: Any, *, kept: str | None) -> _Entry:
        if not isinstance(message, Message):
            raise UnknownMessage
        name = message.id if kept is None else kept
        if name not in self._json or name in self._used:
            name = self._new()
        self._used.add(name)
        if name != message.id:
            message = replace(message, id=name)
        data = checked_json(message)
        try:
            _decode_message(data)
        except WireError:
            raise UnknownMessage from None
        return _Entry(name, data)

    def _new(self) -> str:
        while True:
            name = f"{self._tag}.{self._count}"
            self._count += 1
            if name not in self._json and name not in self._used:
                return name


def decode_delta(delta: Any) -> list[str | Message]:
    """A delta as ids and messages. Raises `WireError`."""
    return [_decode_id(raw) if bytes(raw).startswith(b'"') else _decode_message(raw) for raw in _decode_raws(delta)]


class _Id(Struct):
    id: str = ""


_decode_ids: Callable[[Any], list[_Id]] = decoder(list[_Id])
_decode_raws: Callable[[Any], list[Raw]] = decoder(list[Raw])
_decode_id: Callable[[Any], str] = decoder(str)
_decode_message: Callable[[Any], Message] = decoder(Message)
