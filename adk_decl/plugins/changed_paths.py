"""Which parts of a value a change would touch: paths without any value, for the trace of a plugin in shadow.

A path is a field, or for the arguments of a tool call a field and one argument: `args.limit`. The name of an argument
is told only when the call has it already, since a name that a plugin makes up may hold anything: those are `args.*`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from adk_decl.plan.limits import LIMITS
from adk_decl.plugins.judge import HALT, RETURN, Change, Current, Rules
from adk_decl.values import ModelRequest, ToolCall
from adk_decl.values.payload import Payload
from adk_decl.wire import decode

_MESSAGES: Final = ModelRequest.fields.index("messages")
_MOST: Final = LIMITS["plugin.changed_paths"].default
_NAME_CHARACTERS: Final = LIMITS["plugin.changed_path_characters"].default


def changed_paths(change: Change, rules: Rules, current: Current) -> list[str]:
    """The paths that a change would touch, at most `plugin.changed_paths`; none for a halt and for another value."""
    if change.kind == HALT or (change.kind == RETURN and rules.returns is not rules.value_type):
        return []
    paths: list[str] = []
    for index in sorted(rules.amendable & change.fields.keys()):
        name = rules.value_type.fields[index]
        before, after = decode(bytes(current.fields[index])), decode(change.fields[index])
        if before == after:
            continue
        is_call = rules.value_type is ToolCall and isinstance(before, dict) and isinstance(after, dict)
        paths += _arguments(name, before, after) if is_call else [name]
    if change.messages is not None and change.messages.to_json() != bytes(current.fields[_MESSAGES]):
        paths.append("messages")
    return paths[:_MOST]


def are_paths(paths: Sequence[str], kind: type[Payload]) -> bool:
    """Whether these can be paths of such a value: they come from a process that may say anything."""
    return len(paths) <= _MOST and all(_is_path(path, kind) for path in paths)


def _arguments(field: str, before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    changed = [key for key in before if key not in after or after[key] != before[key]]
    told = [f"{field}.{key}" for key in changed if _is_name(key)]
    others = len(told) < len(changed) or any(key not in before for key in after)
    return [*told[: _MOST - 1], *([f"{field}.*"] if others else [])]


def _is_path(path: str, kind: type[Payload]) -> bool:
    field, dot, rest = path.partition(".")
    return field in kind.fields and (not dot or rest == "*" or _is_name(rest))


def _is_name(key: str) -> bool:
    plain = key.replace("-", "_")
    return len(key) <= _NAME_CHARACTERS and plain.isascii() and plain.isidentifier()
