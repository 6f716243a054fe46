"""What is said about a system that can't enforce everything."""

from __future__ import annotations

from adk_decl.wire import replace
from adk_decl.workers.system import Enforced, SystemFacts, system_facts, unenforced

FULL = SystemFacts(fork=True, rlimits=True, pidfd=True, memfd=True, parent_death_signal=True)


def test_a_full_system_has_nothing_to_say() -> None:
    assert unenforced(FULL, Enforced(memory=True, kill=True)) == ()
    assert system_facts().fork


def test_memory_that_is_not_enforced_is_said() -> None:
    assert "max_heap_mib" in unenforced(FULL, Enforced(memory=False, kill=True))[0]
    assert "max_heap_mib" in unenforced(replace(FULL, rlimits=False))[0]


def test_without_fork_nothing_else_matters() -> None:
    (sentence,) = unenforced(replace(FULL, fork=False, rlimits=False))
    assert "fork" in sentence
