"""What the manifest's schema knows and this version can't do yet.

Each row makes one error (ADK209) at the place where a manifest uses it. A later version deletes rows.
"""

from __future__ import annotations

from typing import Literal

from adk_decl.plan.record import Record


class Unavailable(Record):
    """A key, a value or a component without behaviour in this version.

    `pattern` is a field path in which `*` stands for any name or index, and a component is
    `<kind>:<name>`, where a name that ends in `*` stands for all that begin so. With `value`, only that value is
    unavailable.
    """

    what: Literal["key", "value", "component"]
    pattern: str
    value: str | bool | None = None
    summary: str


def _key(pattern: str, summary: str) -> Unavailable:
    return Unavailable(what="key", pattern=pattern, summary=summary)


def _value(pattern: str, value: str | bool, summary: str) -> Unavailable:
    return Unavailable(what="value", pattern=pattern, value=value, summary=summary)


def _component(kind: str, name: str, summary: str) -> Unavailable:
    return Unavailable(what="component", pattern=f"{kind}:{name}", summary=summary)


_DESCRIPTORS = ("plugins.*", "runners.*.plugins.*", "agents.*.plugins.*")

UNAVAILABLE: tuple[Unavailable, ...] = (
    _key("features", "feature gates"),
    _key("exporters", "exporters of telemetry"),
    _key("observability", "telemetry"),
    _key("runners.*.observability", "telemetry of a runner"),
    _key("evals", "evaluation"),
    _key("models.*.fallback", "a second model when the first fails"),
    _key("tools.*.confirm", "confirmation of a tool call by a person"),
    _key("tools.*.long_running", "tools that answer later"),
    _key("agents.*.ref", "agents of other frameworks"),
    _key("agents.*.sub_agents", "delegation to other agents"),
    _value("agents.*.use", "google_adk", "agents of other frameworks"),
    _value("agents.*.use", "pydantic_ai", "agents of other frameworks"),
    *(
        _key(f"agents.*.callbacks.{name}", "callbacks that are only told")
        for name in ("on_agent_start", "on_agent_end", "on_tool_start", "on_tool_end", "on_error")
    ),
    *(_value(f"{d}.isolation", "fresh", "a fresh process for each call") for d in _DESCRIPTORS),
    *(_key(f"{d}.sandbox", "sandbox levels") for d in _DESCRIPTORS),
    *(_key(f"{d}.permissions", "permissions of a plugin") for d in _DESCRIPTORS),
    *(_key(f"{d}.state", "stateful plugins") for d in _DESCRIPTORS),
    *(
        _component("plugin", name, "a built-in plugin")
        for name in (
            "cost_tracker",
            "response_cache",
            "tool_cache",
        )
    ),
    _component("model", "gemini", "the Gemini API"),
    _component("model", "replay", "answers from a recording"),
    _component("model", "python:*", "models written in the project"),
    _component("session_store", "python:*", "session stores written in the project"),
    *(
        _component("exporter", name, "an exporter of telemetry")
        for name in ("otlp_http_json", "console", "jsonl", "sqlite", "memory")
    ),
    *(
        _component("criterion", name, "a criterion of evaluation")
        for name in (
            "exact_response",
            "tool_trajectory",
            "response_rouge1",
            "response_contains",
            "response_regex",
            "response_json_schema",
            "latency",
            "cost",
            "tool_call_count",
            "token_usage",
            "safety",
            "llm_judge",
            "ensemble",
        )
    ),
)
"""Every row. `adk-decl components` shows them."""
