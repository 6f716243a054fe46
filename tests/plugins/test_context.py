"""What a hook is told, and what becomes of its log records."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from adk_decl.plan.record import FrozenMap
from adk_decl.plugins.context import HookContext, Meta
from adk_decl.wire import decode, encode

META = Meta(run_id="r", invocation_id="i", session_id="s", user_id="u", app_name="a", agent="g")


def context() -> HookContext:
    return HookContext("p", FrozenMap({}), 1000, None, encode(META))


def logged(ctx: HookContext) -> list[Any]:
    return [decode(record) for record in ctx.encoded_log()]


def test_the_facts_of_the_run_are_decoded_when_read() -> None:
    assert context().meta == META


def test_a_hook_that_logs_nothing_has_no_log() -> None:
    ctx = context()
    assert ctx.logged is None
    assert logged(ctx) == []


def test_every_level_takes_facts() -> None:
    ctx = context()
    for level in ("debug", "info", "notice", "warning"):
        getattr(ctx.log, level)("seen", count=1, name="x", share=0.5, ok=True, none=None)
    facts = {"count": 1, "name": "x", "share": 0.5, "ok": True, "none": None}
    assert logged(ctx) == [[level, "seen", facts] for level in ("debug", "info", "notice", "warning")]


@pytest.mark.parametrize("fact", [[1], {"a": 1}, {1}, Path("x"), object(), b"x"])
def test_a_fact_that_is_no_fact_is_told_by_its_class(fact: Any) -> None:
    ctx = context()
    ctx.log.info("seen", fact=fact)
    assert logged(ctx) == [["info", "seen", {"fact": f"<{type(fact).__name__}>"}]]


def test_records_beyond_their_bounds_are_counted() -> None:
    ctx = context()
    for fact in ("x" * 2000, "\ud800", 10**5000):
        ctx.log.info("refused", fact=fact)
    for number in range(40):
        ctx.log.info("seen", number=number)
    ctx.log.records[0] = [object()]
    found = logged(ctx)
    assert len(found) == 32
    assert found[-1] == ["warning", "log_records_dropped", {"count": 3 + 8 + 1}]
