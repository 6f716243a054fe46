"""Where the condition of a plugin (`when`) lets it run. Compiler, dispatch table and texts ask here."""

from __future__ import annotations

from collections.abc import Iterable

from adk_decl.plan.model import PluginDescriptor, When
from adk_decl.plan.phases import Phase

INSIDE_AGENT = frozenset({"agent", "model", "tool"})
"""Levels of the phases that belong to an agent."""


def may_run(plugin: PluginDescriptor, phase: Phase, *, agent: str, model: str, tools: Iterable[str]) -> bool:
    """Whether a plugin may run in a phase of an agent with this model and these tools, as far as conditions go."""
    when = plugin.when
    if when is None or phase.level not in INSIDE_AGENT:
        return True
    return (
        _holds(when.agents, (agent,))
        and (phase.level != "model" or _holds(when.models, (model,)))
        and (phase.level != "tool" or _holds(when.tools, tools))
    )


def runs_for_tool(plugin: PluginDescriptor, tool: str | None) -> bool:
    """Whether a plugin of a tool phase runs for the calls of one tool. None stands for tools that nobody names."""
    return plugin.when is None or plugin.when.tools is None or tool in plugin.when.tools


def named_tools(chain: Iterable[PluginDescriptor]) -> tuple[str, ...]:
    """The tools that conditions in a chain name, sorted."""
    return tuple(sorted({tool for plugin in chain if plugin.when is not None for tool in plugin.when.tools or ()}))


def longest_ms(chain: Iterable[PluginDescriptor]) -> int:
    """What the plugins of one phase may take together, in ms: for a tool phase the tool with the longest chain."""
    plugins = tuple(chain)
    tools: tuple[str | None, ...] = (None, *named_tools(plugins))
    return max(sum(p.timeout_ms for p in plugins if runs_for_tool(p, tool)) for tool in tools)


def when_text(when: When | None) -> str:
    """A condition in words: `agents support; tools refund, lookup`; empty without one."""
    if when is None:
        return ""
    parts = ((name, getattr(when, name)) for name in when._fields)
    return "; ".join(f"{name} {', '.join(names)}" for name, names in parts if names is not None)


def _holds(wanted: tuple[str, ...] | None, there: Iterable[str]) -> bool:
    return wanted is None or any(name in wanted for name in there)
