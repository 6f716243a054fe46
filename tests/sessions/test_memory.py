from __future__ import annotations

import pytest

from adk_decl.errors import SessionBusy, SessionStoreError
from adk_decl.plan.limits import LIMITS
from adk_decl.sessions.memory import MemorySessionStore
from tests.sessions.events import KEY, OTHER, event


async def test_what_is_stored_can_not_be_changed_by_the_caller() -> None:
    store = MemorySessionStore()
    await store.open()
    actions = {"k": 1}
    await store.append(KEY, event(1).replace(actions=actions))
    actions["k"] = 2
    (found,) = await store.events(KEY)
    found.actions["k"] = 3
    assert (await store.events(KEY))[0].actions == {"k": 1}


async def test_a_closed_store_refuses_and_forgets() -> None:
    store = MemorySessionStore()
    await store.open()
    await store.append(KEY, event(1))
    await store.close()
    await store.close()
    with pytest.raises(SessionStoreError) as failure:
        await store.events(KEY)
    assert failure.value.code == "session_store_closed"
    await store.open()
    assert await store.events(KEY) == ()


async def test_a_second_lease_is_refused_while_the_first_is_held() -> None:
    store = MemorySessionStore()
    await store.open()
    first = await store.acquire(KEY, ttl_ms=1)
    with pytest.raises(SessionBusy):
        await store.acquire(KEY, ttl_ms=1)
    await first.release()
    second = await store.acquire(KEY, ttl_ms=1)
    await first.release()
    with pytest.raises(SessionBusy):
        await store.acquire(KEY, ttl_ms=1)
    await second.release()


async def test_the_bytes_of_all_sessions_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    small = LIMITS["session.bytes_in_memory"].replace(maximum=1000)
    monkeypatch.setattr("adk_decl.sessions.memory.LIMITS", {**LIMITS, "session.bytes_in_memory": small})
    store = MemorySessionStore()
    await store.open()
    await store.append(KEY, event(1))
    with pytest.raises(SessionStoreError) as failure:
        await store.append(OTHER, event(2, "x" * 700))
    assert failure.value.code == "session_store_full"
    assert await store.events(OTHER) == ()


async def test_the_number_of_sessions_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    small = LIMITS["session.sessions_in_memory"].replace(maximum=2)
    monkeypatch.setattr("adk_decl.sessions.memory.LIMITS", {"session.sessions_in_memory": small})
    store = MemorySessionStore()
    await store.open()
    for number in range(2):
        await store.acquire(type(KEY)("a", "u", str(number)), ttl_ms=1000)
    with pytest.raises(SessionStoreError) as failure:
        await store.acquire(KEY, ttl_ms=1000)
    assert failure.value.code == "session_store_full"
