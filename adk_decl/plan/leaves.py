"""The leaves of a plan: every value with the place where it stands, as the origins name it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from adk_decl.plan.model import EnvText, PlanBody, SecretRef
from adk_decl.plan.record import Record

Steps = tuple[str, ...]


def children(value: Any) -> list[tuple[str, Any]]:
    """The parts of a value; none for a scalar, an empty container, and a reference, which counts as one value."""
    if isinstance(value, Mapping):
        return list(value.items())
    if isinstance(value, tuple):
        return [(str(index), item) for index, item in enumerate(value)]
    if isinstance(value, Record) and not hasattr(value, "canonical_json"):
        return [(name, getattr(value, name)) for name in value._fields]
    return []


def leaves(body: PlanBody) -> Iterator[tuple[Steps, Any]]:
    """Each leaf with the steps that lead to it, in the order of the plan."""
    waiting: list[tuple[Steps, Any]] = [((name,), getattr(body, name)) for name in reversed(body._fields)]
    while waiting:
        steps, value = waiting.pop()
        parts = children(value)
        if parts:
            waiting += [((*steps, key), part) for key, part in reversed(parts)]
        else:
            yield steps, value


def pointer(steps: Steps) -> str:
    """Steps as a JSON pointer, the key of `Plan.origins`."""
    return "".join("/" + step.replace("~", "~0").replace("/", "~1") for step in steps)


def field_path(body: PlanBody, steps: Steps) -> str:
    """Steps as people write them, with dots; a plugin in a list by its id: `runners.desk.plugins.log.timeout_ms`."""
    words: list[str] = []
    value: Any = body
    for step in steps:
        value = dict(children(value))[step] if value is not body else getattr(body, step)
        identity = getattr(value, "id", None) if step.isdecimal() else None
        words.append(_word(identity if isinstance(identity, str) else step))
    return ".".join(words)


def written(value: Any) -> Any:
    """A leaf as a manifest states it: a reference as `${env:NAME:-default}`, a secret as `{secret: ...}`."""
    if isinstance(value, SecretRef):
        return {"secret": {value.source: value.name}}
    if isinstance(value, EnvText):
        parts = (p.replace("$", "$$") if isinstance(p, str) else _reference(p.name, p.default) for p in value.parts)
        return "".join(parts)
    if isinstance(value, str):
        # `$` alone is text; where two readings are possible, each one is written twice.
        return value.replace("$", "$$") if "${" in value or "$$" in value else value
    return [] if isinstance(value, tuple) else {} if isinstance(value, Mapping) else value


def _reference(name: str, default: str | None) -> str:
    return f"${{env:{name}}}" if default is None else f"${{env:{name}:-{default}}}"


def _word(step: str) -> str:
    return step if step.replace("_", "a").replace("-", "a").isalnum() else f'"{step}"'
