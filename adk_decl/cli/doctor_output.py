"""The checks of `doctor`, for people and for programs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import groupby

from adk_decl.doctor.check import Check, failed
from adk_decl.plan.canonical import to_plain

FORMAT_VERSION = 1
_COLORS = {"ok": "32", "warn": "33", "fail": "31", "skipped": "2"}
_WORDS = {"ok": "ok", "warn": "warning", "fail": "failed", "skipped": "skipped"}


def as_text(checks: Sequence[Check], *, color: bool = False) -> str:
    """One line a check under its group, what mends it below, and the sum."""
    width = max((len(check.name) for check in checks), default=0)
    lines: list[str] = []
    for group, members in groupby(checks, key=lambda check: check.group):
        lines += ["", group] if lines else [group]
        for check in members:
            status = f"{_WORDS[check.status]:<7}"
            shown = f"\x1b[{_COLORS[check.status]}m{status}\x1b[0m" if color else status
            lines.append(f"  {shown}  {check.name:<{width}}  {_printable(check.summary)}".rstrip())
            if check.mend is not None and check.status != "ok":
                lines.append(f"           {'':<{width}}  {_printable(check.mend)}")
    return "\n".join([*lines, "", _sum(checks)])


def as_json(checks: Sequence[Check], *, manifest: str, runner: str, plan_digest: str) -> str:
    """One document: `ready` says whether nothing failed. Its schema is `schemas/doctor.v1.schema.json`."""
    document = {
        "format_version": FORMAT_VERSION,
        "manifest": manifest,
        "runner": runner,
        "plan_digest": plan_digest,
        "ready": not failed(checks),
        "checks": [to_plain(check) for check in checks],
    }
    return json.dumps(document, indent=2)


def _sum(checks: Sequence[Check]) -> str:
    counts = [
        f"{number} {word}"
        for status, word in _WORDS.items()
        if (number := sum(check.status == status for check in checks)) or status == "fail"
    ]
    return ", ".join(counts)


def _printable(text: str) -> str:
    """Text without control characters: paths and names may hold any."""
    return "".join(c if c.isprintable() else "�" for c in text)
