"""How `adk-decl config` writes a plan: as a tree, or as one line a value with its origin."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from typing import Any

from adk_decl.cli.yaml_text import render, scalar
from adk_decl.diagnostics.wording import printable
from adk_decl.plan.canonical import to_plain
from adk_decl.plan.leaves import Steps, children, field_path, leaves, pointer, written
from adk_decl.plan.model import Origin, Plan, PlanBody, Replaced

FORMAT_VERSION = 1
_LONGEST_VALUE = 60
_LONGEST_COLUMN = 60
_NOT_SHOWN = ("plan_format",)
_LAYERS: Mapping[str, str] = {
    "default": "default",
    "component": "default of the component",
    "code": "from the code",
}


def tree_yaml(plan: Plan) -> str:
    """The plan as YAML, with its digest and layers in comments."""
    layers = [f"# layer: {printable_text(_shown(path))}" for path in plan.layers]
    return "\n".join([f"# digest: {plan.digest}", *layers, render(_tree(plan.body))])


def tree_json(plan: Plan) -> str:
    """The plan as one JSON document."""
    document = {
        "format_version": FORMAT_VERSION,
        "digest": plan.digest,
        "layers": [_shown(path) for path in plan.layers],
        "config": _tree(plan.body),
    }
    return json.dumps(document, indent=2, ensure_ascii=False)


def origins_text(plan: Plan) -> str:
    """One line a value: field path, value, where it is stated, and what lower layers state there.

    What is not stated and has no default is left out.
    """
    rows = [
        (field_path(plan.body, steps), value_text(written(value)), _origin_text(plan.origins[pointer(steps)]))
        for steps, value in _shown_leaves(plan)
        if value is not None or plan.origins[pointer(steps)].file is not None
    ]
    first, second = (max((min(len(row[at]), _LONGEST_COLUMN) for row in rows), default=0) for at in (0, 1))
    return "\n".join(f"{path:<{first}}  {value:<{second}}  {origin}" for path, value, origin in rows)


def origins_json(plan: Plan) -> str:
    """The same as one JSON document, each value with its JSON pointer."""
    values = []
    for steps, value in _shown_leaves(plan):
        place = pointer(steps)
        row = {"pointer": place, "path": field_path(plan.body, steps), "value": to_plain(written(value))}
        values.append({**row, **_origin_json(plan.origins[place])})
    document = {"format_version": FORMAT_VERSION, "digest": plan.digest, "values": values}
    return json.dumps(document, indent=2, ensure_ascii=False)


def value_text(value: Any) -> str:
    """A value on one line, cut to 60 characters."""
    text = scalar(value) if not isinstance(value, Mapping | list) else json.dumps(value, ensure_ascii=False)
    return cut(printable_text(text))


def cut(text: str) -> str:
    """At most 60 characters of a text."""
    return text if len(text) <= _LONGEST_VALUE else text[: _LONGEST_VALUE - 1] + "…"


def printable_text(text: str) -> str:
    """A text without characters that would reach a terminal as anything but themselves."""
    return "".join(map(printable, text))


def place_text(origin: Origin) -> str:
    """`file:line:column`, or the words for a default."""
    if origin.file is None:
        return _LAYERS.get(origin.layer, origin.layer)
    return f"{printable_text(origin.file)}:{origin.line}:{origin.column}"


def _origin_text(origin: Origin) -> str:
    before = [f"was {_replaced_text(each)} at {place_text(each.origin)}" for each in _below(origin)]
    return place_text(origin) + (f"  ({', '.join(before)})" if before else "")


def _replaced_text(replaced: Replaced) -> str:
    return "something hidden" if replaced.hidden else value_text(to_plain(replaced.value))


def _below(origin: Origin) -> Iterator[Replaced]:
    """What a value replaced, from the nearest layer down."""
    replaced = origin.replaced
    while replaced is not None:
        yield replaced
        replaced = replaced.origin.replaced


def _origin_json(origin: Origin) -> dict[str, Any]:
    row: dict[str, Any] = _place_json(origin)
    below = [
        {**({} if each.hidden else {"value": to_plain(each.value)}), "hidden": each.hidden, **_place_json(each.origin)}
        for each in _below(origin)
    ]
    return {**row, "replaced": below}


def _place_json(origin: Origin) -> dict[str, Any]:
    if origin.file is None:
        return {"layer": origin.layer, "file": None, "line": None, "column": None}
    return {"layer": origin.layer, "file": origin.file, "line": origin.line, "column": origin.column}


def _shown_leaves(plan: Plan) -> Iterator[tuple[Steps, Any]]:
    return ((steps, value) for steps, value in leaves(plan.body) if steps[0] not in _NOT_SHOWN)


def _tree(value: Any) -> Any:
    parts = children(value)
    if not parts:
        return to_plain(written(value))
    if isinstance(value, tuple):
        return [_tree(part) for _, part in parts]
    return {key: _tree(part) for key, part in parts if not (isinstance(value, PlanBody) and key in _NOT_SHOWN)}


def _shown(path: str) -> str:
    """A path from the current folder when it lies below it."""
    below = os.path.join(os.getcwd(), "")
    return path.removeprefix(below).replace(os.sep, "/")
