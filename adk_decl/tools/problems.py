"""What a model is told when the arguments of its tool call do not fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from adk_decl.json_schema import Problem
from adk_decl.plan.limits import LIMITS
from adk_decl.plan.model import ToolPlan
from adk_decl.values.content import ToolError


def arguments_error(problems: Sequence[Problem], tool: ToolPlan) -> ToolError:
    """`invalid_arguments`, with place, keyword and what was expected of the first problems, and how many more.

    No value is told. A name in a place is told only when the tool's schema names it; other names, which the model
    chose, are shown as `*`.
    """
    bound = LIMITS["tool.argument_problems"].default
    known = names_of(tool.parameters)
    shown = [
        {"path": shown_place(p.path, known), "keyword": p.keyword, "expected": p.message} for p in problems[:bound]
    ]
    details: dict[str, Any] = {"problems": shown}
    if len(problems) > bound:
        details["more"] = len(problems) - bound
    return ToolError(reason="invalid_arguments", details=details)


def shown_place(path: Sequence[str | int], known: frozenset[str]) -> str:
    """A path as a JSON pointer in which names that are not known, since a model made them up, are `*`."""
    return "".join(f"/{part if isinstance(part, int) or part in known else '*'}" for part in path)


def names_of(schema: Any) -> frozenset[str]:
    """Every name that stands under `properties`, at any depth."""
    found: set[str] = set()
    stack = [schema]
    while stack:
        node = stack.pop()
        if isinstance(node, Mapping):
            properties = node.get("properties")
            if isinstance(properties, Mapping):
                found.update(properties)
            stack.extend(node.values())
        elif isinstance(node, list | tuple):
            stack.extend(node)
    return frozenset(found)
