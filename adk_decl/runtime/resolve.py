"""Fills in references to the environment when a runner is built. Pure: the environment is an argument."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from adk_decl import scalars
from adk_decl.plan.canonical import canonical_json, digest
from adk_decl.plan.model import EnvRef, EnvText, Origin
from adk_decl.plan.record import FrozenMap, Record

R = TypeVar("R")


def resolve(
    value: R, environment: Mapping[str, str], *, origins: Mapping[str, Origin], pointer: str
) -> tuple[R, tuple[str, ...]]:
    """The same value with each `EnvText` in it, at any depth, replaced by what it says in `environment`.

    `pointer` is the JSON pointer of `value` in the manifest and `origins` the places of its leaves. Every missing
    or ill-typed variable is one complete sentence with its place, and never the value; what has a problem stays
    as it was. A default stands in for a variable that is unset or empty. Secrets stay references.
    """
    walk = _Walk(environment, origins)
    result = walk.visit(value, pointer)
    return result, tuple(dict.fromkeys(walk.problems))


def resolved_digest(plan_digest: str, resolved: Any) -> str:
    """A digest of the plan and of the non-secret values that were filled into `resolved` (JSON value or record)."""
    return digest(canonical_json([plan_digest, resolved]))


class _Walk:
    """One pass over a value, and the problems it met."""

    def __init__(self, environment: Mapping[str, str], origins: Mapping[str, Origin]) -> None:
        self.environment = environment
        self.origins = origins
        self.problems: list[str] = []

    def visit(self, value: Any, pointer: str) -> Any:
        if isinstance(value, EnvText):
            return self._fill(value, pointer)
        if isinstance(value, Record):
            return self._record(value, pointer)
        if isinstance(value, FrozenMap):
            items = {k: self.visit(item, f"{pointer}/{_escape(k)}") for k, item in value.items()}
            return value if all(items[k] is value[k] for k in items) else FrozenMap(items)
        if isinstance(value, tuple):
            entries = tuple(self.visit(item, f"{pointer}/{i}") for i, item in enumerate(value))
            return value if all(a is b for a, b in zip(entries, value, strict=True)) else entries
        return value

    def _record(self, record: Record, pointer: str) -> Record:
        changes = {}
        for name in record._fields:
            before = getattr(record, name)
            after = self.visit(before, f"{pointer}/{name}")
            if after is not before:
                changes[name] = after
        return record.replace(**changes) if changes else record

    def _fill(self, text: EnvText, pointer: str) -> Any:
        names = ", ".join(f"${{env:{part.name}}}" for part in text.parts if isinstance(part, EnvRef))
        pieces = [self._piece(part, pointer) for part in text.parts]
        if any(piece is None for piece in pieces):
            return text
        joined = "".join(piece for piece in pieces if piece is not None)
        try:
            return scalars.convert(joined, text.type, minimum=text.minimum, maximum=text.maximum, choices=text.choices)
        except ValueError as error:
            self._report(pointer, f"{names} has a value that does not fit `{_shown(pointer)}`: {error}")
            return text

    def _piece(self, part: str | EnvRef, pointer: str) -> str | None:
        if isinstance(part, str):
            return part
        value = self.environment.get(part.name)
        if part.default is not None and not value:
            return part.default
        if value is None:
            self._report(
                pointer,
                f"the environment variable {part.name} is not set, and `{_shown(pointer)}` needs it: set it, or give"
                f" the reference a default as in ${{env:{part.name}:-default}}",
            )
            return None
        if not _is_unicode(value):
            self._report(pointer, f"the environment variable {part.name} is not valid UTF-8")
            return None
        return value

    def _report(self, pointer: str, sentence: str) -> None:
        origin = _nearest_origin(self.origins, pointer)
        place = f"{origin.file}:{origin.line}:{origin.column}: " if origin is not None and origin.file else ""
        self.problems.append(place + sentence)


def _nearest_origin(origins: Mapping[str, Origin], pointer: str) -> Origin | None:
    """The place of a value, or of what it stands in."""
    while pointer:
        if pointer in origins:
            return origins[pointer]
        pointer = pointer.rpartition("/")[0]
    return origins.get("")


def _escape(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")


def _shown(pointer: str) -> str:
    return ".".join(part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:])


def _is_unicode(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
