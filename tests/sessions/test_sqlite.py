from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import stat
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from adk_decl.errors import SessionBusy, SessionStoreError
from adk_decl.sessions.protocol import SessionKey
from adk_decl.sessions.sqlite import SqliteSessionStore
from adk_decl.sessions.sqlite_request import Request
from tests.sessions.events import KEY, OTHER, event


class Clock:
    """Monotonic seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "state" / "support" / "sessions.db")


@pytest.fixture
async def store(path: str) -> AsyncIterator[SqliteSessionStore]:
    opened = SqliteSessionStore(path)
    await opened.open()
    yield opened
    await opened.close()


async def test_a_reopened_store_reads_back_what_was_stored(path: str) -> None:
    written = [event(n) for n in range(20)]
    first = SqliteSessionStore(path)
    await first.open()
    for one in written:
        await first.append(KEY, one)
    await first.append(OTHER, event(99))
    await first.close()
    second = SqliteSessionStore(path)
    await second.open()
    assert list(await second.events(KEY)) == written
    assert list(await second.events(OTHER)) == [event(99)]
    assert await second.events(SessionKey("support", "u2", "s1")) == ()
    await second.close()


async def test_folders_and_files_are_for_their_owner_alone(store: SqliteSessionStore, path: str) -> None:
    await store.append(KEY, event(1))
    folder = Path(path).parent
    for one in (folder, folder.parent):
        assert stat.S_IMODE(one.stat().st_mode) == 0o700
    names = sorted(entry.name for entry in folder.iterdir())
    assert names == ["sessions.db", "sessions.db-shm", "sessions.db-wal"]
    for name in names:
        assert stat.S_IMODE((folder / name).stat().st_mode) == 0o600


async def test_the_database_is_durable_and_keeps_its_references(store: SqliteSessionStore, path: str) -> None:
    assert store._thread is not None

    def pragmas(connection: sqlite3.Connection) -> list[object]:
        names = ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
        return [connection.execute(f"PRAGMA {name}").fetchone()[0] for name in names]

    assert await store._thread.call(Request(pragmas, mode="durable")) == ["wal", 2, 1, 5000]


async def test_one_store_serves_concurrent_sessions_in_order(store: SqliteSessionStore) -> None:
    keys = [SessionKey("a", "u", str(n)) for n in range(8)]

    async def write(key: SessionKey) -> None:
        for number in range(10):
            await store.append(key, event(number))

    await asyncio.gather(*map(write, keys))
    for key in keys:
        assert [one.id for one in await store.events(key)] == [f"e{n}" for n in range(10)]


async def test_open_and_close_may_be_repeated(store: SqliteSessionStore) -> None:
    await store.open()
    await asyncio.gather(store.close(), store.close())
    with pytest.raises(SessionStoreError) as failure:
        await store.append(KEY, event(1))
    assert failure.value.code == "session_store_closed"


async def test_a_store_that_was_never_opened_refuses(path: str) -> None:
    closed = SqliteSessionStore(path)
    with pytest.raises(SessionStoreError) as failure:
        await closed.events(KEY)
    assert failure.value.code == "session_store_closed"
    await closed.close()


async def test_close_writes_what_was_accepted(path: str) -> None:
    store = SqliteSessionStore(path)
    await store.open()
    writes = [asyncio.ensure_future(store.append(KEY, event(n))) for n in range(50)]
    await asyncio.sleep(0)
    await store.close()
    await asyncio.gather(*writes)
    again = SqliteSessionStore(path)
    await again.open()
    assert len(await again.events(KEY)) == 50
    await again.close()


async def test_the_queue_is_bounded(store: SqliteSessionStore) -> None:
    writes = [asyncio.ensure_future(store.append(KEY, event(n))) for n in range(3000)]
    results = await asyncio.gather(*writes, return_exceptions=True)
    refused = [r for r in results if r is not None]
    assert refused
    assert {getattr(r, "code", None) for r in refused} == {"session_store_queue_full"}
    assert len(await store.events(KEY)) == 3000 - len(refused)


class TestLeases:
    async def test_two_stores_of_one_file_exclude_each_other(self, path: str) -> None:
        first, second = SqliteSessionStore(path), SqliteSessionStore(path)
        await first.open()
        await second.open()
        lease = await first.acquire(KEY, ttl_ms=60_000)
        with pytest.raises(SessionBusy):
            await second.acquire(KEY, ttl_ms=60_000)
        with pytest.raises(SessionBusy):
            await first.acquire(KEY, ttl_ms=60_000)
        other = await second.acquire(OTHER, ttl_ms=60_000)
        await lease.release()
        await lease.release()
        await (await second.acquire(KEY, ttl_ms=60_000)).release()
        await other.release()
        await first.close()
        await second.close()

    async def test_closing_ends_leases(self, path: str) -> None:
        first, second = SqliteSessionStore(path), SqliteSessionStore(path)
        await first.open()
        await second.open()
        await first.acquire(KEY, ttl_ms=60_000)
        await first.close()
        await second.acquire(KEY, ttl_ms=60_000)
        await second.close()

    async def test_a_lease_that_nobody_renews_ends_and_its_owner_is_fenced(self, path: str) -> None:
        stopped, running = Clock(), Clock()
        first, second = SqliteSessionStore(path, clock=stopped), SqliteSessionStore(path, clock=running)
        await first.open()
        await second.open()
        old = await first.acquire(KEY, ttl_ms=30_000)
        await first.append(KEY, event(1))
        running.now += 29.9
        with pytest.raises(SessionBusy):
            await second.acquire(KEY, ttl_ms=30_000)
        running.now += 0.2
        new = await second.acquire(KEY, ttl_ms=30_000)
        await second.append(KEY, event(2))
        with pytest.raises(SessionStoreError) as failure:
            await first.append(KEY, event(3))
        assert failure.value.code == "session_lease_lost"
        await old.release()
        stopped.now = running.now
        with pytest.raises(SessionBusy):
            await first.acquire(KEY, ttl_ms=30_000)
        await second.append(KEY, event(4))
        assert [one.id for one in await second.events(KEY)] == ["e1", "e2", "e4"]
        await new.release()
        await first.close()
        await second.close()

    async def test_a_lost_lease_keeps_nobody_busy(self, path: str) -> None:
        passes = 0

        class Counting(Clock):
            def __call__(self) -> float:
                nonlocal passes
                passes += 1
                return super().__call__()

        clock = Counting()
        store = SqliteSessionStore(path, clock=clock)
        await store.open()
        lease = await store.acquire(KEY, ttl_ms=30_000)
        lease.held = False
        clock.now += 60
        await store.events(OTHER)
        before = passes
        await asyncio.sleep(0.1)
        assert passes - before < 5
        await lease.release()
        await store.close()

    async def test_a_living_store_renews_its_leases(self, path: str) -> None:
        clock = Clock()
        first, second = SqliteSessionStore(path, clock=clock), SqliteSessionStore(path, clock=clock)
        await first.open()
        await second.open()
        lease = await first.acquire(KEY, ttl_ms=30_000)
        for _ in range(5):
            clock.now += 20
            await first.events(OTHER)
            with pytest.raises(SessionBusy):
                await second.acquire(KEY, ttl_ms=30_000)
        await lease.release()
        await first.close()
        await second.close()

    async def test_renewal_needs_no_request(self, path: str) -> None:
        store = SqliteSessionStore(path)
        await store.open()
        lease = await store.acquire(KEY, ttl_ms=100)
        first = lease.renew_at_ms
        async with asyncio.timeout(5):
            while lease.renew_at_ms == first:  # noqa: ASYNC110 - the thread of the store tells nobody
                await asyncio.sleep(0.005)
        await store.close()

    async def test_a_lease_from_before_a_restart_of_the_machine_is_over(self, path: str) -> None:
        before, after = Clock(), Clock()
        before.now = 1e9
        first, second = SqliteSessionStore(path, clock=before), SqliteSessionStore(path, clock=after)
        await first.open()
        await second.open()
        await first.acquire(KEY, ttl_ms=60_000)
        await (await second.acquire(KEY, ttl_ms=60_000)).release()
        await first.close()
        await second.close()

    async def test_a_cancelled_acquire_leaves_no_lease(self, store: SqliteSessionStore) -> None:
        for turns in range(6):
            task = asyncio.ensure_future(store.acquire(KEY, ttl_ms=60_000))
            for _ in range(turns):
                await asyncio.sleep(0)
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await (await task).release()
            await (await store.acquire(KEY, ttl_ms=60_000)).release()

    async def test_appending_to_a_session_that_another_holds_is_refused(self, path: str) -> None:
        first, second = SqliteSessionStore(path), SqliteSessionStore(path)
        await first.open()
        await second.open()
        await first.acquire(KEY, ttl_ms=60_000)
        with pytest.raises(SessionStoreError) as failure:
            await second.append(KEY, event(1))
        assert failure.value.code == "session_lease_lost"
        await first.close()
        await second.append(KEY, event(1))
        await second.close()


class TestFaults:
    async def test_a_full_disk(self, store: SqliteSessionStore) -> None:
        await store.append(KEY, event(1))
        await self._pragma(store, "max_page_count = 1")
        with pytest.raises(SessionStoreError) as failure:
            await self._fill(store)
        assert failure.value.code == "session_store_full"
        await self._pragma(store, "max_page_count = 1000000")
        stored = await store.events(KEY)
        await store.append(KEY, event(7))
        assert [one.id for one in await store.events(KEY)] == [*[one.id for one in stored], "e7"]

    async def test_a_read_only_database(self, store: SqliteSessionStore) -> None:
        await self._pragma(store, "query_only = 1")
        with pytest.raises(SessionStoreError) as failure:
            await store.append(KEY, event(1))
        assert failure.value.code == "session_store_read_only"

    async def test_a_lock_that_does_not_end(self, store: SqliteSessionStore, path: str) -> None:
        await self._pragma(store, "busy_timeout = 20")
        holder = sqlite3.connect(path, isolation_level=None)
        holder.execute("BEGIN IMMEDIATE")
        with pytest.raises(SessionStoreError) as failure:
            await store.append(KEY, event(1))
        assert failure.value.code == "session_store_locked"
        assert path in str(failure.value)
        holder.execute("ROLLBACK")
        holder.close()
        await store.append(KEY, event(1))

    async def test_damage_is_reported_and_not_read_as_events(self, store: SqliteSessionStore, path: str) -> None:
        for number in range(3):
            await store.append(KEY, event(number))
        other = sqlite3.connect(path)
        other.execute("DELETE FROM events WHERE number = 2")
        other.commit()
        with pytest.raises(SessionStoreError) as failure:
            await store.events(KEY)
        assert failure.value.code == "session_store_corrupt"
        other.execute("""UPDATE events SET body = '{"canary-31": '""")
        other.commit()
        other.close()
        with pytest.raises(SessionStoreError) as failure:
            await store.events(KEY)
        assert "canary" not in str(failure.value)

    async def test_an_event_that_is_too_large_stores_nothing(self, store: SqliteSessionStore) -> None:
        with pytest.raises(SessionStoreError) as failure:
            await store.append(KEY, event(1, "x" * 17_000_000))
        assert failure.value.code == "session_event_too_large"
        assert await store.events(KEY) == ()

    async def test_a_defect_in_a_request_does_not_end_the_thread(self, store: SqliteSessionStore) -> None:
        assert store._thread is not None
        with pytest.raises(ZeroDivisionError):
            await store._thread.call(Request(lambda _connection: 1 / 0))
        await store.append(KEY, event(1))

    async def _fill(self, store: SqliteSessionStore) -> None:
        for number in range(2, 200):
            await store.append(KEY, event(number, "x" * 10_000))

    async def _pragma(self, store: SqliteSessionStore, pragma: str) -> None:
        assert store._thread is not None
        await store._thread.call(Request(lambda connection: connection.execute(f"PRAGMA {pragma}").fetchall()))


async def test_a_session_is_full_before_it_is_endless(store: SqliteSessionStore, path: str) -> None:
    await store.append(KEY, event(1))
    other = sqlite3.connect(path)
    other.execute("UPDATE sessions SET event_bytes = ?", (256 * 1024 * 1024,))
    other.commit()
    other.close()
    with pytest.raises(SessionStoreError) as failure:
        await store.append(KEY, event(2))
    assert failure.value.code == "session_full"


async def test_a_store_that_can_not_be_opened_for_an_unknown_reason_says_so(
    path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(path: str) -> sqlite3.Connection:
        raise RuntimeError("canary")

    monkeypatch.setattr("adk_decl.sessions.sqlite.open_database", fails)
    with pytest.raises(SessionStoreError) as failure:
        async with asyncio.timeout(5):
            await SqliteSessionStore(path).open()
    assert failure.value.code == "session_store_failed"
    assert "canary" not in str(failure.value)
