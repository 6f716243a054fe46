"""What was probably meant by a value of the wrong type, and the text edit that says it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from adk_decl.diagnostics.diagnostic import Edit, Fix
from adk_decl.diagnostics.suggest import is_typo, nearest

if TYPE_CHECKING:
    from adk_decl.diagnostics.diagnostic import Span
    from adk_decl.syntax.document import Node

_AMOUNT = re.compile(r"\s*([0-9]{1,12})(\.[0-9]{1,6})?\s*([A-Za-z]{1,12})\s*\Z")
_MS = {"ms": 1, "s": 1000, "sec": 1000, "secs": 1000, "second": 1000, "seconds": 1000}
_MS |= {"m": 60_000, "min": 60_000, "mins": 60_000, "minute": 60_000, "minutes": 60_000}
_MS |= {"h": 3_600_000, "hour": 3_600_000, "hours": 3_600_000}
_MIB = {"mib": 1, "mb": 1, "m": 1, "gib": 1024, "gb": 1024, "g": 1024}
_BYTES = {"b": 1, "bytes": 1, "kib": 1024, "mib": 1024**2, "gib": 1024**3, "kb": 1000, "mb": 1000**2, "gb": 1000**3}
_UNITS = {
    "_ms": ("milliseconds", _MS),
    "_mib": ("MiB", _MIB),
    "_bytes": ("bytes", _BYTES),
}
_OTHER_VALUES = {
    "fail_open": "open",
    "fail_closed": "closed",
    "failopen": "open",
    "failclosed": "closed",
    "process": "worker",
    "thread": "inline",
    "in_order": "declared",
    "enforce": "intervene",
    "monitor": "observe",
}
"""Words of other systems, with ours; used only where ours is allowed."""


def unit_hint(field: str, node: Node, span: Span, *, masked: bool) -> tuple[str, Fix | None] | None:
    """For a text with a unit (`5s`) in a field whose name states the unit: the number to write."""
    for suffix, (unit, factors) in _UNITS.items():
        if not field.endswith(suffix):
            continue
        match = _AMOUNT.match(node.text)
        if match is None or match[3].lower() not in factors:
            return None
        if masked:
            return (f"write a number of {unit}: the name of the key states the unit", None)
        amount = float(match[1] + (match[2] or "")) * factors[match[3].lower()]
        if amount != int(amount):
            return (f"write a whole number of {unit}: the name of the key states the unit", None)
        return (
            f"write {int(amount)}: the name of the key states the unit, {unit}",
            replace_fix(str(int(amount)), span, safe=True),
        )
    return None


def quote_fix(node: Node, span: Span) -> Fix:
    """Put quotes around a plain scalar."""
    return Fix(title="quote it", applicability="safe", edits=(Edit(span=span, text=f'"{node.text}"'),))


def unquote_fix(node: Node, span: Span) -> Fix:
    """Write a quoted number or boolean without its quotes."""
    return Fix(title="leave the quotes out", applicability="safe", edits=(Edit(span=span, text=node.text),))


def replace_fix(text: str, span: Span, *, safe: bool) -> Fix:
    """Write `text` instead."""
    return Fix(
        title=f"replace with `{text}`",
        applicability="safe" if safe else "unsafe",
        edits=(Edit(span=span, text=text),),
    )


def near_value(word: str, allowed: tuple[str, ...]) -> tuple[str, bool] | None:
    """The allowed value that was probably meant, and whether that is beyond doubt."""
    other = _OTHER_VALUES.get(word.lower()) or _OTHER_VALUES.get(nearest(word, _OTHER_VALUES) or "")
    if other is not None and other in allowed:
        return (other, True)
    found = nearest(word, allowed)
    return None if found is None else (found, is_typo(word, found))
