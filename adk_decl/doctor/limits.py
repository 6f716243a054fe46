"""Which limits and parts of the sandbox hold on this machine, proved in a worker."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator

from adk_decl.doctor.check import Check, Status
from adk_decl.doctor.probe import SPIN, WorkerView
from adk_decl.doctor.subject import Subject
from adk_decl.errors import StartError
from adk_decl.plan.limits import LIMITS
from adk_decl.plan.record import FrozenMap
from adk_decl.runtime.build import unenforced_here
from adk_decl.wire import decoder
from adk_decl.workers.errors import CallFailed, StepTimeout
from adk_decl.workers.pool import WorkerPool
from adk_decl.workers.spec import DomainSpec, HandlerSpec

_DOMAIN, _HANDLER = "doctor", "probe"
_SPIN_MS = 100
_ANSWER_MS = LIMITS["doctor.check_timeout_ms"].default


def check_limits(subject: Subject) -> Iterator[Check]:
    """Memory, deadlines and the sandbox of workers."""
    try:
        yield from asyncio.run(_probe(subject))
    except (StartError, CallFailed):
        yield Check(
            group="limits",
            name="workers",
            status="fail",
            summary="worker processes can't be started here, so no plugin or tool can be stopped",
            mend="run on a system that can fork",
        )


async def _probe(subject: Subject) -> list[Check]:
    handler = HandlerSpec(name=_HANDLER, module="adk_decl.doctor.probe", setup=b"")
    pool = WorkerPool((DomainSpec(name=_DOMAIN, import_paths=(), handlers=(handler,)),), workers=1)
    try:
        await pool.start()
        view = _decode(await pool.call(_DOMAIN, _HANDLER, b"", timeouts_ms=(_ANSWER_MS,), max_reply_bytes=65_536))
        return [_memory(subject, pool), await _deadline(pool), *_sandbox(view)]
    finally:
        await pool.close()


def _memory(subject: Subject, pool: WorkerPool) -> Check:
    facts = FrozenMap({"enforced": pool.enforced.memory})
    if pool.enforced.memory:
        return _check("limits", "max_heap_mib", "ok", "holds: proved in a process of its own").replace(facts=facts)
    try:
        unenforced_here(subject.reached, pool)
    except StartError as refused:
        return _check("limits", "max_heap_mib", "fail", refused.problems[0]).replace(facts=facts)
    return _check("limits", "max_heap_mib", "warn", "does not hold here: a hook may take all memory").replace(
        facts=facts
    )


async def _deadline(pool: WorkerPool) -> Check:
    started = time.monotonic()
    try:
        await pool.call(_DOMAIN, _HANDLER, SPIN, timeouts_ms=(_SPIN_MS,), max_reply_bytes=1024)
    except StepTimeout:
        late_ms = round((time.monotonic() - started) * 1000) - _SPIN_MS
        check = _check("limits", "timeout_ms", "ok", f"holds: endless code was killed, {late_ms} ms late")
        return check.replace(facts=FrozenMap({"enforced": True, "late_ms": late_ms}))
    except CallFailed:
        pass
    return _check("limits", "timeout_ms", "fail", "does not hold here: endless code was not killed")


def _sandbox(view: WorkerView) -> Iterator[Check]:
    yield _part("no new privileges", holds=view.no_new_privileges)
    foreign = None if view.foreign_descriptors is None else view.foreign_descriptors == 0
    yield _part("closed descriptors", holds=foreign)
    yield _part("empty environment", holds=view.variables == 0)
    yield _part("no core dumps", holds=not view.core_dumps)


def _part(name: str, *, holds: bool | None) -> Check:
    facts = FrozenMap({"holds": holds})
    if holds is None:
        return _check("sandbox", name, "warn", "this system does not tell").replace(facts=facts)
    summary = "holds" if holds else "does not hold here"
    return _check("sandbox", name, "ok" if holds else "fail", summary).replace(facts=facts)


def _check(group: str, name: str, status: Status, summary: str) -> Check:
    return Check(group=group, name=name, status=status, summary=summary)


_decode: Callable[[bytes], WorkerView] = decoder(WorkerView)
