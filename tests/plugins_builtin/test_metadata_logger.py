"""`metadata_logger`: scenario 130."""

from __future__ import annotations

from typing import Any

import pytest

from adk_decl.plan.phases import FALLBACK_PHASES, PHASES
from adk_decl.plugins import Content, Text
from adk_decl.values import PAYLOAD_TYPES
from adk_decl.values.payload import Payload
from plugins_builtin.metadata_logger import MetadataLogger
from tests.plugins_builtin.hook_calls import build, context

SECRET = "canary-of-content"
OWN_PHASES = [name for name in PHASES if name not in FALLBACK_PHASES.values()]


def payload(type_name: str) -> Payload:
    """A payload of this type that holds a canary in every text."""
    values: dict[str, Any] = {
        "UserMessage": {"parts": (Text(SECRET),)},
        "Content": {"parts": (Text(SECRET),)},
        "ModelRequest": {"model": SECRET, "instruction": SECRET},
        "ModelResponse": {"content": (Text(SECRET),)},
        "ToolCall": {"name": SECRET, "args": {"a": SECRET}},
        "ToolResult": {"name": SECRET, "result": SECRET},
        "Event": {
            "id": SECRET,
            "invocation_id": SECRET,
            "author": SECRET,
            "content": (Text(SECRET),),
            "actions": {},
            "timestamp_ms": 1,
        },
        "Failure": {"component": SECRET, "operation": SECRET, "error_class": "error", "reason": SECRET},
    }
    return PAYLOAD_TYPES[type_name](**values[type_name])


def test_serves_every_phase_of_its_own() -> None:
    served = [name for name in PHASES if callable(getattr(MetadataLogger, name, None))]
    assert served == OWN_PHASES
    assert len(served) == 14


@pytest.mark.parametrize("phase", OWN_PHASES)
def test_logs_type_labels_and_no_content(phase: str) -> None:
    plugin = build(MetadataLogger, log_level="info", id="audit")
    ctx = context(phase=phase, level=PHASES[phase].level, tool="lookup", call_id="c1")
    assert getattr(plugin, phase)(ctx, payload(PHASES[phase].value)) is None
    facts = {
        "count": 1,
        "id": "audit",
        "hook": phase,
        "plugin_id": "p",
        "value_type": PHASES[phase].value,
        "run_id": "r1",
        "invocation_id": "i1",
        "session_id": "s1",
        "app_name": "desk",
        "user_id": "u1",
        "agent": "support",
        "level": PHASES[phase].level,
        "tool": "lookup",
        "call_id": "c1",
    }
    assert ctx.log.records == [["info", "hook", facts]]
    assert SECRET not in str(ctx.log.records)


@pytest.mark.parametrize("level", ["debug", "info", "notice", "warning"])
def test_logs_at_the_level_asked_for(level: str) -> None:
    ctx = context(phase="after_run")
    build(MetadataLogger, log_level=level).after_run(ctx, Content((Text("x"),)))  # type: ignore[attr-defined]
    assert [record[0] for record in ctx.log.records] == [level]


@pytest.mark.parametrize("config", [{}, {"log_level": "none"}])
def test_is_silent_unless_told_a_level(config: dict[str, str]) -> None:
    ctx = context(phase="after_run")
    build(MetadataLogger, **config).after_run(ctx, Content((Text("x"),)))  # type: ignore[attr-defined]
    assert ctx.log.records == []
    assert ctx.log.dropped == 0


@pytest.mark.parametrize("letter", ["x", "é", "🜁"])
def test_long_names_are_cut_so_that_the_record_fits(letter: str) -> None:
    long = letter * 3000
    ctx = context(
        run_id=long,
        invocation_id=long,
        session_id=long,
        app_name=long,
        user_id=long,
        agent=long,
        model=long,
        tool=long,
        call_id=long,
        phase="after_tool",
        level="tool",
    )
    build(MetadataLogger, log_level="info", id=long).after_tool(ctx, payload("ToolResult"))  # type: ignore[attr-defined]
    assert len(ctx.log.records) == 1
    assert ctx.log.dropped == 0
