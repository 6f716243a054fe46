"""Attempts and the delays between them, on a clock of the test's own."""

from __future__ import annotations

from collections.abc import Sequence
from email.utils import formatdate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adk_decl.transport.retry import Clock, RetryPolicy, Verdict, delay_ms, retry_after_ms, with_retries

POLICY = RetryPolicy(max_attempts=4, base_delay_ms=100, max_delay_ms=1000)


class Failed(Exception):
    def __init__(self, *, retry: bool = True, after_ms: int | None = None) -> None:
        self.verdict = Verdict(retry, after_ms)


class Attempts:
    """Fails as told, then succeeds; time passes only in `sleep`."""

    def __init__(self, failures: Sequence[Failed], *, chance: float = 0.5) -> None:
        self.failures = list(failures)
        self.time = 1000.0
        self.waits: list[float] = []
        self.made = 0
        self.clock = Clock(now=lambda: self.time, sleep=self.sleep, chance=lambda: chance)

    async def sleep(self, seconds: float) -> None:
        self.waits.append(round(seconds, 3))
        self.time += seconds

    async def attempt(self) -> str:
        self.made += 1
        if self.failures:
            raise self.failures.pop(0)
        return "done"

    async def run(self, *, within_s: float = 100.0) -> str:
        return await with_retries(self.attempt, _judge, POLICY, deadline=1000.0 + within_s, clock=self.clock)


def _judge(error: Exception) -> Verdict:
    return error.verdict if isinstance(error, Failed) else Verdict(retry=False)


async def test_success_after_failures_with_growing_delays() -> None:
    attempts = Attempts([Failed(), Failed(), Failed()])
    assert await attempts.run() == "done"
    assert attempts.waits == [0.15, 0.25, 0.45]


async def test_attempts_are_bounded() -> None:
    attempts = Attempts([Failed()] * 9)
    with pytest.raises(Failed):
        await attempts.run()
    assert attempts.made == 4


async def test_what_is_not_retryable_is_raised_at_once() -> None:
    attempts = Attempts([Failed(retry=False)])
    with pytest.raises(Failed):
        await attempts.run()
    assert (attempts.made, attempts.waits) == (1, [])


async def test_the_server_is_waited_for_when_it_asks_for_longer() -> None:
    attempts = Attempts([Failed(after_ms=7000), Failed(after_ms=1)])
    assert await attempts.run() == "done"
    assert attempts.waits == [7.0, 0.25]


async def test_a_wait_beyond_the_deadline_is_not_begun() -> None:
    attempts = Attempts([Failed(after_ms=7000)])
    with pytest.raises(Failed):
        await attempts.run(within_s=7)
    assert attempts.waits == []


@given(st.integers(0, 60_000), st.integers(0, 600_000), st.integers(1, 10), st.floats(0, 1, exclude_max=True))
def test_delays_stay_between_base_and_longest(base: int, longest: int, failed: int, chance: float) -> None:
    policy = RetryPolicy(max_attempts=10, base_delay_ms=base, max_delay_ms=longest)
    assert min(base, longest) <= delay_ms(policy, failed, chance) <= longest


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, None),
        ("0", 0),
        ("3", 3000),
        (" 12 ", 12_000),
        ("-1", None),
        ("1.5", None),
        ("9" * 40, None),
        ("soon", None),
        ("", None),
        ("٣", None),
        (formatdate(1_000_010, usegmt=True), 10_000),
        (formatdate(999_000, usegmt=True), 0),
        ("Wed, 99 Nov 9999 99:99:99 GMT", None),
    ],
)
def test_retry_after(value: str | None, expected: int | None) -> None:
    assert retry_after_ms(value, now=1_000_000.0) == expected


@given(st.text(max_size=60))
def test_any_retry_after_is_a_number_or_nothing(value: str) -> None:
    wait = retry_after_ms(value, now=0.0)
    assert wait is None or wait >= 0
