"""A plan as a person reads it: who runs, in which order, within which limits. No config value, no instruction."""

from __future__ import annotations

from collections.abc import Sequence

from adk_decl.plan.conditions import longest_ms, when_text
from adk_decl.plan.dispatch import dispatch_table, served_hook
from adk_decl.plan.model import AgentPlan, Breaker, Plan, PluginDescriptor, RunnerPlan
from adk_decl.plan.needs import needs_of
from adk_decl.plan.phases import PHASES
from adk_decl.plan.words import duration, plural, secret, size, text_of, without_user


def render_plan(plan: Plan, runner: RunnerPlan, *, not_enforced: Sequence[str] = ()) -> str:
    """The whole picture of one runner. `not_enforced` are the limits that this machine can't hold."""
    agent = plan.agents[runner.agent]
    sections = (
        _head(plan, runner, agent),
        _tools(plan, agent),
        _phases(runner, agent),
        _needs(plan, runner),
        _notes(plan, runner, agent, not_enforced),
    )
    return "\n\n".join("\n".join(lines) for lines in sections if lines)


def _head(plan: Plan, runner: RunnerPlan, agent: AgentPlan) -> list[str]:
    model, limits, store = plan.models[agent.model], runner.limits, runner.session_store
    facts = [model.name, model.use, text_of(model.model), without_user(text_of(model.base_url))]
    facts += [f"{duration(model.timeout_ms)} a call", plural(model.retries.max_attempts, "attempt")]
    bounds = (
        f"run {duration(limits.run_timeout_ms)}",
        plural(limits.max_model_calls, "model call"),
        plural(limits.max_tool_calls, "tool call"),
        f"{size(limits.max_plugin_input_bytes)} into a plugin",
        f"{duration(limits.notify_timeout_ms)} for the last notifications",
    )
    place = text_of(store.path) or ("" if store.use == "memory" else "default place")
    return [
        f"plan {plan.name} · {plan.digest}",
        f"runner {runner.name}",
        *_table(
            [
                ("agent", agent.name + (" · answers by JSON Schema" if agent.output_schema is not None else "")),
                ("model", " · ".join(fact for fact in facts if fact)),
                ("sessions", " · ".join(fact for fact in (store.use, place) if fact)),
                ("limits", " · ".join(bounds)),
                ("plugin order", runner.plugin_order),
            ]
        ),
    ]


def _tools(plan: Plan, agent: AgentPlan) -> list[str]:
    rows = []
    for tool in (plan.tools[name] for name in agent.tools):
        heap = size(tool.max_heap_mib * 2**20) if tool.isolation == "worker" else "no memory limit"
        code = f"{tool.code.module}:{tool.code.attribute}"
        rows.append(
            (tool.name, code, tool.isolation, duration(tool.timeout_ms), heap, f"{tool.max_concurrency} at once")
        )
    head = ("tool", "function", "runs in", "time", "memory", "calls")
    return ["tools", *_table([head, *rows])] if rows else []


def _phases(runner: RunnerPlan, agent: AgentPlan) -> list[str]:
    table = dispatch_table(runner, agent)
    rows: list[tuple[str, ...]] = []
    for name, chain in table.items():
        if chain:
            rows.append((name, f"adds at most {duration(longest_ms(chain))}"))
            rows += [_plugin_row(position, plugin, name) for position, plugin in enumerate(chain, 1)]
    last = "only for" if any(plugin.when is not None for chain in table.values() for plugin in chain) else ""
    head = ("plugin", "use", "mode", "on failure", "time", "memory", "result", "runs in", "domain", last)
    aligned = iter(_table([head, *(row for row in rows if len(row) > 2)], indent="    "))
    lines = [next(aligned)] if rows else []
    lines += [next(aligned) if len(row) > 2 else f"  {row[0]:<16} {row[1]}" for row in rows]
    empty = [name for name, chain in table.items() if not chain]
    lines += [f"  no plugin in {', '.join(empty)}"] if empty else []
    return ["phases", *lines]


def _plugin_row(position: int, plugin: PluginDescriptor, phase: str) -> tuple[str, ...]:
    hook = served_hook(plugin, phase)
    what = plugin.use if plugin.kind == "plugin" else "local callback"
    heap = size(plugin.max_heap_mib * 2**20) if plugin.isolation == "worker" else "no memory limit"
    return (
        f"{position}. {plugin.id}",
        what + (f" as {hook}" if hook != phase else ""),
        "notified" if PHASES[phase].notification else plugin.mode,
        plugin.failure_policy,
        duration(plugin.timeout_ms),
        heap,
        size(plugin.max_result_bytes),
        plugin.isolation,
        plugin.domain,
        when_text(plugin.when),
    )


def _needs(plan: Plan, runner: RunnerPlan) -> list[str]:
    needs = needs_of(plan, runner)
    variables = [*needs.required, *(f"{name} (has a default)" for name in needs.defaulted)]
    rows = [("environment", ", ".join(variables)), ("secrets", ", ".join(secret(ref) for ref in needs.secrets))]
    rows = [row for row in rows if row[1]]
    return ["needs", *_table(rows)] if rows else []


def _notes(plan: Plan, runner: RunnerPlan, agent: AgentPlan, not_enforced: Sequence[str]) -> list[str]:
    notes = []
    holders = [p.id for p in dispatch_table(runner, agent)["after_model"] if p.mode == "intervene"]
    if holders:
        notes.append(f"--stream: text is held back until {', '.join(holders)} has seen the whole response")
    shadowed = dict.fromkeys(p.id for p in (*runner.plugins, *agent.plugins) if p.mode == "shadow")
    if shadowed:
        notes.append(f"shadow ({', '.join(shadowed)}): what they would change, return or stop is recorded, not applied")
    notes += [
        f"breaker of {p.id}: {_breaker_text(p.breaker)}"
        for p in (*runner.plugins, *agent.plugins)
        if p.breaker is not None
    ]
    inline = [plan.tools[name].name for name in agent.tools if plan.tools[name].isolation == "inline"]
    if inline:
        notes.append(f"inline ({', '.join(inline)}): code that holds the interpreter outlasts its deadline and Ctrl-C")
    notes += [f"not enforced on this machine ({runner.unenforced}): {limit}" for limit in not_enforced]
    return ["notes", *(f"  - {note}" for note in notes)] if notes else []


def _breaker_text(rule: Breaker) -> str:
    failures = plural(rule.failures, "failure")
    return f"off after {failures} in {duration(rule.window_ms)}, tried again after {duration(rule.cooldown_ms)}"


def _table(rows: Sequence[tuple[str, ...]], *, indent: str = "  ") -> list[str]:
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)] if rows else []
    return [(indent + "  ".join(f"{c:<{w}}" for c, w in zip(row, widths, strict=True))).rstrip() for row in rows]
