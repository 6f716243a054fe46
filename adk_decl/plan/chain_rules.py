"""Consequences for the chains of plugins that a runner puts around its phases: who is gone, who goes first, how long.

A guard here is a plugin or local callback in mode `intervene` in a phase in which it can do something.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from adk_decl.plan.changes import Steps
from adk_decl.plan.compared import Compared, Effect, several
from adk_decl.plan.conditions import longest_ms, runs_for_tool
from adk_decl.plan.dispatch import dispatch_table
from adk_decl.plan.model import PlanBody, PluginDescriptor
from adk_decl.plan.phases import PHASES
from adk_decl.plan.words import duration

Chains = Mapping[str, tuple[PluginDescriptor, ...]]


class _Scope(NamedTuple):
    """A runner, or an agent without one, that both plans have: in words and as a path, and its chains in each plan.

    `there_words` are the words for the other plan, in which a runner may have another name.
    """

    words: str
    there_words: str
    steps: Steps
    here: Chains
    there: Chains


class _Loss(NamedTuple):
    """A guard that one plan has in phases where the other one lacks it."""

    guard: PluginDescriptor
    steps: Steps
    phases: tuple[str, ...]
    entirely: bool


def chains_of(body: PlanBody, runner: str) -> Chains:
    """Per phase the plugins and callbacks of a runner with its agent, in order; phases without any are left out."""
    found = body.runners[runner]
    table = dispatch_table(found, body.agents[found.agent])
    return {phase: chain for phase, chain in table.items() if chain}


def guards_removed(compared: Compared) -> Iterator[Effect]:
    """Guards that no longer run."""
    for loss, places in _losses(compared.old, compared.new, name_there=True):
        if loss.entirely:
            policy = "a closed guard" if loss.guard.failure_policy == "closed" else "it could change or stop a call"
            yield Effect(loss.steps, f"`{loss.guard.id}` no longer runs in {places}: {policy}")


def phases_dropped(compared: Compared) -> Iterator[Effect]:
    """Guards that no longer run in some of their phases."""
    for loss, places in _losses(compared.old, compared.new, name_there=True):
        if not loss.entirely:
            yield Effect(loss.steps, f"`{loss.guard.id}` no longer runs in {several(loss.phases)} of {places}")


def guards_added(compared: Compared) -> Iterator[Effect]:
    """Guards that run where they did not."""
    for loss, places in _losses(compared.new, compared.old, name_there=False):
        where = "" if loss.entirely else f"{several(loss.phases)} of "
        yield Effect(loss.steps, f"`{loss.guard.id}` intervenes in {where}{places}, {loss.guard.failure_policy}")


def guards_reordered(compared: Compared) -> Iterator[Effect]:
    """Closed guards that changed places with others in some phase; one effect for each guard and direction."""
    for scope in _scopes(compared.old, compared.new):
        passed: dict[tuple[str, str], tuple[dict[str, None], dict[str, None]]] = {}
        for phase in PHASES:
            for guard, how, other in _passed(scope.here.get(phase, ()), scope.there.get(phase, ())):
                others, phases = passed.setdefault((guard, how), ({}, {}))
                others[f"`{other}`"] = phases[phase] = None
        for (guard, how), (others, phases) in passed.items():
            why = "which may end the phase first" if how == "after" else "which may change what it let pass"
            text = (
                f"guard `{guard}` of {scope.there_words} now runs {how} {several(others)}, {why}: in {several(phases)}"
            )
            yield Effect((*scope.steps, "plugins", guard), text)


def phases_slower(compared: Compared) -> Iterator[Effect]:
    """What the plugins of a phase may take together grew; told per runner, phases with equal times as one."""
    for scope in _scopes(compared.old, compared.new):
        old, new = _longest(scope.here), _longest(scope.there)
        grown: dict[tuple[int, int], list[str]] = {}
        for phase, now in new.items():
            if now > old.get(phase, 0):
                grown.setdefault((old.get(phase, 0), now), []).append(phase)
        parts = [f"{', '.join(phases)} {duration(a)} → {duration(b)}" for (a, b), phases in grown.items()]
        if parts:
            yield Effect(scope.steps, f"plugins of {scope.there_words} may take longer: {'; '.join(parts)}")


def guards_narrowed(compared: Compared) -> Iterator[Effect]:
    """Guards that no longer see the calls of some tools."""
    for steps, guard, tools, where in _unseen(compared.old, compared.new):
        yield Effect(steps, f"`{guard}` no longer sees calls of {several(tools)} in {where}")


def guards_widened(compared: Compared) -> Iterator[Effect]:
    """Guards that see the calls of more tools."""
    for steps, guard, tools, where in _unseen(compared.new, compared.old):
        yield Effect(steps, f"`{guard}` sees calls of {several(tools)} in {where}")


def _unseen(here: PlanBody, there: PlanBody) -> Iterator[tuple[Steps, str, tuple[str, ...], str]]:
    """Guards of both plans and the tools whose calls they see in one plan only, while both plans have these tools."""
    for scope in _scopes(here, there):
        common = _tools_of(here, scope.steps).keys() & _tools_of(there, scope.steps).keys()
        others = {(guard.id, guard.kind): guard for guard in _tool_guards(scope.there)}
        for guard in _tool_guards(scope.here):
            other = others.get((guard.id, guard.kind))
            tools = sorted(t for t in common if runs_for_tool(guard, t) and not (other and runs_for_tool(other, t)))
            if other is not None and tools:
                yield _path(here, scope.steps, guard), guard.id, tuple(f"`{tool}`" for tool in tools), scope.words


def _tool_guards(chains: Chains) -> dict[PluginDescriptor, None]:
    phases = (phase for phase in chains if PHASES[phase].level == "tool")
    return {plugin: None for phase in phases for plugin in chains[phase] if plugin.mode == "intervene"}


def _tools_of(body: PlanBody, scope: Steps) -> dict[str, None]:
    agent = scope[1]
    if scope[0] == "runners":
        runner = body.runners.get(agent)
        agent = runner.agent if runner is not None else ""
    return dict.fromkeys(body.agents[agent].tools) if agent in body.agents else {}


def _longest(chains: Chains) -> dict[str, int]:
    """Per phase what its plugins may take together, in ms."""
    return {phase: longest_ms(chain) for phase, chain in chains.items()}


def _scopes(here: PlanBody, there: PlanBody) -> Iterator[_Scope]:
    """The runners of both plans, then the agents of both that none of these runs."""
    run = set()
    for name, other in _pairs(here, there):
        run |= {here.runners[name].agent, there.runners[other].agent}
        words, there_words = f"runner `{name}`", f"runner `{other}`"
        yield _Scope(words, there_words, ("runners", name), chains_of(here, name), chains_of(there, other))
    for name in here.agents:
        if name in there.agents and name not in run:
            chains = (dispatch_table(None, body.agents[name]) for body in (here, there))
            yield _Scope(f"agent `{name}`", f"agent `{name}`", ("agents", name), *chains)


def _pairs(here: PlanBody, there: PlanBody) -> list[tuple[str, str]]:
    """Runners by name; when one went and one came, these two, so that a new name hides nothing."""
    pairs = [(name, name) for name in here.runners if name in there.runners]
    gone = [name for name in here.runners if name not in there.runners]
    came = [name for name in there.runners if name not in here.runners]
    return pairs + (list(zip(gone, came, strict=True)) if len(gone) == len(came) == 1 else [])


def _losses(here: PlanBody, there: PlanBody, *, name_there: bool) -> Iterator[tuple[_Loss, str]]:
    """What one plan has and the other lacks; a guard of an agent under several runners once, with all of them."""
    found: dict[_Loss, list[str]] = {}
    for scope in _scopes(here, there):
        kept = _phases_of(scope.there)
        for guard, phases in _phases_of(scope.here).items():
            if guard.mode == "intervene":
                still = _kept(guard, kept)
                gone = tuple(phase for phase in phases if phase not in still and not PHASES[phase].notification)
                entirely = all(PHASES[phase].notification for phase in still)
                if gone:
                    loss = _Loss(guard, _path(here, scope.steps, guard), gone, entirely)
                    found.setdefault(loss, []).append(scope.there_words if name_there else scope.words)
    for loss, places in found.items():
        yield loss, " and ".join(places)


def _phases_of(chains: Chains) -> dict[PluginDescriptor, list[str]]:
    found: dict[PluginDescriptor, list[str]] = {}
    for phase, chain in chains.items():
        for plugin in chain:
            found.setdefault(plugin, []).append(phase)
    return found


def _kept(guard: PluginDescriptor, others: Mapping[PluginDescriptor, list[str]]) -> Collection[str]:
    """The phases that a guard serves in the other plan, under its id or under another one."""
    for plugin, phases in others.items():
        if (plugin.id, plugin.kind) == (guard.id, guard.kind):
            return phases
    return next((phases for plugin, phases in others.items() if plugin.replace(id=guard.id) == guard), ())


def _path(body: PlanBody, scope: Steps, guard: PluginDescriptor) -> Steps:
    """Where a guard of a scope stands in the plan."""
    agent = scope[1]
    if scope[0] == "runners":
        runner = body.runners[scope[1]]
        if any(plugin is guard for plugin in runner.plugins):
            return (*scope, "plugins", guard.id)
        agent = runner.agent
    if guard.kind == "callback":
        return ("agents", agent, "callbacks", guard.hooks[0])
    return ("agents", agent, "plugins", guard.id)


def _passed(old: tuple[PluginDescriptor, ...], new: tuple[PluginDescriptor, ...]) -> Iterator[tuple[str, str, str]]:
    """Closed guards of a phase, and what they now run after or before, which was the other way round."""
    before = {plugin.id: index for index, plugin in enumerate(old)}
    acting = [plugin for plugin in new if plugin.mode == "intervene" and plugin.id in before]
    for index, guard in enumerate(acting):
        if guard.failure_policy != "closed":
            continue
        for other_index, other in enumerate(acting):
            was_first = before[guard.id] < before[other.id]
            if was_first and other_index < index:
                yield guard.id, "after", other.id
            elif before[other.id] < before[guard.id] and index < other_index:
                yield guard.id, "before", other.id
