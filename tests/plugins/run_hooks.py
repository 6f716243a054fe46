"""Runs chains of plain functions without processes: what the tests of the chain share."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from adk_decl.isolation.inline import InlineControl
from adk_decl.plan.record import FrozenMap
from adk_decl.plugins.chain import Manner, Program, Reply, Step, run_chain
from adk_decl.plugins.judge import RULES
from adk_decl.plugins.trace import OUTCOMES
from adk_decl.values.payload import Payload
from adk_decl.wire import encode
from tests.isolation.setting import META

Hook = Callable[[Any, Any], Any]


class RecordingControl(InlineControl):
    """A control that keeps what it is told; checkpoints above `room` bytes are refused."""

    def __init__(self, start: int = 0, deadline_ns: int = 0, room: int = 1 << 20) -> None:
        super().__init__(start, deadline_ns)
        self.room = room
        self.begun: list[tuple[int, int]] = []
        self.kept: list[tuple[int, bytes]] = []
        self.retired = False

    def begin(self, index: int, *, heap_mib: int, now_ns: int = 0) -> None:
        self.begun.append((index, heap_mib))

    def checkpoint(self, index: int, data: bytes) -> bool:
        if len(data) > self.room:
            return False
        self.kept.append((index, data))
        return True

    def retire(self) -> None:
        self.retired = True


def step(hook: Hook, **limits: Any) -> Step:
    """A step with ordinary limits."""
    given: dict[str, Any] = {
        "intervenes": True,
        "closed": False,
        "timeout_ms": 1000,
        "max_result_bytes": 10_000,
    } | limits
    return Step(
        hook,
        "p",
        FrozenMap(),
        given["intervenes"],
        given["closed"],
        given["timeout_ms"],
        64,
        given["max_result_bytes"],
        given["timeout_ms"] * 1_000_000,
    )


def run(
    phase: str,
    value: Payload,
    hooks: Sequence[Hook | Step],
    *,
    control: RecordingControl | None = None,
    stop_when_late: bool = False,
    **limits: Any,
) -> Reply:
    """Run a chain over a value."""
    steps = tuple(hook if isinstance(hook, Step) else step(hook, **limits) for hook in hooks)
    manner = Manner(stop_when_late=stop_when_late)
    fields = [bytes(field) for field in value.encoded_fields()]
    program = Program(RULES[phase], steps)
    return asyncio.run(run_chain(program, fields, encode(META), control or RecordingControl(), manner))


def outcomes(reply: Reply) -> list[str]:
    """The outcomes that a reply marks."""
    return [OUTCOMES[mark & 0xFF] for mark in reply.marks]


def outcome(phase: str, value: Payload, answer: Any, **limits: Any) -> str:
    """The outcome of one hook that gives this answer (or calls it with the value)."""

    def hook(context: Any, seen: Any) -> Any:
        return answer(seen) if callable(answer) else answer

    return outcomes(run(phase, value, [hook], **limits))[0]
