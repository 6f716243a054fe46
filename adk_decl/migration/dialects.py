"""Spellings of other systems, as tables of rules: plugins as Erlang's ADK, adk-rust and google-adk write them.

A value of another system that has no counterpart here is told and left for a person.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from adk_decl.migration.rules import Rule
from adk_decl.plan.phases import PHASES, RUST_HOOK_NAMES
from adk_decl.plan.record import FrozenMap

_DESCRIPTORS = ("plugins.*", "runners.*.plugins.*", "agents.*.plugins.*")
_POLICIES = FrozenMap({"fail_open": "open", "fail_closed": "closed", "failopen": "open", "failclosed": "closed"})


def _everywhere(suffix: str, **rule: Any) -> Iterator[Rule]:
    """One rule for each place where a descriptor may stand."""
    for place in _DESCRIPTORS:
        yield Rule(pattern=f"{place}.{suffix}", **rule)


def _hooks(names: FrozenMap[str]) -> Iterator[Rule]:
    """Names of hooks, in lists of hooks and as local callbacks of an agent."""
    yield from _everywhere("hooks.*", values=names)
    for theirs, ours in names.items():
        yield Rule(pattern=f"agents.*.callbacks.{theirs}", rename=ours)


_ERLANG = (
    *_everywhere("module", rename="use", unless="use"),
    *_everywhere(
        "use",
        values=FrozenMap(
            {
                f"{prefix}{name}": name
                for prefix in ("adk_plugin_", "adk_", "erlang_adk_")
                for name in ("global_instruction", "context_filter", "reflect_retry", "metadata_logger")
            }
        ),
    ),
    *_everywhere("stateful", rename="state", unless="state"),
    *_everywhere("isolation", values=FrozenMap({"process": "worker"})),
    *_everywhere("failure_policy", values=_POLICIES),
    Rule(pattern="evals.*.baseline.max_pass_rate_drop", rename="max_pass_drop"),
    Rule(pattern="plugins", key_by="id"),
)

_RUST_PLUGINS = FrozenMap(
    {
        "retry-reflect": "reflect_retry",
        "retry_reflect": "reflect_retry",
        "retry_and_reflect": "reflect_retry",
        "RetryReflectPlugin": "reflect_retry",
        "context-filter": "context_filter",
        "global-instruction": "global_instruction",
        "metadata-logger": "metadata_logger",
    }
)

_NO_RETRY = "`{}` has no counterpart: a retry counts attempts of each tool, and never waits"

_ADK_RUST = (
    *_everywhere("name", insert_before="use", values=_RUST_PLUGINS, unless="use"),
    *_everywhere("name", rename="id", unless="id"),
    *_everywhere("failure_policy", values=_POLICIES),
    *_everywhere("config.max_retries", rename="max_attempts", component="reflect_retry"),
    *_everywhere("config.reflection_prompt", rename="guidance", component="reflect_retry"),
    *(
        rule
        for key in ("per_tool_limits", "global_limit", "backoff", "max_backoff", "filter", "include_tools")
        for rule in _everywhere(f"config.{key}", by_hand=_NO_RETRY.format(key), component="reflect_retry")
    ),
    *_hooks(RUST_HOOK_NAMES),
    Rule(pattern="agents.*.instructions", rename="instruction"),
    Rule(pattern="plugins", key_by="id"),
)

_GOOGLE_HOOKS = FrozenMap({f"{name}_callback": name for name in PHASES})

_GOOGLE_ADK = (
    *_everywhere("class", rename="use", unless="use"),
    *_everywhere("plugin", rename="use", unless="use"),
    *_everywhere("name", rename="id", unless="id"),
    *_everywhere(
        "use",
        values=FrozenMap(
            {
                "GlobalInstructionPlugin": "global_instruction",
                "ContextFilterPlugin": "context_filter",
                "ReflectAndRetryToolPlugin": "reflect_retry",
                "LoggingPlugin": "logging",
            }
        ),
    ),
    *_everywhere("config.global_instruction", rename="instruction", component="global_instruction"),
    *_everywhere("config.max_retries", rename="max_attempts", component="reflect_retry"),
    *_everywhere(
        "config.num_invocations_to_keep",
        component="context_filter",
        by_hand="`num_invocations_to_keep` counts invocations: say with `max_messages` how many messages stay",
    ),
    *_everywhere(
        "config.throw_exception_if_retry_exceeded",
        component="reflect_retry",
        by_hand="`throw_exception_if_retry_exceeded` has no counterpart: after the last attempt the error stays",
    ),
    *_hooks(_GOOGLE_HOOKS),
    Rule(pattern="agents.*.agent_class", values=FrozenMap({"LlmAgent": "native"})),
    Rule(pattern="agents.*.agent_class", rename="use"),
    Rule(pattern="agents.*.generate_content_config", rename="generation"),
    Rule(pattern="agents.*.generation.stop_sequences", rename="stop"),
    Rule(pattern="plugins", key_by="id"),
)

DIALECTS: FrozenMap[tuple[Rule, ...]] = FrozenMap({"erlang": _ERLANG, "adk-rust": _ADK_RUST, "google-adk": _GOOGLE_ADK})
"""The rules of each system, in the order in which they apply."""
