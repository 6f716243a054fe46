"""What this system lets a host enforce on its workers."""

from __future__ import annotations

import os
import signal
import socket
import sys

from adk_decl.wire import Struct


class SystemFacts(Struct, frozen=True, kw_only=True):
    """What the operating system offers, before anything is tried."""

    fork: bool
    rlimits: bool
    pidfd: bool
    memfd: bool
    parent_death_signal: bool


class Enforced(Struct, frozen=True, kw_only=True):
    """What a started pool really enforces; `memory` was proved in a forked process."""

    memory: bool
    kill: bool


def system_facts() -> SystemFacts:
    """What this system offers."""
    posix = os.name == "posix" and sys.platform not in ("emscripten", "wasi")
    return SystemFacts(
        fork=posix and hasattr(os, "fork") and hasattr(socket, "send_fds"),
        rlimits=posix,
        pidfd=hasattr(os, "pidfd_open") and hasattr(signal, "pidfd_send_signal"),
        memfd=hasattr(os, "memfd_create"),
        parent_death_signal=sys.platform == "linux",
    )


def unenforced(facts: SystemFacts, enforced: Enforced | None = None) -> tuple[str, ...]:
    """Complete sentences about what is not enforced here; empty where everything is."""
    if not facts.fork:
        return ("this system can't fork, so worker processes are not available: no deadline can stop running code",)
    found: list[str] = []
    if not facts.rlimits or (enforced is not None and not enforced.memory):
        found.append("this system does not enforce max_heap_mib: a process may take all memory")
    if not facts.parent_death_signal:
        found.append(
            "this system does not end workers with their parent by itself: a killed zygote is cleaned up by its host"
        )
    return tuple(found)
