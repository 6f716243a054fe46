"""The difference of two plans as a person reads it: a line a change, then what it means, then the digests."""

from __future__ import annotations

import os
from collections.abc import Sequence

from adk_decl.diagnostics.wording import printable
from adk_decl.plan.changes import ChangeKind
from adk_decl.plan.compared import quantity
from adk_decl.plan.consequences import LEVELS, Consequence
from adk_decl.plan.diff import Change, PlanDiff
from adk_decl.plan.frozen_json import FrozenJson
from adk_decl.plan.model import Origin

_MARKS: dict[ChangeKind, str] = {"added": "+", "removed": "-", "changed": "~", "moved": "~"}
_COLORS = {"+": "32", "-": "31", "~": "33"}
_LONGEST_VALUE = 60


def render_diff(diff: PlanDiff, *, color: bool = False) -> str:
    """The whole difference; `the plans are equal` when there is none. `config` values never stand in it."""
    if not diff.changes:
        return f"the plans are equal · {diff.new_digest}"
    sections = [_changes(diff.changes, color=color), _consequences(diff.consequences, color=color), _end(diff)]
    return "\n\n".join("\n".join(lines) for lines in sections if lines)


def _changes(changes: Sequence[Change], *, color: bool) -> list[str]:
    rows = [_row(change) for change in changes]
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    lines = []
    for change, row in zip(changes, rows, strict=True):
        cells = "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=False))
        mark = _MARKS[change.kind]
        line = f"{mark} {cells}  {row[3]}".rstrip()
        lines.append(_painted(line, _COLORS[mark]) if color else line)
    return lines


def _row(change: Change) -> tuple[str, str, str, str]:
    field = ".".join(change.field)
    cells = ("/".join(change.component) or "plan", field or change.kind, _what(change))
    where = change.new_origin if change.kind != "removed" else change.old_origin
    component, name, what = (printable(cell) for cell in cells)
    return component, name, what, printable(_place(where))


def _what(change: Change) -> str:
    if not change.field:
        return f"was {change.note}" if change.kind == "removed" else change.note
    if change.hidden and change.old is None and change.new is None:
        return change.kind
    if change.kind == "moved" or (isinstance(change.old, tuple) and isinstance(change.new, tuple)):
        return _lists(change.old, change.new)
    return f"{_value(change, change.old)} → {_value(change, change.new)}"


def _lists(old: FrozenJson, new: FrozenJson) -> str:
    """What came and went; the whole new order when only that differs."""
    before, after = (value if isinstance(value, tuple) else () for value in (old, new))
    came = [f"+{item}" for item in after if item not in before]
    gone = [f"-{item}" for item in before if item not in after]
    if came or gone:
        return _cut(" ".join([*gone, *came]))
    return _cut("order: " + ", ".join(str(item) for item in after))


def _value(change: Change, value: FrozenJson) -> str:
    if change.hidden and value is None:
        return "a value not shown"
    if value is None or (isinstance(value, int) and not isinstance(value, bool)):
        return quantity(change.path[-1], value)
    if isinstance(value, bool):
        return "true" if value else "false"
    return _cut(value) if isinstance(value, str) else _cut(str(value))


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_VALUE else text[: _LONGEST_VALUE - 1] + "…"


def _place(origin: Origin | None) -> str:
    if origin is None:
        return ""
    if origin.file is None:
        return f"({origin.layer})"
    return f"{_short(origin.file)}:{origin.line}:{origin.column}"


def _short(file: str) -> str:
    """A file outside the current folder by the shorter of its two names."""
    relative = os.path.relpath(file) if os.path.isabs(file) else file
    return relative if len(relative) < len(file) else file


def _consequences(found: Sequence[Consequence], *, color: bool) -> list[str]:
    lines = []
    for level in LEVELS:
        for each in found:
            if each.level == level:
                mark = "!!" if level == "weakens" else "  "
                line = f"{mark} {level}: {printable(each.text)}"
                lines.append(_painted(line, "1;31") if color and level == "weakens" else line)
    return lines


def _end(diff: PlanDiff) -> list[str]:
    kinds: tuple[ChangeKind, ...] = ("added", "removed", "changed", "moved")
    counts = {kind: sum(change.kind == kind for change in diff.changes) for kind in kinds}
    told = ", ".join(f"{count} {kind}" for kind, count in counts.items() if count)
    return [f"plan {diff.old_digest} → {diff.new_digest}", told]


def _painted(line: str, code: str) -> str:
    return f"\x1b[{code}m{line}\x1b[0m"
