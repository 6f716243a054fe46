"""Where each value of a plan was stated: a place in a file, or a layer of defaults."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from adk_decl.compiler.tree import Tree, is_secret_reference
from adk_decl.plan.frozen_json import freeze
from adk_decl.plan.leaves import children, pointer
from adk_decl.plan.model import Origin, PlanBody, Replaced
from adk_decl.plan.record import FrozenMap, LazyMap
from adk_decl.syntax.document import Node

Steps = tuple[str, ...]
Stated = Mapping[Steps, Node | str]
"""Values that do not stand at their own path: the node that states them, or the layer whose default they are."""


def trace_origins(tree: Tree, body: PlanBody, stated: Stated) -> FrozenMap[Origin]:
    """An origin for each leaf, under its JSON pointer, such as `/runners/desk/limits/run_timeout_ms`.

    They are traced when somebody first asks for one: that takes longer than all checks together.
    """

    def trace() -> dict[str, Origin]:
        tracer = _Tracer(tree, stated)
        for name in body._fields:
            tracer.walk(getattr(body, name), (name,), tree.root.get(name) or "default")
        return tracer.found

    return LazyMap(trace)


class _Tracer:
    def __init__(self, tree: Tree, stated: Stated) -> None:
        self.tree = tree
        self.stated = stated
        self.found: dict[str, Origin] = {}
        self.layers: dict[str, Origin] = {}

    def walk(self, value: Any, steps: Steps, place: Node | str) -> None:
        """Follow the plan and the manifest side by side; what the manifest lacks keeps the layer of its parent."""
        place = self.stated.get(steps, place)
        parts = children(value)
        if not parts:
            self.found[pointer(steps)] = self._origin(place)
            return
        for key, child in parts:
            self.walk(child, (*steps, key), _below(place, key))

    def _origin(self, place: Node | str, *, secret: bool = False) -> Origin:
        if isinstance(place, str):
            if place not in self.layers:
                self.layers[place] = Origin(file=None, line=0, column=0, layer=place)
            return self.layers[place]
        file = place.file or self.tree.document.file
        return Origin(
            file=file,
            line=place.line,
            column=place.column,
            layer=file.rpartition("/")[2],
            replaced=self._replaced(place, secret=secret),
        )

    def _replaced(self, place: Node, *, secret: bool) -> Replaced | None:
        """What a lower layer states in the place of a node. Not its value where a secret belongs."""
        lower = self.tree.document.replaced.get(id(place))
        if lower is None:
            return None
        secret = secret or bool(self.tree.schema(place).get("x-secret"))
        hidden = secret and not is_secret_reference(lower)
        value = None if hidden else freeze(lower.to_plain())
        return Replaced(value=value, hidden=hidden, origin=self._origin(lower, secret=secret))


def _below(place: Node | str, key: str) -> Node | str:
    if isinstance(place, str) or place.kind == "scalar":
        return place
    if place.kind == "map":
        return place.get(key) or "default"
    index = int(key) if key.isdecimal() else len(place.items)
    return place.items[index] if index < len(place.items) else "default"
