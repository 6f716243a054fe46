"""The shape of a script: what stands under `config` of a `scripted` model."""

from __future__ import annotations

from typing import Any

from adk_decl.values import Usage
from adk_decl.wire import Struct, field


class When(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """When a reply fits; conditions that are not stated hold.

    `turn` is the number of the user's turn in the conversation as the model sees it, from 1: the count of user
    messages. `contains` is a piece of the newest user text, as written. `tool_result` is the name of a tool whose
    result is the newest thing in the conversation.
    """

    turn: int | None = None
    contains: str | None = None
    tool_result: str | None = None


class ScriptedCall(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A tool call of a reply; without `call_id` it gets one that is unique in the conversation."""

    name: str
    args: dict[str, Any] = field(default_factory=dict)
    call_id: str | None = None


class Reply(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One reply: exactly one of `text`, `tool_calls`, `error` (a reason of `ModelError`) and `chunks`.

    `text` and `chunks` may quote the last tool result, that of `when.tool_result` if stated, by its path in
    `{success, result | error}`: `<<result.status>>`, `<<result.items.0.name>>`. `chunks` are the pieces in which
    the text is streamed. `delay_ms` passes before the reply.
    """

    when: When | None = None
    text: str | None = None
    tool_calls: tuple[ScriptedCall, ...] | None = None
    error: str | None = None
    chunks: tuple[str, ...] | None = None
    delay_ms: int = 0
    usage: Usage | None = None

    @property
    def pieces(self) -> tuple[str, ...]:
        """The text in the pieces in which it is streamed."""
        return self.chunks or (() if self.text is None else (self.text,))


class Script(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All replies, in the order in which they are given."""

    replies: tuple[Reply, ...]
