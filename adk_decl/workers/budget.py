"""The memory of a step: RLIMIT_DATA above what is in use when it starts, so that it meets MemoryError and lives.

The limit stays in force after the step until something large is to be done, and the amount in use is read once a
call: when it has not changed, neither has the limit, and no further system call is needed.
"""

from __future__ import annotations

import os
import resource
import sys
from typing import Final

from adk_decl.plan.limits import LIMITS, MIB

_STATM_SIZE, _STATM_DATA = 0, 5
_MAX_BUDGET_BYTES: Final = LIMITS["plugin.max_heap_mib"].maximum * MIB
_BACKSTOP_BYTES: Final = LIMITS["workers.address_space_mib"].default * MIB
_FILE_BYTES: Final = LIMITS["workers.file_bytes"].default
_DRIFT_BYTES: Final = LIMITS["workers.drift_mib"].default * MIB


class Budget:
    """Arms and lifts the memory limit of this process.

    `armed_mib` is the budget in force, 0 for none. `grown` says that earlier calls left more memory in use than a
    worker should keep. Off Linux the amount in use is unknown, so nothing is armed.
    """

    __slots__ = (
        "_address_hard",
        "_address_mib",
        "_baseline",
        "_found",
        "_hard",
        "_page_bytes",
        "_soft",
        "_statm",
        "armed_mib",
        "grown",
    )

    def __init__(self) -> None:
        self._statm = os.open("/proc/self/statm", os.O_RDONLY | os.O_CLOEXEC) if sys.platform == "linux" else -1
        self._page_bytes = os.sysconf("SC_PAGESIZE")
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        _lower(resource.RLIMIT_FSIZE, _FILE_BYTES)
        self._hard = self._cap(resource.RLIMIT_DATA, _STATM_DATA, 2 * _MAX_BUDGET_BYTES)
        self._address_hard = self._cap(resource.RLIMIT_AS, _STATM_SIZE, 2 * _MAX_BUDGET_BYTES + _BACKSTOP_BYTES)
        self._baseline = -1
        self._address_mib = 0
        self._found = b""
        self._soft = self._hard
        self.armed_mib = 0
        self.grown = False

    def arm(self, budget_mib: int) -> None:
        """From now on at most `budget_mib` more than what is in use. 0 lifts the limit."""
        if budget_mib == 0 or self._statm < 0:
            self.lift()
            return
        found = os.pread(self._statm, 128, 0)
        if found == self._found and budget_mib == self.armed_mib:
            return
        self._found = found
        fields = found.split()
        data = int(fields[_STATM_DATA]) * self._page_bytes
        budget = budget_mib * MIB
        if self._address_mib != budget_mib:
            size = int(fields[_STATM_SIZE]) * self._page_bytes
            soft = min(size + budget + _BACKSTOP_BYTES, self._address_hard)
            resource.setrlimit(resource.RLIMIT_AS, (soft, self._address_hard))
            self._address_mib = budget_mib
        soft = min(data + budget, self._hard)
        if soft != self._soft:
            resource.setrlimit(resource.RLIMIT_DATA, (soft, self._hard))
            self._soft = soft
        self.armed_mib = budget_mib
        if self._baseline >= 0 and data > self._baseline + min(_DRIFT_BYTES, budget // 4):
            self.grown = True

    def lift(self) -> None:
        """No limit but the hard one."""
        if self.armed_mib:
            resource.setrlimit(resource.RLIMIT_DATA, (self._hard, self._hard))
            self._soft = self._hard
            self.armed_mib = 0

    def settle(self) -> None:
        """What is in use now belongs to the worker; growth from here on is a leak."""
        if self._statm >= 0:
            self._baseline = int(os.pread(self._statm, 128, 0).split()[_STATM_DATA]) * self._page_bytes

    def _cap(self, limit: int, statm_field: int, above_bytes: int) -> int:
        """A hard limit can't be raised again, so no step lifts its own for good."""
        if self._statm < 0:
            return resource.getrlimit(limit)[1]
        used = int(os.pread(self._statm, 128, 0).split()[statm_field]) * self._page_bytes
        return _lower(limit, used + above_bytes)


def proves_memory_limit() -> bool:
    """Whether a budget gives MemoryError. Changes the limits of this process: call it in a child that then ends."""
    try:
        budget = Budget()
        budget.arm(LIMITS["plugin.max_heap_mib"].minimum)
        bytearray(64 * MIB)
    except MemoryError:
        return True
    except (OSError, ValueError):
        return False
    return False


def _lower(limit: int, wanted: int) -> int:
    """Set soft and hard limit to `wanted`, or to the present hard limit when that is lower."""
    hard = resource.getrlimit(limit)[1]
    value = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    resource.setrlimit(limit, (value, value))
    return value
