"""Local callbacks: functions of one agent, with the outcomes of a plugin."""

from __future__ import annotations

from datetime import UTC, datetime

from adk_decl.plugins import HookContext, ModelRequest, Outcome, amend


def add_date(ctx: HookContext, value: ModelRequest) -> Outcome:
    """Tell the model which day it is."""
    today = f"Today is {datetime.now(UTC):%A, %d %B %Y}."
    return amend(instruction=f"{value.instruction}\n\n{today}" if value.instruction else today)
