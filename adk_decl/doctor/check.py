"""What one check found out: data, shown by whoever asked."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from adk_decl.plan.record import EMPTY_MAP, FrozenMap, Record

Status = Literal["ok", "warn", "fail", "skipped"]


class Check(Record):
    """One thing that was looked at: what, how it is, one sentence, its facts as JSON, and how to mend it.

    No text and no fact holds a secret, the value of an environment variable of the manifest, or a configuration.
    """

    group: str
    name: str
    status: Status
    summary: str
    facts: FrozenMap[Any] = EMPTY_MAP
    mend: str | None = None


def failed(checks: Iterable[Check]) -> bool:
    """Whether any check says that the runner can't run as it is."""
    return any(check.status == "fail" for check in checks)
