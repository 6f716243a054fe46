"""Calls one hook of a built-in plugin as a worker would, without a worker."""

from __future__ import annotations

from typing import Any

from adk_decl.plan.frozen_json import freeze
from adk_decl.plan.record import FrozenMap
from adk_decl.plugins import HookContext, Message, Meta, Plugin, Text, ToolCallPart, ToolResultPart


def build(plugin_class: type[Plugin], **config: Any) -> Plugin:
    """The plugin with this configuration."""
    return plugin_class(_frozen(config))


def context(config: dict[str, Any] | None = None, **meta: Any) -> HookContext:
    """A context of a run with short names; `meta` overrides facts."""
    facts: dict[str, Any] = {
        "run_id": "r1",
        "invocation_id": "i1",
        "session_id": "s1",
        "user_id": "u1",
        "app_name": "desk",
        "agent": "support",
    }
    return HookContext(plugin_id="p", config=_frozen(config or {}), deadline_ms=1000, meta=Meta(**(facts | meta)))


def conversation(*lines: str) -> tuple[Message, ...]:
    """Messages from lines like `user: hi`, `assistant: text | call c1`, `tool: result c1`; ids are m1, m2, ...

    Equal lines make equal messages but for their ids.
    """
    return tuple(_message(f"m{number}", line) for number, line in enumerate(lines, 1))


def _message(message_id: str, line: str) -> Message:
    role, _, rest = line.partition(": ")
    assert role in ("user", "assistant", "tool")
    return Message(role=role, parts=tuple(_part(piece.strip()) for piece in rest.split("|")), id=message_id)  # type: ignore[arg-type]


def _part(piece: str) -> Text | ToolCallPart | ToolResultPart:
    word, _, call_id = piece.partition(" ")
    if word == "call":
        return ToolCallPart(name="lookup", args={"id": 1}, call_id=call_id)
    if word == "result":
        return ToolResultPart(name="lookup", call_id=call_id, body={"success": True, "result": {}})
    return Text(piece)


def _frozen(config: dict[str, Any]) -> FrozenMap[Any]:
    frozen = freeze(config)
    assert isinstance(frozen, FrozenMap)
    return frozen
