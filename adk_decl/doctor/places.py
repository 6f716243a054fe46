"""Where things are kept: the session store, the state folder, the cache."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

from adk_decl.doctor.check import Check, Status
from adk_decl.doctor.subject import Subject, is_open
from adk_decl.errors import SessionStoreError
from adk_decl.plan.record import FrozenMap
from adk_decl.plan.settings_table import cache_folder, state_folder
from adk_decl.runtime.build import store_path
from adk_decl.sessions.sqlite_check import examine_database


def check_places(subject: Subject) -> Iterator[Check]:
    """The store of the runner, and the folders of this user."""
    yield _store(subject)
    state = state_folder(subject.environment)
    yield _folder("state_dir", state, "for sessions and logs", missing="fail")
    cache = cache_folder(subject.environment)
    if cache is None:
        yield Check(group="paths", name="cache", status="skipped", summary="off: validate remembers nothing")
    else:
        yield _folder("cache", cache, "for what validate remembers", missing="warn")


def _store(subject: Subject) -> Check:
    assert subject.reached.runner is not None
    plan = subject.reached.runner.session_store
    if is_open(plan):
        return Check(group="sessions", name=plan.use, status="skipped", summary="needs a value that is missing")
    if plan.use != "sqlite":
        return Check(group="sessions", name=plan.use, status="ok", summary="sessions end with the process")
    path = store_path(subject.plan, plan, state_folder(subject.environment))
    try:
        found = examine_database(path)
    except SessionStoreError as error:
        status: Status = "warn" if error.code == "session_store_locked" else "fail"
        facts = FrozenMap({"path": path, "reason": error.code})
        return Check(group="sessions", name="sqlite", status=status, summary=str(error), facts=facts)
    if found is None:
        return _new_store(path)
    newer = f", and is brought to version {found.current}" if found.version < found.current else ""
    return Check(
        group="sessions",
        name="sqlite",
        status="ok",
        summary=f"{path} can be written; its schema has version {found.version}{newer}",
        facts=FrozenMap({"path": path, "version": found.version, "current": found.current, "exists": True}),
    )


def _new_store(path: str) -> Check:
    writable = _can_create(os.path.dirname(path))
    return Check(
        group="sessions",
        name="sqlite",
        status="ok" if writable else "fail",
        summary=f"{path} {'will be created' if writable else 'is not there and can not be created'}",
        facts=FrozenMap({"path": path, "exists": False}),
        mend=None if writable else "make its folder writable, or give session_store.path another place",
    )


def _folder(name: str, path: str, what: str, *, missing: Status) -> Check:
    facts: Mapping[str, object] = {"path": path, "exists": os.path.isdir(path)}
    if _can_create(path):
        summary = f"{path}, {what}, can be written"
        return Check(group="paths", name=name, status="ok", summary=summary, facts=FrozenMap(facts))
    return Check(
        group="paths",
        name=name,
        status=missing,
        summary=f"{path}, {what}, can't be written",
        facts=FrozenMap(facts),
        mend=f"make it writable, or set ADK_DECL_{name.upper()}",
    )


def _can_create(folder: str) -> bool:
    """Whether files can be made in a folder that is there, or that can be made."""
    current = os.path.abspath(folder)
    while not os.path.lexists(current):
        above = os.path.dirname(current)
        if above == current:
            return False
        current = above
    return os.path.isdir(current) and os.access(current, os.W_OK | os.X_OK)
