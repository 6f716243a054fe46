"""One chain on its way: the value as the host holds it, the trace, and how it ends.

Replies come from processes that may be broken, so everything in them is decoded strictly, and only fields that the
phase lets change are taken over. What plugins did not see (`adk_decl.plugins.prune`) is put back here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from adk_decl.errors import PluginFailed, PluginHalted
from adk_decl.isolation.hook_log import write_log
from adk_decl.isolation.segments import Segment
from adk_decl.plan.model import PluginDescriptor
from adk_decl.plugins.chain import CONTINUE, FAILED, HALTED, RETURNED, Kept, Reply
from adk_decl.plugins.changed_paths import are_paths
from adk_decl.plugins.judge import RULES
from adk_decl.plugins.message_list import decode_delta
from adk_decl.plugins.prune import merge_hidden, merge_message, prune, prune_messages
from adk_decl.plugins.trace import OUTCOMES, Disposition, PhaseResult, TraceEntry
from adk_decl.values import Message, ModelRequest, ToolCall, ToolResult
from adk_decl.values.payload import Payload
from adk_decl.wire import WireError, decode, decoder

_MESSAGES: Final = ModelRequest.fields.index("messages")
_ARGS: Final = ToolCall.fields.index("args")


class ChainRun:
    """State of one chain. `value` is unpruned; `ended` says that no later plugin runs."""

    __slots__ = ("_disposition", "_error", "_fields", "_original", "_rules", "ended", "phase", "trace", "value")

    def __init__(self, phase: str, value: Payload) -> None:
        self.phase = phase
        self.value = self._original = value
        self.trace: list[TraceEntry] = []
        self.ended = False
        self._rules = RULES[phase]
        self._fields: list[Any] | None = None
        self._disposition: Disposition = "continue"
        self._error: PluginFailed | PluginHalted | None = None

    @property
    def fields(self) -> list[Any]:
        """The encoded fields as plugins may see them."""
        if self._fields is None:
            self._fields = _visible(self.value).encoded_fields()
        return self._fields

    def result(self) -> PhaseResult:
        """How the chain ended. A closed failure and a halt discard what earlier plugins amended."""
        value = self.value if self._error is None else self._original
        return PhaseResult(disposition=self._disposition, value=value, trace=tuple(self.trace), error=self._error)

    def take_reply(self, segment: Segment, start: int, reply: Reply) -> int:
        """Take over a finished run; returns the next step. Raises `WireError` for a reply that can't be true."""
        entries = self._entries(segment, start, reply.marks, reply.shadowed)
        changes = self._decode_patch(reply.patch) if reply.patch else None
        final = self._decode_final(reply) if reply.disposition != CONTINUE else None
        if changes:
            self._apply(changes)
        if reply.logs:
            self._log(segment, reply.logs)
        self.trace += entries
        if reply.disposition != CONTINUE:
            self._finish(segment.plugins[reply.next - 1], reply, final)
        return reply.next

    def take_checkpoint(self, segment: Segment, start: int, data: bytes | None, marks: Sequence[int]) -> None:
        """Take over what the steps before a killed one left. Raises `WireError` for data that can't be true."""
        kept = _decode_kept(data) if data is not None else None
        entries = self._entries(segment, start, marks, kept.shadowed if kept is not None else [])
        if kept is not None:
            if kept.patch:
                self._apply(self._decode_patch(kept.patch))
            self._log(segment, kept.logs)
        self.trace += entries

    def fail(self, segment: Segment, step: int, tag: str, duration_us: int = 0) -> None:
        """A plugin failed in a way that its worker could not report; its policy decides."""
        plugin = segment.plugins[step]
        index = segment.first + step
        self.trace.append(
            TraceEntry(plugin.id, self.phase, plugin.mode, tag, index, plugin.failure_policy, duration_us)
        )
        if plugin.ends_on_failure and not self._rules.notification:
            self.ended = True
            self._disposition = "failed"
            self._error = PluginFailed(plugin.id, self.phase, tag)

    def _finish(self, plugin: PluginDescriptor, reply: Reply, final: Any) -> None:
        self.ended = True
        if reply.disposition == RETURNED:
            self._disposition, self.value = "returned", final
        elif reply.disposition == HALTED:
            self._disposition, self._error = "halted", PluginHalted(plugin.id, self.phase, final)
        else:
            self._disposition = "failed"
            self._error = PluginFailed(plugin.id, self.phase, self.trace[-1].outcome)

    def _entries(
        self, segment: Segment, start: int, marks: Sequence[int], shadowed: Sequence[tuple[int, list[str]]]
    ) -> list[TraceEntry]:
        """What the marks of steps say. Raises `WireError` for an outcome or a path that there is not."""
        phase, first, plugins = self.phase, segment.first, segment.plugins
        changed = dict(shadowed)
        if changed and not all(are_paths(paths, self._rules.value_type) for paths in changed.values()):
            raise WireError("a path that there is not")
        entries: list[TraceEntry] = []
        try:
            for step, mark in enumerate(marks, start):
                plugin = plugins[step]
                outcome = OUTCOMES[mark & 0xFF]
                paths = tuple(changed.get(step, ())) if changed else ()
                policy, duration_us = plugin.failure_policy, mark >> 8
                entries.append(
                    TraceEntry(plugin.id, phase, plugin.mode, outcome, first + step, policy, duration_us, paths)
                )
        except IndexError:
            raise WireError("an outcome that there is not") from None
        return entries

    def _log(self, segment: Segment, logs: Any) -> None:
        for step, record in logs:
            if 0 <= step < len(segment.plugins):
                write_log(segment.plugins[step].id, self.phase, record)

    def _apply(self, changes: dict[int, Any]) -> None:
        self.value = self.value.patched(changes)
        self._fields = None
        self._disposition = "amended"

    def _decode_patch(self, patch: dict[int, Any]) -> dict[int, Any]:
        if not patch.keys() <= self._rules.amendable:
            raise WireError("a field that can't change")
        return {index: self._decode_field(index, raw) for index, raw in patch.items()}

    def _decode_field(self, index: int, raw: Any) -> Any:
        if self._rules.is_request and index == _MESSAGES:
            return self._messages_from(decode_delta(raw))
        decoded = self._rules.value_type.decoders[index](raw)
        if isinstance(self.value, ToolCall) and index == _ARGS:
            return merge_hidden(self.value.args, decoded)
        return decoded

    def _messages_from(self, delta: list[str | Message]) -> tuple[Message, ...]:
        assert isinstance(self.value, ModelRequest)
        known = {message.id: message for message in self.value.messages}
        messages: list[Message] = []
        for item in delta:
            name = item if isinstance(item, str) else item.id
            original = known.get(name)
            if isinstance(item, str):
                if original is None:
                    raise WireError("an unknown message")
                messages.append(original)
            else:
                messages.append(item if original is None else merge_message(original, item))
        return tuple(messages)

    def _decode_final(self, reply: Reply) -> Any:
        """The returned value or the reason of a halt; checks that the reply fits together."""
        if reply.disposition == RETURNED:
            kind = self._rules.returns
            if kind is None or len(reply.value) != len(kind.fields):
                raise WireError("not a value of this phase")
            return self._with_identity(kind, [d(raw) for d, raw in zip(kind.decoders, reply.value, strict=True)])
        if reply.disposition == HALTED and len(reply.value) == 1:
            return decode(reply.value[0])
        if reply.disposition not in (CONTINUE, FAILED) or (reply.disposition == FAILED and not reply.marks):
            raise WireError("an ending that there is not")
        return None

    def _with_identity(self, kind: type[Payload], values: list[Any]) -> Payload:
        """A tool result belongs to the call that was made, with the arguments that plugins did not see too."""
        payload = kind(*values)
        if isinstance(payload, ToolResult) and isinstance(self.value, ToolCall | ToolResult):
            return payload.replace(name=self.value.name, call_id=self.value.call_id, args=self.value.args)
        return payload


def check_reply(reply: Reply, segment: Segment, start: int) -> None:
    """Whether the numbers of a reply fit its segment. Raises `WireError`."""
    ran = reply.next - start
    if not 0 < ran <= len(segment.plugins) - start or len(reply.marks) != ran:
        raise WireError("numbers that don't fit")


def _visible(value: Payload) -> Payload:
    """The value without what plugins don't see."""
    if isinstance(value, ToolCall):
        args = prune(value.args)
        return value if args is value.args else value.patched({_ARGS: args})
    if isinstance(value, ModelRequest):
        messages = prune_messages(value.messages)
        return value if messages is value.messages else value.patched({_MESSAGES: messages})
    return value


decode_reply: Callable[[Any], Reply] = decoder(Reply)
_decode_kept: Callable[[Any], Kept] = decoder(Kept)
