"""What `on_event` may not change: checked after each plugin, and attributed to it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from adk_decl.values.content import Part, Text, ToolCallPart, ToolResultPart
from adk_decl.wire import decoder

IS_FINAL_FIELD = "is_final"


def content_may_become(before: bytes, after: bytes, *, is_final: bool) -> bool:
    """Whether the content of an event may be replaced: JSON of the parts before and after.

    Kinds of parts, names of tools, call ids, their number and order stay; the content of a final event stays whole.
    """
    old, new = _decode_parts(before), _decode_parts(after)
    if is_final:
        return old == new
    return len(old) == len(new) and all(_same_kind(a, b) for a, b in zip(old, new, strict=True))


def _same_kind(old: Part, new: Part) -> bool:
    if isinstance(old, ToolCallPart):
        return isinstance(new, ToolCallPart) and (old.name, old.call_id) == (new.name, new.call_id)
    if isinstance(old, ToolResultPart):
        same = isinstance(new, ToolResultPart) and (old.name, old.call_id) == (new.name, new.call_id)
        return same and isinstance(new, ToolResultPart) and old.body.keys() == new.body.keys()
    return isinstance(new, Text)


_decode_parts: Callable[[Any], tuple[Part, ...]] = decoder(tuple[Part, ...])
