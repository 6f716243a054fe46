"""A handler that tells what a worker can see, and one that never ends: the proof that limits hold here."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from adk_decl.wire import Struct, encode

if TYPE_CHECKING:
    from adk_decl.workers.spec import StepControl

SPIN = b"spin"
"""The request after which the worker must be killed."""

_OWN_DESCRIPTORS = ("pipe:", "/memfd:", "/proc/", os.devnull)
_SET_BY_PYTHON = frozenset({"LC_CTYPE"})
"""The interpreter sets it for itself when it starts without a locale."""


class WorkerView(Struct, frozen=True, kw_only=True):
    """What a worker sees: whether it can gain privileges, its environment, descriptors, and core dumps.

    None where the system does not tell.
    """

    no_new_privileges: bool | None
    variables: int
    foreign_descriptors: int | None
    core_dumps: bool


class Probe:
    """Answers with a `WorkerView`, or never."""

    def __call__(self, body: bytes, steps: StepControl) -> bytes:
        """See `SPIN`."""
        steps.begin(0, heap_mib=64)
        while body == SPIN:  # what is proved is that this ends
            pass
        view = WorkerView(
            no_new_privileges=_no_new_privileges(),
            variables=len(os.environ.keys() - _SET_BY_PYTHON),
            foreign_descriptors=_foreign_descriptors(),
            core_dumps=_core_dumps(),
        )
        steps.mark(0, 0)
        return encode(view)

    def close(self) -> None:
        """Nothing is held."""


def prepare(setup: bytes) -> Probe:
    """What the pool calls after the fork."""
    return Probe()


def _no_new_privileges() -> bool | None:
    try:
        with open("/proc/self/status", encoding="ascii", errors="replace") as status:
            lines = dict(line.partition(":")[::2] for line in status)
    except OSError:
        return None
    told = lines.get("NoNewPrivs", "").strip()
    return told == "1" if told else None


def _core_dumps() -> bool:
    import resource  # not there on every system on which this module is imported

    return resource.getrlimit(resource.RLIMIT_CORE)[0] != 0


def _foreign_descriptors() -> int | None:
    """Open descriptors that are not the worker's own: its pipes, its page, /dev/null and what it reads of /proc."""
    try:
        names = os.listdir("/proc/self/fd")
    except OSError:
        return None
    found = 0
    for name in names:
        try:
            target = os.readlink(f"/proc/self/fd/{name}")
        except OSError:  # the descriptor of the listing itself
            continue
        found += not target.startswith(_OWN_DESCRIPTORS)
    return found
