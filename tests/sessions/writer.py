"""A process that writes events of a session and says what was acknowledged. Started by the tests.

    writer.py PATH SESSION COUNT TTL_MS [hold]

Prints `held` when it has the session, then the number of each acknowledged event. With `hold` it then waits until
its standard input ends, without giving the session back, and writes one more.
"""

from __future__ import annotations

import asyncio
import sys

from adk_decl.errors import SessionBusy
from adk_decl.sessions.protocol import SessionKey
from adk_decl.sessions.sqlite import SqliteSessionStore
from tests.sessions.events import event


async def main() -> None:
    path, session, count, ttl_ms = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    key = SessionKey("support", "u1", session)
    store = SqliteSessionStore(path)
    await store.open()
    while True:
        try:
            lease = await store.acquire(key, ttl_ms=ttl_ms)
            break
        except SessionBusy:
            await asyncio.sleep(0.001)
    print("held", flush=True)
    first = len(await store.events(key))
    for number in range(first, first + count):
        await store.append(key, event(number))
        print(number, flush=True)
    if "hold" in sys.argv:
        await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
        await store.append(key, event(first + count))
    await lease.release()
    await store.close()


if __name__ == "__main__":
    asyncio.run(main())
