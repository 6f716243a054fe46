"""Keeps arguments whose names look like secrets or handles from plugins, and puts them back after an amendment.

It applies to the arguments of `before_tool` and to those of the tool calls in the messages of `before_model`.
A plugin can delete only what it could see; what it sets itself stays as it set it.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

from adk_decl.values.content import Message, Part, ToolCallPart
from adk_decl.wire import replace

_SEPARATORS: Final = str.maketrans("", "", "_- .:")
_EXACT: Final = frozenset(
    {
        "apikey",
        "privatekey",
        "signingkey",
        "clientassertion",
        "bearer",
        "cookie",
        "setcookie",
        "otp",
        "pin",
    }
)
_CONTAINED: Final = ("token", "credential", "authorization", "password", "passwd", "secret")
_HANDLES: Final = ("pid", "ref", "handle", "client", "connection")


@lru_cache(maxsize=4096)
def is_hidden(key: str) -> bool:
    """Whether plugins don't see an argument of this name."""
    plain = key.lower().translate(_SEPARATORS)
    return plain in _EXACT or plain.endswith(_HANDLES) or any(word in plain for word in _CONTAINED)


def prune(value: Any) -> Any:
    """The value without hidden keys at any depth. The same object when there is nothing to hide."""
    if isinstance(value, dict):
        kept = {key: prune(item) for key, item in value.items() if not is_hidden(key)}
        same = len(kept) == len(value) and all(kept[key] is item for key, item in value.items())
        return value if same else kept
    if isinstance(value, list):
        items = [prune(item) for item in value]
        return value if all(a is b for a, b in zip(items, value, strict=True)) else items
    return value


def merge_hidden(original: Any, amended: Any) -> Any:
    """`amended` with the hidden keys of `original` put back, at the places that still exist."""
    if isinstance(original, dict) and isinstance(amended, dict):
        merged = {
            key: merge_hidden(original[key], item) if key in original and not is_hidden(key) else item
            for key, item in amended.items()
        }
        hidden = {key: item for key, item in original.items() if is_hidden(key) and key not in merged}
        return {**merged, **hidden}
    if isinstance(original, list) and isinstance(amended, list):
        pairs = zip(original, amended, strict=False)
        return [merge_hidden(a, b) for a, b in pairs] + amended[len(original) :]
    return amended


def prune_messages(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    """The messages with the arguments of their tool calls pruned. The same object when there is nothing to hide."""
    for message in messages:
        if message.role == "assistant":
            for part in message.parts:
                if type(part) is ToolCallPart and prune(part.args) is not part.args:
                    return tuple(_prune_message(each) for each in messages)
    return messages


def merge_message(original: Message, amended: Message) -> Message:
    """An amended message with the hidden arguments of its original put back, call by call."""
    calls = {part.call_id: part for part in original.parts if isinstance(part, ToolCallPart)}
    return replace(amended, parts=tuple(_merge_part(calls, part) for part in amended.parts)) if calls else amended


def _prune_message(message: Message) -> Message:
    if message.role != "assistant":
        return message
    parts = tuple(_prune_part(part) for part in message.parts)
    same = all(a is b for a, b in zip(parts, message.parts, strict=True))
    return message if same else replace(message, parts=parts)


def _prune_part(part: Part) -> Part:
    if not isinstance(part, ToolCallPart):
        return part
    args = prune(part.args)
    return part if args is part.args else replace(part, args=args)


def _merge_part(originals: dict[str, ToolCallPart], part: Part) -> Part:
    if not isinstance(part, ToolCallPart) or part.call_id not in originals:
        return part
    return replace(part, args=merge_hidden(originals[part.call_id].args, part.args))
