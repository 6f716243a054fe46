"""`metadata_logger`: one log record a hook, with facts about the run and never its content."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from adk_decl.plugins import HookContext, Meta, Plugin

DEFAULT_ID = "metadata-logger"
DEFAULT_LOG_LEVEL = "none"

_META_FACTS = (
    "run_id",
    "invocation_id",
    "session_id",
    "app_name",
    "user_id",
    "agent",
    "model",
    "level",
    "tool",
    "call_id",
)

_FACT_BYTES = 48
"""Each fact is cut to this length, so that one long id does not push the record over the limit of a log record."""


class MetadataLogger(Plugin):
    """Logs that a hook was reached: `count` is always 1, `value_type` is the name of the payload's type."""

    stateless = True

    def _record(self, ctx: HookContext, value: object) -> None:
        level = self.config.get("log_level", DEFAULT_LOG_LEVEL)
        if level not in ("debug", "info", "notice", "warning"):
            return
        log = getattr(ctx.log, str(level))
        log(
            "hook",
            count=1,
            id=_cut(str(self.config.get("id", DEFAULT_ID))),
            hook=ctx.meta.phase,
            plugin_id=_cut(ctx.plugin_id),
            value_type=type(value).__name__,
            **dict(_present(ctx.meta)),
        )

    on_user_message = before_run = before_agent = before_model = before_tool = on_event = _record
    after_tool = after_model = after_agent = after_run = _record
    on_tool_error = on_model_error = on_agent_error = on_run_error = _record


def _present(meta: Meta) -> Iterator[tuple[str, Any]]:
    for name in _META_FACTS:
        fact = getattr(meta, name)
        if fact is not None:
            yield name, _cut(fact)


def _cut(text: str) -> str:
    return text.encode()[:_FACT_BYTES].decode(errors="ignore")
