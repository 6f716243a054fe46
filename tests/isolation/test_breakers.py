"""Breakers: when they open, for how long, and what a chain does around a plugin that is switched off."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adk_decl.errors import PluginFailed
from adk_decl.isolation.breakers import BreakerExecutor, BreakerState
from adk_decl.isolation.executor import HookExecutor
from adk_decl.plan.model import Breaker, PluginDescriptor
from adk_decl.plan.phases import PHASES
from adk_decl.plugins.trace import PhaseResult, TraceEntry
from adk_decl.values import Text, UserMessage
from tests.isolation.setting import META, outcomes, plugin

HI = UserMessage((Text("hi"),))
RULE = Breaker(failures=2, window_ms=1000, cooldown_ms=5000)


class Time:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


class Scripted:
    """An executor in which each plugin does what `does` says: an outcome, or something to await."""

    def __init__(self, **does: Any) -> None:
        self.does = does
        self.called: list[str] = []
        self.chains: list[tuple[PluginDescriptor, ...]] = []

    async def run_chain(
        self, phase: Any, chain: tuple[PluginDescriptor, ...], meta: Any, value: Any, *, deadline: float | None = None
    ) -> PhaseResult:
        self.chains.append(chain)
        trace: list[TraceEntry] = []
        for index, each in enumerate(chain):
            self.called.append(each.id)
            outcome = self.does[each.id]
            if callable(outcome):
                outcome = await outcome()
            trace.append(TraceEntry(each.id, phase.name, each.mode, outcome, index, each.failure_policy))
            if outcome == "exception" and each.failure_policy == "closed":
                error = PluginFailed(each.id, phase.name, outcome)
                return PhaseResult(disposition="failed", value=value, trace=tuple(trace), error=error)
            if outcome == "returned":
                return PhaseResult(disposition="returned", value=value, trace=tuple(trace))
        return PhaseResult(disposition="continue", value=value, trace=tuple(trace))


class World:
    """A chain under breakers with a clock of its own."""

    def __init__(self, *chain: PluginDescriptor, **does: Any) -> None:
        self.chain = chain
        self.time = Time()
        self.inner = Scripted(**does)
        self.executor = BreakerExecutor(cast(HookExecutor, self.inner), chain, monotonic=self.time)

    async def run(self, phase: str = "before_run", **given: Any) -> PhaseResult:
        """Once through the chain."""
        return await self.executor.run_chain(PHASES[phase], self.chain, META, HI, **given)


def _guarded(name: str = "p", policy: str = "open", **changes: Any) -> PluginDescriptor:
    return plugin(name, failure_policy=policy, breaker=RULE, **changes)


async def test_it_opens_after_failures_within_the_window_and_says_so() -> None:
    world = World(_guarded(), p="exception")
    first, second, third = [await world.run() for _ in range(3)]
    assert first.warnings == third.warnings == ()
    assert second.warnings == (
        "plugin 'p' is switched off: its breaker opened after 2 failures within 1000 ms; "
        "it is tried again after 5000 ms",
    )
    assert outcomes(third) == ["breaker_open"]
    assert world.inner.called == ["p", "p"]


async def test_failures_that_lie_apart_do_not_count_together() -> None:
    world = World(_guarded(), p="exception")
    for _ in range(5):
        assert outcomes(await world.run()) == ["exception"]
        world.time.now += 1.5


@pytest.mark.parametrize(("probe", "after"), [("observed", "observed"), ("exception", "breaker_open")])
async def test_one_call_is_tried_after_the_cooldown(probe: str, after: str) -> None:
    world = World(_guarded(), p="exception")
    for _ in range(2):
        await world.run()
    world.time.now += 4.9
    assert outcomes(await world.run()) == ["breaker_open"]
    world.time.now += 0.2
    world.inner.does["p"] = probe
    tried = await world.run()
    assert outcomes(tried) == [probe]
    assert bool(tried.warnings) == (probe == "exception")
    world.inner.does["p"] = "observed"
    assert outcomes(await world.run()) == [after]


async def test_while_one_call_is_tried_no_other_is_made() -> None:
    world, release = await _open_with_waiting_probe()
    probe = asyncio.create_task(world.run())
    await asyncio.sleep(0)
    assert outcomes(await world.run()) == ["breaker_open"]
    release.set()
    assert outcomes(await probe) == ["observed"]
    assert outcomes(await world.run()) == ["observed"]


async def test_a_cancelled_try_leaves_the_next_one() -> None:
    world, release = await _open_with_waiting_probe()
    probe = asyncio.create_task(world.run())
    await asyncio.sleep(0)
    probe.cancel()
    with pytest.raises(asyncio.CancelledError):
        await probe
    release.set()
    assert outcomes(await world.run()) == ["observed"]


async def test_a_plugin_that_got_no_turn_was_not_tried() -> None:
    world = World(plugin("first"), _guarded(), first="observed", p="exception")
    for _ in range(2):
        await world.run()
    world.time.now += 6
    world.inner.does["first"] = "returned"
    assert outcomes(await world.run()) == ["returned"]
    world.inner.does |= {"first": "observed", "p": "observed"}
    assert outcomes(await world.run()) == ["observed", "observed"]


async def test_a_closed_plugin_fails_at_once_and_what_is_before_it_runs() -> None:
    chain = (plugin("first"), _guarded("p", "closed"), plugin("last"))
    world = World(*chain, first="observed", p="exception", last="observed")
    for _ in range(2):
        await world.run()
    result = await world.run()
    assert (result.disposition, outcomes(result)) == ("failed", ["observed", "breaker_open"])
    assert isinstance(result.error, PluginFailed)
    assert (result.error.plugin_id, result.error.failure) == ("p", "breaker_open")
    assert [entry.index for entry in result.trace] == [0, 1]
    assert "last" not in world.inner.called


async def test_a_skipped_plugin_keeps_its_place_in_the_trace() -> None:
    world = World(_guarded(), plugin("q"), p="exception", q="observed")
    results = [await world.run() for _ in range(4)]
    entries = [(entry.plugin_id, entry.outcome, entry.index) for entry in results[-1].trace]
    assert entries == [("p", "breaker_open", 0), ("q", "observed", 1)]
    assert world.inner.chains[-1] is world.inner.chains[-2]


async def test_in_a_notification_a_closed_plugin_is_skipped() -> None:
    world = World(_guarded("p", "closed"), plugin("q"), p="exception", q="observed")
    for _ in range(2):
        await world.run()
    result = await world.run("after_run")
    assert (result.disposition, outcomes(result)) == ("continue", ["breaker_open", "observed"])


async def test_a_run_without_time_left_says_nothing_about_its_plugins() -> None:
    world = World(_guarded(), p="timeout")
    for _ in range(5):
        assert outcomes(await world.run(deadline=world.time.now)) == ["timeout"]
    for _ in range(2):
        await world.run(deadline=world.time.now + 1)
    assert outcomes(await world.run()) == ["breaker_open"]


async def test_a_chain_without_breakers_passes_untouched() -> None:
    world = World(plugin("q"), q="observed")
    await world.run()
    assert world.inner.chains == [world.chain]


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 3000)), max_size=60))
def test_a_breaker_never_stays_open_and_never_forgets_an_open_window(calls: list[tuple[bool, int]]) -> None:
    state, now, failures = BreakerState(RULE), 0.0, list[float]()
    opened: float | None = None
    for failed, pause_ms in calls:
        now += pause_ms / 1000
        ticket = state.ticket(now)
        if opened is None:
            assert ticket == "call"
        else:
            assert ticket == ("probe" if (now - opened) * 1000 >= RULE.cooldown_ms else "refused")
        if ticket == "refused":
            continue
        says = state.note(ticket, now, failed=failed)
        if ticket == "probe":
            opened, failures = (now if failed else None), []
            assert says is failed
            continue
        failures = [*failures, now][-RULE.failures :] if failed else failures
        full = failed and len(failures) == RULE.failures and (now - failures[0]) * 1000 <= RULE.window_ms
        assert says is full
        opened = now if full else None


async def _open_with_waiting_probe() -> tuple[World, asyncio.Event]:
    """A breaker that is open with its cooldown over; the plugin observes once the event is set."""
    release = asyncio.Event()

    async def wait() -> str:
        await release.wait()
        return "observed"

    world = World(_guarded(), p="exception")
    for _ in range(2):
        await world.run()
    world.time.now += 6
    waiting: Callable[[], Any] = wait
    world.inner.does["p"] = waiting
    return world, release
