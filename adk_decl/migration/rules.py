"""Rules: where in a document something is spelt differently, and what becomes of it. A table of them is data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from adk_decl.diagnostics.wording import quote
from adk_decl.migration.operations import Operation, Path
from adk_decl.plan.record import EMPTY_MAP, FrozenMap, Record
from adk_decl.syntax.document import Document, Node


class Rule(Record):
    """What is done with each place that fits `pattern`: a dotted path in which `*` stands for any name or index.

    Exactly one of these is given:
    - `rename`: the new name of the key.
    - `values`: new values by old ones; `scale` multiplies a number, after its key was renamed, such as seconds to ms.
    - `insert_before`: the name of a key to put before this one; its value is this one's, through `values`.
    - `key_by`: the list becomes a map by the text under this key of each item.
    - `by_hand`: a sentence that says what a person has to do.

    `unless` names a key of the same map: where that stands already, the rule says nothing. With `component`, it holds
    only for a key in the `config` of a descriptor that uses this component.
    """

    pattern: str
    rename: str | None = None
    values: FrozenMap[Any] = EMPTY_MAP
    scale: int | None = None
    insert_before: str | None = None
    key_by: str | None = None
    by_hand: str | None = None
    unless: str | None = None
    component: str | None = None


class Match(NamedTuple):
    """A place that fits a pattern: its path, the key where there is one, the value, and the map or list around it."""

    path: Path
    key: Node | None
    node: Node
    owner: Node


def operations(rule: Rule, document: Document) -> list[Operation]:
    """What a rule does to a document, place by place."""
    made = (_operation(rule, match, document) for match in places(rule, document.root))
    return [operation for operation in made if operation is not None]


def places(rule: Rule, root: Node) -> Iterator[Match]:
    """Every place that a rule is about, in the order of the document."""
    for match in _matches(tuple(rule.pattern.split(".")), root, ()):
        if rule.unless is not None and match.owner.kind == "map" and match.owner.get(rule.unless) is not None:
            continue
        if rule.component is None or _component(root, match.path[:-2]) == rule.component:
            yield match


def describe(operation: Operation) -> str:
    """An operation in words. Only names from the table and of keys are shown, no value of the file."""
    step = operation.path[-1]
    last = quote(step) if isinstance(step, str) else f"item {step + 1} of {quote(str(operation.path[-2]))}"
    if operation.kind == "rename":
        return f"{last} is now {quote(operation.name)}"
    if operation.kind == "insert":
        return f"{quote(operation.name)} stands before {last}"
    if operation.kind == "key_by":
        return f"{last} is a map by {quote(operation.name)}"
    return f"{last} now says {quote(str(operation.value))}"


def _component(root: Node, path: Path) -> object:
    """What the descriptor at a path uses."""
    node: Node | None = root
    for step in path:
        if node is not None:
            node = node.items[step] if isinstance(step, int) else node.get(step)
    use = node.get("use") if node is not None and node.kind == "map" else None
    return None if use is None else use.value


def _matches(steps: tuple[str, ...], node: Node, path: Path) -> Iterator[Match]:
    step, rest = steps[0], steps[1:]
    entries: list[tuple[str | int, Node | None, Node]] = [
        (key.text, key, value) for key, value in node.entries if step in ("*", key.text)
    ]
    if step == "*":
        entries += [(index, None, item) for index, item in enumerate(node.items)]
    for name, key, value in entries:
        if rest:
            yield from _matches(rest, value, (*path, name))
        else:
            yield Match((*path, name), key, value, node)


def _operation(rule: Rule, match: Match, document: Document) -> Operation | None:
    path, node = match.path, match.node
    span = (match.key or node).span(document.file)
    if rule.rename is not None:
        return Operation(kind="rename", path=path, span=span, name=rule.rename)
    if rule.key_by is not None:
        fits = node.kind == "list" and len(node.items) > 0
        return Operation(kind="key_by", path=path, span=span, name=rule.key_by) if fits else None
    if rule.insert_before is not None:
        value = _mapped(rule.values, node.value) if node.kind == "scalar" else None
        if not isinstance(value, str):
            return None
        return Operation(kind="insert", path=path, span=span, name=rule.insert_before, value=value)
    value = _new_value(rule, node)
    return None if value is None else Operation(kind="set", path=path, span=span, value=value)


def _mapped(values: Mapping[Any, Any], old: Any) -> Any:
    return values.get(old, old)


def _new_value(rule: Rule, node: Node) -> Any:
    if node.kind != "scalar":
        return None
    if rule.scale is not None:
        number = isinstance(node.value, int | float) and not isinstance(node.value, bool)
        scaled = node.value * rule.scale if number else None  # type: ignore[operator]
        return int(scaled) if scaled is not None and scaled == int(scaled) else None
    return rule.values.get(node.value) if isinstance(node.value, str) else None
