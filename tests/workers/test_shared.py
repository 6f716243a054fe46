"""One pool for all runners of a plan on one event loop."""

from __future__ import annotations

import asyncio

import pytest

from adk_decl.errors import StartError
from adk_decl.workers.errors import PoolClosed
from adk_decl.workers.shared import shared_pool
from tests.workers.processes import call, domain


async def test_the_last_one_closes_it() -> None:
    async with shared_pool("k", [domain()], workers=1) as first:
        async with shared_pool("k", [domain()], workers=1) as second:
            assert first is second
        assert await call(first, ["echo", 1, 64]) == [1]
    with pytest.raises(PoolClosed):
        await call(first, ["echo", 1, 64])
    async with shared_pool("k", [domain()], workers=1) as third:
        assert third is not first


async def test_keys_have_their_own_pools() -> None:
    async with shared_pool("a", [], workers=1) as a, shared_pool("b", [], workers=1) as b:
        assert a is not b


async def test_sizes_and_debug_outputs_have_their_own_pools() -> None:
    async with (
        shared_pool("k", [], workers=1) as plain,
        shared_pool("k", [], workers=2) as larger,
        shared_pool("k", [], workers=1, debug_fd=2) as shown,
        shared_pool("k", [], workers=1, debug_fd=1) as shown_elsewhere,
    ):
        assert len({id(pool) for pool in (plain, larger, shown, shown_elsewhere)}) == 4


async def test_a_failed_start_reaches_everybody_and_is_forgotten() -> None:
    async def use(setup: str) -> None:
        async with shared_pool("k", [domain(setup=setup)], workers=1):
            pass

    found = await asyncio.gather(use("raise"), use("raise"), return_exceptions=True)
    assert all(isinstance(error, StartError) for error in found)
    await use("")


async def test_who_gives_up_while_it_starts_does_not_take_it_from_others() -> None:
    async def use() -> object:
        async with shared_pool("k", [domain()], workers=1) as pool:
            return await call(pool, ["echo", 1, 64])

    impatient, patient = asyncio.create_task(use()), asyncio.create_task(use())
    await asyncio.sleep(0)
    impatient.cancel()
    assert await patient == [1]
    with pytest.raises(asyncio.CancelledError):
        await impatient
