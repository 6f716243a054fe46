"""What a tool is told about the call that runs it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from adk_decl.plan.frozen_json import FrozenJson, freeze
from adk_decl.plan.limits import LIMITS
from adk_decl.plan.record import FrozenMap, Record
from adk_decl.wire import Struct


class ToolContext(Record):
    """Facts about one tool call, frozen. A function that has a parameter with this annotation receives it.

    `user_id`, `session_id`, `app_name`, `invocation_id` and `call_id` name where the call belongs. `deadline_ms` is
    the time in milliseconds that was left when the call started. `config` is the tool's `config` of the manifest,
    as frozen maps and tuples. Each has a default, so that a test of a tool can build one.
    """

    user_id: str
    session_id: str
    app_name: str
    invocation_id: str
    call_id: str
    deadline_ms: int
    config: FrozenMap[FrozenJson]
    _clock: Callable[[], float]
    _started: float

    def __init__(
        self,
        *,
        user_id: str = "local",
        session_id: str = "",
        app_name: str = "",
        invocation_id: str = "",
        call_id: str = "",
        deadline_ms: int = LIMITS["tool.timeout_ms"].default,
        config: Mapping[str, Any] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        frozen = freeze(config or {})
        super().__init__(
            user_id=user_id,
            session_id=session_id,
            app_name=app_name,
            invocation_id=invocation_id,
            call_id=call_id,
            deadline_ms=deadline_ms,
            config=frozen,
            _clock=clock,
            _started=clock(),
        )

    def time_left_ms(self) -> int:
        """The time in milliseconds until the call is ended, at least 0."""
        return max(0, int(self.deadline_ms - (self._clock() - self._started) * 1000))

    def __repr__(self) -> str:
        return "<ToolContext>"

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("a ToolContext belongs to one call and can't be pickled")


class ToolFacts(Struct, frozen=True, kw_only=True, array_like=True):
    """What the runtime knows about a tool call beside the call itself."""

    user_id: str
    session_id: str
    app_name: str
    invocation_id: str
