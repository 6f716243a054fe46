"""Attempts, and the time between them."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from email.utils import parsedate_to_datetime
from typing import NamedTuple, TypeVar

T = TypeVar("T")

RETRYABLE_STATUSES = frozenset({429, *range(500, 600)})
"""HTTP statuses after which another attempt may help."""

_MAX_SECONDS_DIGITS = 9


class RetryPolicy(NamedTuple):
    """How often to try, and the shortest and longest delay in between."""

    max_attempts: int
    base_delay_ms: int
    max_delay_ms: int


class Verdict(NamedTuple):
    """What an attempt's exception means: whether to try again, and what the server asked to wait."""

    retry: bool
    retry_after_ms: int | None = None


class Clock(NamedTuple):
    """Time and chance, replaceable in tests. `now` is monotonic seconds, `chance` is uniform in [0, 1)."""

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    chance: Callable[[], float] = random.random


async def with_retries(
    attempt: Callable[[], Awaitable[T]],
    judge: Callable[[Exception], Verdict],
    policy: RetryPolicy,
    *,
    deadline: float,
    clock: Clock = Clock(),  # noqa: B008  an immutable value
) -> T:
    """The first success of `attempt`, or its last exception.

    Waits between attempts as `delay_ms` says, or as long as the server asked when that is longer. A wait that
    would reach the deadline (monotonic seconds) is not begun: the exception is raised at once.
    """
    number = 1
    while True:
        try:
            return await attempt()
        except Exception as error:
            verdict = judge(error)
            if not verdict.retry or number >= policy.max_attempts:
                raise
            wait_ms = max(delay_ms(policy, number, clock.chance()), verdict.retry_after_ms or 0)
            if clock.now() + wait_ms / 1000 >= deadline:
                raise
        await clock.sleep(wait_ms / 1000)
        number += 1


def delay_ms(policy: RetryPolicy, failed_attempts: int, chance: float) -> int:
    """A delay between `base_delay_ms` and its double per failed attempt, never above `max_delay_ms`.

    Jitter covers the whole range, so that callers that failed together do not come back together.
    """
    longest = min(policy.max_delay_ms, policy.base_delay_ms << min(failed_attempts, 30))
    shortest = min(policy.base_delay_ms, longest)
    return shortest + int(chance * (longest - shortest))


def retry_after_ms(value: str | None, *, now: float) -> int | None:
    """What a `Retry-After` header asks for: seconds or an HTTP date against `now` (Unix seconds); None if unusable."""
    if value is None:
        return None
    text = value.strip()
    if text.isascii() and text.isdigit():
        return int(text) * 1000 if len(text) <= _MAX_SECONDS_DIGITS else None
    try:
        moment = parsedate_to_datetime(text).timestamp()
    except (ValueError, OverflowError, OSError, IndexError, TypeError):
        return None
    return max(0, int((moment - now) * 1000))
