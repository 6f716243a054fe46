"""Consequences that a plan has as a whole: what it needs from outside, and which code meets which other code."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, TypeVar

from adk_decl.plan.changes import Steps, component_of
from adk_decl.plan.compared import Compared, Effect, named, several
from adk_decl.plan.domains import BUILTIN, origin_of
from adk_decl.plan.model import CodeRef, EnvRef, EnvText, PlanBody, PluginDescriptor, SecretRef, ToolPlan
from adk_decl.plan.record import Record
from adk_decl.plan.words import duration, secret

Key = TypeVar("Key")


class _Address(NamedTuple):
    """A place in the network; `host` is the reference itself where the environment decides."""

    scheme: str
    host: str


def secrets_added(compared: Compared) -> Iterator[Effect]:
    """Secrets that a component did not read before."""

    def of(body: PlanBody) -> dict[tuple[SecretRef, Steps], Steps]:
        return {(value, component_of(at)): at for at, value in _leaves(body) if isinstance(value, SecretRef)}

    for (ref, _), steps in _new(compared, of).items():
        yield Effect(steps, f"{named(steps)} reads the secret {secret(ref)}")


def variables_added(compared: Compared) -> Iterator[Effect]:
    """Environment variables that were not looked at before."""
    for name, (steps, required) in _new(compared, _variables).items():
        how = "which has no default" if required else "which has a default"
        yield Effect(steps, f"{named(steps)} reads the environment variable {name}, {how}")


def variables_required(compared: Compared) -> Iterator[Effect]:
    """Environment variables that had a default and have none now."""
    old = _variables(compared.old)
    for name, (steps, required) in _variables(compared.new).items():
        if required and name in old and not old[name][1]:
            yield Effect(steps, f"the environment variable {name} has no default any more")


def hosts_added(compared: Compared) -> Iterator[Effect]:
    """Places in the network that nothing talked to before."""

    def of(body: PlanBody) -> dict[str, Steps]:
        return {address.host: steps for steps, address in _addresses(body)}

    for host, steps in _new(compared, of).items():
        yield Effect(steps, f"{named(steps)} talks to {host}")


def encryption_dropped(compared: Compared) -> Iterator[Effect]:
    """Addresses that were https and are http."""
    old = dict(_addresses(compared.old))
    for steps, address in _addresses(compared.new):
        if address.scheme == "http" and steps in old and old[steps].scheme == "https":
            yield Effect(steps, f"{named(steps)} talks to {address.host} without encryption")


def code_added(compared: Compared) -> Iterator[Effect]:
    """Code that did not run before, other than adk-decl's own."""

    def of(body: PlanBody) -> dict[tuple[str, str], tuple[Steps, PluginDescriptor | ToolPlan]]:
        owners = _owners(body).items()
        return {_code_key(o.code): (at, o) for at, o in owners if origin_of(o.domain) != BUILTIN}

    for steps, owner in _new(compared, of).values():
        file = f" ({owner.code.file})" if owner.code.file else ""
        yield Effect(steps, f"{named(steps)} runs {_code_name(owner.code)}{file}, {_where(owner)}")


def tools_added(compared: Compared) -> Iterator[Effect]:
    """Tools that the model of an agent, or of the agent of a runner, could not call before."""

    def of(body: PlanBody) -> dict[tuple[str, str], ToolPlan]:
        return {(name, tool): body.tools[tool] for name, agent in body.agents.items() for tool in agent.tools}

    for (agent, _), tool in _new(compared, of).items():
        yield Effect(("agents", agent, "tools"), f"the model of agent `{agent}` may call {_tool(tool)}")
    for name, runner in compared.new.runners.items():
        before = compared.old.runners.get(name)
        if before is None or before.agent == runner.agent or runner.agent not in compared.old.agents:
            continue
        for each in compared.new.agents[runner.agent].tools:
            if each not in compared.old.agents[before.agent].tools:
                tool = compared.new.tools[each]
                yield Effect(("runners", name, "agent"), f"the model of runner `{name}` may call {_tool(tool)}")


def domains_merged(compared: Compared) -> Iterator[Effect]:
    """Code that shares a process with code that it was kept apart from."""
    yield from _domains(compared.old, compared.new, "{what} shares its processes with {others} now")


def domains_split(compared: Compared) -> Iterator[Effect]:
    """Code that no longer shares a process with code that it shared one with."""
    yield from _domains(compared.new, compared.old, "{what} no longer shares its processes with {others}")


def _domains(apart: PlanBody, together: PlanBody, text: str) -> Iterator[Effect]:
    """Components that one plan keeps apart and the other does not; told for those whose domain differs."""
    before, after = _owners(apart), _owners(together)
    for steps, owner in after.items():
        if steps not in before or before[steps].domain == owner.domain:
            continue
        others = [
            named(other)
            for other, each in after.items()
            if other != steps
            and each.domain == owner.domain
            and other in before
            and before[other].domain != before[steps].domain
        ]
        if others:
            yield Effect((*steps, "domain"), text.format(what=named(steps), others=several(others)))


def _new(compared: Compared, of: Callable[[PlanBody], Mapping[Key, Any]]) -> dict[Key, Any]:
    """What the new plan has and the old one lacks, in the order of the new one."""
    old = of(compared.old)
    return {key: value for key, value in of(compared.new).items() if key not in old}


def _variables(body: PlanBody) -> dict[str, tuple[Steps, bool]]:
    """By name where each variable is read first, and whether it is without a default anywhere."""
    found: dict[str, tuple[Steps, bool]] = {}
    for steps, value in _leaves(body):
        for part in value.parts if isinstance(value, EnvText) else ():
            if isinstance(part, EnvRef):
                first, required = found.get(part.name, (steps, False))
                found[part.name] = (first, required or part.default is None)
    return found


def _addresses(body: PlanBody) -> Iterator[tuple[Steps, _Address]]:
    for name, model in body.models.items():
        address = _address(model.base_url)
        if address is not None:
            yield ("models", name, "base_url"), address


def _address(url: str | EnvText | None) -> _Address | None:
    if url is None:
        return None
    text = url if isinstance(url, str) else "".join(p if isinstance(p, str) else p.default or "" for p in url.parts)
    scheme, mark, rest = text.partition("://")
    host = rest.partition("/")[0].partition("?")[0].rpartition("@")[2].lower()
    if mark and host:
        return _Address(scheme.lower(), host)
    names = [p.name for p in url.parts if isinstance(p, EnvRef)] if isinstance(url, EnvText) else []
    return _Address("", f"the host that the environment names in {', '.join(names)}") if names else None


def _owners(body: PlanBody) -> dict[Steps, PluginDescriptor | ToolPlan]:
    """Everything that runs code of its own, by its path."""
    found: dict[Steps, PluginDescriptor | ToolPlan] = {("tools", name): tool for name, tool in body.tools.items()}
    for name, agent in body.agents.items():
        found |= {("agents", name, "plugins", plugin.id): plugin for plugin in agent.plugins}
        found |= {("agents", name, "callbacks", phase): each for phase, each in agent.callbacks.items()}
    for name, runner in body.runners.items():
        found |= {("runners", name, "plugins", plugin.id): plugin for plugin in runner.plugins}
    return found


def _code_key(code: CodeRef) -> tuple[str, str]:
    return (code.file or code.module, code.attribute)


def _code_name(code: CodeRef) -> str:
    return f"{code.module}:{code.attribute}"


def _where(owner: PluginDescriptor | ToolPlan) -> str:
    return "in this process" if owner.isolation == "inline" else f"in a worker of {origin_of(owner.domain)}"


def _tool(tool: ToolPlan) -> str:
    return f"tool `{tool.name}`: {_code_name(tool.code)}, {_where(tool)}, {duration(tool.timeout_ms)}"


def _leaves(value: Any, steps: Steps = ()) -> Iterator[tuple[Steps, Any]]:
    """Every reference in a plan, with its path by names."""
    if isinstance(value, EnvText | SecretRef):
        yield steps, value
    elif isinstance(value, Record):
        for name in value._fields:
            yield from _leaves(getattr(value, name), (*steps, name))
    elif isinstance(value, Mapping):
        for name, item in value.items():
            yield from _leaves(item, (*steps, name))
    elif isinstance(value, tuple):
        for index, item in enumerate(value):
            yield from _leaves(item, (*steps, item.id if isinstance(item, PluginDescriptor) else str(index)))
