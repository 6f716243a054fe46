"""What a change of a plan means: the table of rules, each a row.

A rule looks at two plans and their differences and says what it found. A reviewer reads `weakens` first: those are
the rows about protection that is less than it was.
"""

from __future__ import annotations

from adk_decl.plan import chain_rules, reach_rules, value_rules
from adk_decl.plan.compared import Compared, Find, Level
from adk_decl.plan.record import Record
from adk_decl.plan.value_rules import (
    AGENTS,
    ANSWER_SCHEMAS,
    BOUNDS,
    BREAKERS,
    DECLARED_HEAPS,
    HEAPS,
    ISOLATIONS,
    LOADS,
    MODELS,
    MODES,
    POLICIES,
    STORES,
    TIMEOUTS,
    UNENFORCED,
)


class Rule(Record):
    """One kind of consequence: its name, its level, what it is about, and how it is found."""

    name: str
    level: Level
    summary: str
    find: Find


class Consequence(Record):
    """What a rule found: the path that it is about, and a sentence without any value of a config or a secret."""

    rule: str
    level: Level
    path: tuple[str, ...]
    text: str


LEVELS: tuple[Level, ...] = ("weakens", "strengthens", "needs", "costs")
"""Less protection; more protection; something that was not needed before; more time, memory or money."""


def _rule(level: Level, name: str, summary: str, find: Find) -> Rule:
    return Rule(name=name, level=level, summary=summary, find=find)


_v = value_rules

RULES: tuple[Rule, ...] = (
    _rule("weakens", "guard_removed", "an intervening plugin that no longer runs", chain_rules.guards_removed),
    _rule(
        "weakens",
        "guard_observes",
        "an intervening plugin that only watches now",
        _v.becomes(MODES, "intervene", "observe", "{what} only observes now: it can neither change nor stop a call"),
    ),
    _rule(
        "weakens",
        "guard_shadowed",
        "an intervening plugin whose outcome is only recorded now",
        _v.becomes(MODES, "intervene", "shadow", "{what} is in shadow now: it can neither change nor stop a call"),
    ),
    _rule("weakens", "guard_replaced", "an intervening plugin that is other code now", _v.replaced),
    _rule("weakens", "phase_dropped", "an intervening plugin that serves fewer phases", chain_rules.phases_dropped),
    _rule(
        "weakens", "guard_narrowed", "an intervening plugin that sees calls of fewer tools", chain_rules.guards_narrowed
    ),
    _rule("weakens", "guard_reordered", "a closed guard that changed places", chain_rules.guards_reordered),
    _rule(
        "weakens",
        "policy_opened",
        "a failure that ended the run and lets it go on now",
        _v.becomes(POLICIES, "closed", "open", "a failure of {what} lets the call pass now"),
    ),
    _rule("weakens", "guard_starved", "an open guard that has less time, memory or room for its result", _v.starved),
    _rule("weakens", "guard_switched_off", "an open guard that failures switch off", _v.switched_off),
    _rule("weakens", "limit_relaxed", "a limit that was raised", _v.raised(BOUNDS)),
    _rule("weakens", "limit_removed", "a limit that is gone", _v.unbound(BOUNDS)),
    _rule(
        "weakens",
        "limit_from_environment",
        "a limit that the environment sets now",
        _v.from_environment((*BOUNDS, *TIMEOUTS, *LOADS)),
    ),
    _rule(
        "weakens",
        "unenforced_allowed",
        "limits that the machine can't hold no longer refuse the run",
        _v.becomes(UNENFORCED, "refuse", "warn", "{what} runs where limits can't be enforced, with a warning"),
    ),
    _rule(
        "weakens",
        "heap_undeclared",
        "a memory limit that is only a default now",
        _v.becomes(
            DECLARED_HEAPS, True, False, "the memory limit of {what} is a default, which a machine need not enforce"
        ),
    ),
    _rule(
        "weakens",
        "isolation_weakened",
        "code that left its worker",
        _v.becomes(ISOLATIONS, "worker", "inline", "{what} runs in this process, where it can't be stopped"),
    ),
    _rule("weakens", "domain_merged", "code that shares a process with other code", reach_rules.domains_merged),
    _rule("weakens", "encryption_dropped", "an address that was https", reach_rules.encryption_dropped),
    _rule(
        "weakens",
        "answer_unchecked",
        "an answer that no schema checks any more",
        _v.vanishes(ANSWER_SCHEMAS, "no schema checks the answer of {what} any more"),
    ),
    _rule("strengthens", "guard_added", "an intervening plugin that did not run before", chain_rules.guards_added),
    _rule(
        "strengthens",
        "guard_widened",
        "an intervening plugin that sees calls of more tools",
        chain_rules.guards_widened,
    ),
    _rule(
        "strengthens",
        "guard_intervenes",
        "a plugin that watched and intervenes now",
        _v.becomes(MODES, ("observe", "shadow"), "intervene", "{what} may change and stop calls now"),
    ),
    _rule(
        "strengthens",
        "breaker_removed",
        "a plugin that failures do not switch off any more",
        _v.vanishes(BREAKERS, "repeated failures do not switch {what} off any more"),
    ),
    _rule(
        "strengthens",
        "policy_closed",
        "a failure that ends the run now",
        _v.becomes(POLICIES, "open", "closed", "a failure of {what} ends the run now"),
    ),
    _rule("strengthens", "limit_tightened", "a limit that was lowered", _v.lowered(BOUNDS)),
    _rule(
        "strengthens",
        "unenforced_refused",
        "limits that the machine can't hold refuse the run now",
        _v.becomes(UNENFORCED, "warn", "refuse", "{what} refuses to run where limits can't be enforced"),
    ),
    _rule(
        "strengthens",
        "heap_declared",
        "a memory limit that has to be enforced now",
        _v.becomes(DECLARED_HEAPS, False, True, "the memory limit of {what} has to be enforced"),
    ),
    _rule(
        "strengthens",
        "isolation_strengthened",
        "code that runs in a worker now",
        _v.becomes(ISOLATIONS, "inline", "worker", "{what} runs in a worker, where it can be stopped"),
    ),
    _rule("strengthens", "domain_split", "code that has its processes for itself", reach_rules.domains_split),
    _rule(
        "strengthens",
        "answer_checked",
        "an answer that a schema checks now",
        _v.appears(ANSWER_SCHEMAS, "a schema checks the answer of {what} now"),
    ),
    _rule("needs", "secret_added", "a secret that was not read before", reach_rules.secrets_added),
    _rule("needs", "variable_added", "an environment variable that was not read before", reach_rules.variables_added),
    _rule(
        "needs", "variable_required", "an environment variable without a default now", reach_rules.variables_required
    ),
    _rule("needs", "host_added", "a place in the network that nothing talked to", reach_rules.hosts_added),
    _rule("needs", "code_added", "code that did not run before", reach_rules.code_added),
    _rule("needs", "tool_added", "a tool that a model could not call before", reach_rules.tools_added),
    _rule("costs", "timeout_raised", "a time limit that was raised", _v.raised(TIMEOUTS)),
    _rule("costs", "phase_slower", "the time that all plugins of a phase may take", chain_rules.phases_slower),
    _rule("costs", "heap_raised", "a memory limit that was raised", _v.raised(HEAPS)),
    _rule("costs", "load_raised", "more calls at once, or more attempts", _v.raised(LOADS)),
    _rule(
        "costs",
        "model_changed",
        "another model",
        _v.differs(MODELS, "{what} has another model: answers, speed and price may differ"),
    ),
    _rule(
        "costs",
        "agent_changed",
        "another agent",
        _v.differs(AGENTS, "{what} runs another agent: its model, instruction and tools count now"),
    ),
    _rule(
        "costs",
        "session_store_changed",
        "another place for sessions",
        _v.differs(STORES, "{what} keeps sessions elsewhere: those of before are not found there"),
    ),
)
"""Every rule, by level."""


def consequences(compared: Compared) -> tuple[Consequence, ...]:
    """What every rule finds, in the order of the table."""
    return tuple(
        Consequence(rule=rule.name, level=rule.level, path=effect.steps, text=effect.text)
        for rule in RULES
        for effect in rule.find(compared)
    )
