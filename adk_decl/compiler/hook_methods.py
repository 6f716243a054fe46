"""Which methods of a plugin class are hooks, which look like one and are none, and what parameters they take."""

from __future__ import annotations

import ast
from typing import TypeAlias

from adk_decl.plan.phases import PHASES, RUST_HOOK_NAMES
from adk_decl.source_code import CodeBase, Function, Module

_PREFIXES = ("before_", "after_", "on_")
_ALLOWED = ("on_close",)
_ENDING_OUTCOMES = tuple(
    f"adk_decl.plugins{module}.{name}"
    for module in ("", ".outcomes")
    for name in ("ret", "replace", "halt", "Return", "Halt")
)

Place: TypeAlias = tuple[int, int, int, int]
Problem: TypeAlias = tuple[str, str, Module, Place, str, str | None]
"""Code, message, module, place, label and help of a finding in project code."""


def check_hook(module: Module, node: Function) -> Problem | None:
    """ADK211 when a hook can't be called as `hook(ctx, value)` on an instance."""
    if not node.decorator_list and accepts(node, 3):
        return None
    reason = "has a decorator that may change its parameters" if node.decorator_list else "has the wrong parameters"
    form = f"{'async ' if isinstance(node, ast.AsyncFunctionDef) else ''}def {node.name}(self, ctx, value)"
    place = module.name_place(node)
    return "ADK211", f"hook `{node.name}` {reason}", module, place, "takes `(self, ctx, value)`", f"write `{form}`"


def refused_name(module: Module, node: Function) -> Problem | None:
    """ADK210 for a method that is named like a hook and is none."""
    name = node.name
    if name.startswith("_") or name in _ALLOWED:
        return None
    meant = RUST_HOOK_NAMES.get(name) or next((hook for hook in PHASES if within_one_edit(name, hook)), None)
    if meant is None and not name.startswith(_PREFIXES):
        return None
    if meant is None:
        from adk_decl.diagnostics.suggest import nearest

        meant = nearest(name, tuple(PHASES))
    help_text = f"did you mean `{meant}`?" if meant else "begin the name of a helper with `_` or another word"
    return "ADK210", f"`{name}` is not a hook", module, module.name_place(node), "would never be called", help_text


def accepts(node: Function, count: int) -> bool:
    """Whether a function can be called with exactly `count` positional arguments."""
    arguments = node.args
    positional = len(arguments.posonlyargs) + len(arguments.args)
    if any(default is None for default in arguments.kw_defaults):
        return False
    least = positional - len(arguments.defaults)
    return least <= count and (positional >= count or arguments.vararg is not None)


def within_one_edit(left: str, right: str) -> bool:
    """Whether one insertion, deletion, replacement or swap of neighbours makes `left` into `right`."""
    if abs(len(left) - len(right)) > 1:
        return False
    start = 0
    while start < min(len(left), len(right)) and left[start] == right[start]:
        start += 1
    a, b = left[start:], right[start:]
    if len(a) == len(b):
        return a[1:] == b[1:] or (a[:2] == b[:2][::-1] and a[2:] == b[2:])
    return a[1:] == b if len(a) > len(b) else b[1:] == a


def returns_at_once(code: CodeBase, module: Module, node: Function) -> bool:
    """Whether the body is nothing but `return ret(...)` or `return halt(...)`, after a docstring."""
    body = node.body
    if body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
        body = body[1:]
    if len(body) != 1 or not isinstance(body[0], ast.Return) or not isinstance(body[0].value, ast.Call):
        return False
    return code.qualified(module, body[0].value.func) in _ENDING_OUTCOMES
