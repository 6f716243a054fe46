"""What two plans differ in, value by value. It knows no field by name, so that a new one is compared at once.

Plugins in a list are matched by id and not by place; what only stands elsewhere in its list has moved.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple

from adk_decl.plan.canonical import canonical_json
from adk_decl.plan.model import CodeRef, PlanBody, PluginDescriptor
from adk_decl.plan.record import Record

ChangeKind = Literal["added", "removed", "changed", "moved"]
Steps = tuple[str, ...]


class Difference(NamedTuple):
    """One difference.

    `steps` lead to the value by names: plugins by id. `old` and `new` are the values, None where there is none; for
    `moved` they are the ids in their old and their new order. `old_pointer` and `new_pointer` are the keys of the
    value in the `origins` of either plan.
    """

    kind: ChangeKind
    steps: Steps
    old: Any
    new: Any
    old_pointer: str
    new_pointer: str


class _Place(NamedTuple):
    """Where two values stand: by names, and in each plan."""

    steps: Steps
    old: str
    new: str

    def below(self, name: str, old: str | None = None, new: str | None = None) -> _Place:
        return _Place(
            (*self.steps, name),
            f"{self.old}/{_escape(name if old is None else old)}",
            f"{self.new}/{_escape(name if new is None else new)}",
        )


def differences(old: PlanBody, new: PlanBody) -> tuple[Difference, ...]:
    """Every difference of two plans, in the order of the plan's fields and of names.

    There is none exactly when both have the same canonical JSON.
    """
    return tuple(_records(old, new, _Place((), "", "")))


def component_of(steps: Steps) -> Steps:
    """The part of a path that names a component: `models.fast`, `runners.desk.plugins.guard`; none for the plan."""
    if len(steps) >= 4 and steps[2] in ("plugins", "callbacks"):
        return steps[:4]
    return steps[:2] if len(steps) >= 2 else ()


def _compare(old: Any, new: Any, place: _Place) -> Iterator[Difference]:
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        yield from _maps(old, new, place)
    elif type(old) is type(new) and _has_parts(old):
        yield from _records(old, new, place)
    elif isinstance(old, tuple) and isinstance(new, tuple) and _has_plugins((*old, *new)):
        yield from _plugins(old, new, place)
    elif not _same(old, new):
        yield Difference("changed", place.steps, old, new, place.old, place.new)


def _has_parts(value: Any) -> bool:
    """Whether a record is compared field by field; a reference counts as one value."""
    return isinstance(value, Record) and not isinstance(value, CodeRef) and not hasattr(value, "canonical_json")


def _has_plugins(items: tuple[Any, ...]) -> bool:
    return bool(items) and all(isinstance(item, PluginDescriptor) for item in items)


def _same(old: Any, new: Any) -> bool:
    """Equal in canonical JSON: `1` and `1.0` are, `1` and `true` are not, though Python says so."""
    return old is new or canonical_json(old) == canonical_json(new)


def _records(old: Record, new: Record, place: _Place) -> Iterator[Difference]:
    for name in old._fields:
        yield from _compare(getattr(old, name), getattr(new, name), place.below(name))


def _maps(old: Mapping[str, Any], new: Mapping[str, Any], place: _Place) -> Iterator[Difference]:
    for name in sorted({*old, *new}):
        where = place.below(name)
        if name not in new:
            yield Difference("removed", where.steps, old[name], None, where.old, where.new)
        elif name not in old:
            yield Difference("added", where.steps, None, new[name], where.old, where.new)
        else:
            yield from _compare(old[name], new[name], where)


def _plugins(
    old: tuple[PluginDescriptor, ...], new: tuple[PluginDescriptor, ...], place: _Place
) -> Iterator[Difference]:
    """Plugins by id; one that only got another id is the same plugin, renamed."""
    before = {plugin.id: index for index, plugin in enumerate(old)}
    after = {plugin.id: index for index, plugin in enumerate(new)}
    renamed = _renamed(old, new, before, after)
    for name, index in before.items():
        partner = renamed.get(name, name)
        where = place.below(name, str(index), str(after.get(partner, index)))
        if partner in after:
            yield from _compare(old[index], new[after[partner]], where)
        else:
            yield Difference("removed", where.steps, old[index], None, where.old, where.new)
    for name, index in after.items():
        if name not in before and name not in renamed.values():
            where = place.below(name, str(index), str(index))
            yield Difference("added", where.steps, None, new[index], where.old, where.new)
    order = [renamed.get(name, name) for name in before if renamed.get(name, name) in after]
    now = [name for name in after if name in set(order)]
    if order != now:
        yield Difference("moved", place.steps, tuple(order), tuple(now), place.old, place.new)


def _renamed(
    old: tuple[PluginDescriptor, ...],
    new: tuple[PluginDescriptor, ...],
    before: Mapping[str, int],
    after: Mapping[str, int],
) -> dict[str, str]:
    free: dict[bytes, list[str]] = {}
    for plugin in new:
        if plugin.id not in before:
            free.setdefault(_without_id(plugin), []).append(plugin.id)
    found: dict[str, str] = {}
    for plugin in old if free else ():
        twins = free.get(_without_id(plugin)) if plugin.id not in after else None
        if twins:
            found[plugin.id] = twins.pop(0)
    return found


def _without_id(plugin: PluginDescriptor) -> bytes:
    return canonical_json(plugin.replace(id=""))


def _escape(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")
