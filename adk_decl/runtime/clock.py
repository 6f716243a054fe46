"""The two clocks of a run, injected so that tests can own time."""

from __future__ import annotations

import time
from typing import Protocol


class Clock(Protocol):
    """Unix time for what is stored, monotonic time for deadlines."""

    def unix_ms(self) -> int:
        """Milliseconds since 1970, for timestamps."""
        ...

    def monotonic(self) -> float:
        """Seconds that never go back, the time base of every deadline."""
        ...


class SystemClock:
    """The clocks of this machine."""

    __slots__ = ()

    def unix_ms(self) -> int:
        """Milliseconds since 1970."""
        return time.time_ns() // 1_000_000

    def monotonic(self) -> float:
        """The clock that asyncio and the workers use too."""
        return time.monotonic()
