"""Consequences that one changed value has: each function makes the rule for one kind of change."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from adk_decl.plan.changes import Difference
from adk_decl.plan.compared import Compared, Effect, Find, changed, least_known, named, quantity
from adk_decl.plan.model import EnvText, PlanBody, PluginDescriptor

HOOKED = ("runners.*.plugins.*", "agents.*.plugins.*", "agents.*.callbacks.*")
"""Where plugins and local callbacks stand."""

POLICIES = (*(f"{place}.failure_policy" for place in HOOKED), "runners.*.local_callbacks.failure_policy")
MODES = tuple(f"{place}.mode" for place in HOOKED)
ISOLATIONS = (*(f"{place}.isolation" for place in HOOKED), "tools.*.isolation")
BREAKERS = tuple(f"{place}.breaker" for place in HOOKED)
UNENFORCED = ("runners.*.unenforced",)
DECLARED_HEAPS = (
    *(f"{place}.heap_declared" for place in HOOKED),
    "tools.*.heap_declared",
    "runners.*.local_callbacks.heap_declared",
)
BOUNDS = (
    "runners.*.limits.*",
    *(f"{place}.max_result_bytes" for place in HOOKED),
    "runners.*.local_callbacks.max_result_bytes",
    "models.*.requests_per_minute",
    "models.*.generation.max_output_tokens",
    "agents.*.generation.max_output_tokens",
)
TIMEOUTS = (
    *(f"{place}.timeout_ms" for place in HOOKED),
    "tools.*.timeout_ms",
    "models.*.timeout_ms",
    "runners.*.local_callbacks.timeout_ms",
)
HEAPS = (
    *(f"{place}.max_heap_mib" for place in HOOKED),
    "tools.*.max_heap_mib",
    "runners.*.local_callbacks.max_heap_mib",
)
LOADS = ("models.*.retries.max_attempts", "models.*.max_concurrency", "tools.*.max_concurrency")
ANSWER_SCHEMAS = ("agents.*.output_schema",)
MODELS = ("agents.*.model", "models.*.use", "models.*.model", "models.*.base_url")
AGENTS = ("runners.*.agent",)
STORES = ("runners.*.session_store.use", "runners.*.session_store.path")
IDENTITIES = tuple(f"{place}.{field}" for place in HOOKED for field in ("use", "code"))

_ROOM = tuple(f"{place}.{field}" for place in HOOKED for field in ("timeout_ms", "max_heap_mib", "max_result_bytes"))
_ZERO_IS_NO_LIMIT = "requests_per_minute"


def becomes(patterns: tuple[str, ...], old: Any, new: Any, text: str) -> Find:
    """A value that was `old` (one of them, when it is a tuple) and is `new`. `{what}` names the component."""
    olds = old if isinstance(old, tuple) else (old,)

    def find(compared: Compared) -> Iterator[Effect]:
        for each in changed(compared, patterns):
            if each.old in olds and each.new == new:
                yield Effect(each.steps, text.format(what=named(each.steps)))

    return find


def appears(patterns: tuple[str, ...], text: str) -> Find:
    """A value where there was none."""

    def find(compared: Compared) -> Iterator[Effect]:
        for each in changed(compared, patterns):
            if each.old is None and each.new is not None:
                yield Effect(each.steps, text.format(what=named(each.steps)))

    return find


def vanishes(patterns: tuple[str, ...], text: str) -> Find:
    """No value where there was one."""

    def find(compared: Compared) -> Iterator[Effect]:
        for each in changed(compared, patterns):
            if each.old is not None and each.new is None:
                yield Effect(each.steps, text.format(what=named(each.steps)))

    return find


def differs(patterns: tuple[str, ...], text: str) -> Find:
    """Any change of a value; one effect for each component."""

    def find(compared: Compared) -> Iterator[Effect]:
        seen = set()
        for each in changed(compared, patterns):
            what = named(each.steps)
            if what not in seen:
                seen.add(what)
                yield Effect(each.steps, text.format(what=what))

    return find


def raised(patterns: tuple[str, ...]) -> Find:
    """A number that grew."""
    return _moved(patterns, up=True)


def lowered(patterns: tuple[str, ...]) -> Find:
    """A number that shrank, or a limit where there was none."""
    return _moved(patterns, up=False)


def unbound(patterns: tuple[str, ...]) -> Find:
    """A limit that is gone."""

    def find(compared: Compared) -> Iterator[Effect]:
        for each in changed(compared, patterns):
            if not _no_limit(each, each.old) and _no_limit(each, each.new):
                yield Effect(each.steps, f"{named(each.steps)} has no {each.steps[-1]} any more")

    return find


def from_environment(patterns: tuple[str, ...]) -> Find:
    """A number that was written in the manifest, and that the environment sets now."""

    def find(compared: Compared) -> Iterator[Effect]:
        for each in changed(compared, patterns):
            if isinstance(each.new, EnvText) and not isinstance(each.old, EnvText):
                bounds = f"{quantity(each.steps[-1], _whole(each.new.maximum))}"
                yield Effect(each.steps, f"{_field(each)} now comes from the environment, and may be up to {bounds}")

    return find


def replaced(compared: Compared) -> Iterator[Effect]:
    """An intervening plugin under the same id that is another one now."""
    seen = set()
    for each in changed(compared, IDENTITIES):
        if each.steps[:4] not in seen and _plugin(compared.old, each).mode == "intervene":
            seen.add(each.steps[:4])
            was, now = (_plugin(body, each).use for body in (compared.old, compared.new))
            what = f"is {now} now, and was {was}" if was != now else "comes from another file now"
            yield Effect(each.steps, f"{named(each.steps)} {what}")


def switched_off(compared: Compared) -> Iterator[Effect]:
    """An open intervening plugin that has a breaker now, or one that opens sooner or for longer."""
    for each in changed(compared, (*BREAKERS, *(f"{place}.*" for place in BREAKERS))):
        plugin = _plugin(compared.new, each)
        if plugin.mode != "intervene" or plugin.failure_policy != "open":
            continue
        if each.steps[-1] == "breaker" and each.old is None:
            yield Effect(each.steps, f"{named(each.steps)} is skipped after repeated failures: calls pass unchecked")
        elif each.steps[-1] != "breaker" and (each.new < each.old) is (each.steps[-1] == "failures"):
            values = f"{quantity(each.steps[-1], each.old)} → {quantity(each.steps[-1], each.new)}"
            yield Effect(each.steps, f"{each.steps[-1]} of the breaker of {named(each.steps)}: {values}")


def starved(compared: Compared) -> Iterator[Effect]:
    """An intervening plugin that is open on failure and gets less than before: where it runs out, calls pass."""
    for each in changed(compared, _ROOM):
        plugin = _plugin(compared.new, each)
        if plugin.mode == "intervene" and plugin.failure_policy == "open" and each.new < each.old:
            values = f"{quantity(each.steps[-1], each.old)} → {quantity(each.steps[-1], each.new)}"
            yield Effect(each.steps, f"{_field(each)}: {values}; where that is too little, the call passes")


def _moved(patterns: tuple[str, ...], *, up: bool) -> Find:
    def find(compared: Compared) -> Iterator[Effect]:
        for each in changed(compared, patterns):
            old, new = (_bound(each, value) for value in (each.old, each.new))
            if old is not None and new is not None and (new > old) is up and new != old and new != _INFINITE:
                values = f"{quantity(each.steps[-1], each.old)} → {quantity(each.steps[-1], each.new)}"
                yield Effect(each.steps, f"{_field(each)}: {values}")

    return find


_INFINITE = float("inf")


def _bound(each: Difference, value: Any) -> float | None:
    return _INFINITE if _no_limit(each, value) else least_known(value)


def _no_limit(each: Difference, value: Any) -> bool:
    return value is None or (value == 0 and each.steps[-1] == _ZERO_IS_NO_LIMIT)


def _field(each: Difference) -> str:
    return f"{each.steps[-1]} of {named(each.steps)}"


def _whole(value: float | None) -> int | None:
    return None if value is None else int(value)


def _plugin(body: PlanBody, each: Difference) -> PluginDescriptor:
    """The plugin or callback that a difference is about, in one of the plans."""
    table, owner, kind, name = each.steps[:4]
    parts = getattr(getattr(body, table)[owner], kind)
    found = parts[name] if kind == "callbacks" else next((p for p in parts if p.id == name), None)
    assert isinstance(found, PluginDescriptor)
    return found
