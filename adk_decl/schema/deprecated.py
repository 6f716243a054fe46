"""Keys on their way out, and keys that are gone: both findings name what to write now.

A property that goes carries `deprecated: true`, for editors, and `x-deprecated`; a map whose schema lost a property
lists it in `x-removed`. In both, `replacement` is the name of another key of the same map, which a safe fix writes,
or a sentence for what can't be done by renaming.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from typing import TYPE_CHECKING, Any

from adk_decl.diagnostics.codes import CODES
from adk_decl.diagnostics.diagnostic import Diagnostic, Edit, Fix
from adk_decl.diagnostics.wording import quote
from adk_decl.schema.places import describe, node_at

if TYPE_CHECKING:
    from adk_decl.schema.evaluate import Walk
    from adk_decl.schema.load import Schema
    from adk_decl.syntax.document import Node, Path

Notice = Mapping[str, Any]
"""`since`, `removed_in`: versions; `replacement`: a key or a sentence. Of a removed key, only the last two."""


def warning_first(check: Callable[[Node, Path, Walk], None], notice: Notice) -> Callable[[Node, Path, Walk], None]:
    """The check of a deprecated property: as before, after the warning ADK140 about its key."""

    def deprecated(node: Node, path: Path, walk: Walk) -> None:
        if walk.bag is not None:
            owner = node_at(walk, path[:-1])
            key = owner.key_node(str(path[-1]))
            if key is not None:
                walk.bag.add(_deprecated(walk, owner, path, key, notice))
        check(node, path, walk)

    return deprecated


def without_removed(
    walk: Walk, schema: Schema, owner: Node, path: Path, unknown: list[tuple[Node, Node]], missing: list[str]
) -> Generator[Diagnostic, None, tuple[list[tuple[Node, Node]], list[str]]]:
    """The findings ADK141 for those unknown keys that the schema of this map once had.

    Returns the other unknown keys, and the missing keys without those that a removed one stands for.
    """
    gone: Mapping[str, Notice] = schema["x-removed"]
    for key, _ in unknown:
        notice = gone.get(key.text)
        if notice is not None:
            yield _finding(
                "ADK141",
                f"{quote(key.text)} in {describe(walk, path)} was removed in version {notice['removed_in']}",
                (walk, owner, (*path, key.text), key, notice),
                label="no longer a key",
            )
    settled = {gone[key.text]["replacement"] for key, _ in unknown if key.text in gone}
    rest = [entry for entry in unknown if entry[0].text not in gone]
    return rest, [name for name in missing if name not in settled]


def _deprecated(walk: Walk, owner: Node, path: Path, key: Node, notice: Notice) -> Diagnostic:
    return _finding(
        "ADK140",
        f"{quote(key.text)} in {describe(walk, path[:-1])} is deprecated since version {notice['since']}",
        (walk, owner, path, key, notice),
        label=f"will be removed in version {notice['removed_in']}",
    )


def _finding(code: str, message: str, where: tuple[Walk, Node, Path, Node, Notice], *, label: str) -> Diagnostic:
    walk, owner, path, key, notice = where
    replacement = str(notice["replacement"])
    span = key.span(walk.file)
    fix = None
    notes: tuple[str, ...] = ()
    advice = replacement
    if replacement.isidentifier():
        advice = f"write {quote(replacement)} instead"
        if owner.get(replacement) is None:
            edit = Edit(span=span, text=replacement)
            fix = Fix(title=f"rename to {quote(replacement)}", applicability="safe", edits=(edit,))
        else:
            notes = (f"{quote(replacement)} stands here too: delete {quote(key.text)}",)
    return Diagnostic(
        code=code,
        severity=CODES[code].severity,
        message=message,
        span=span,
        label=label,
        path=path,
        notes=notes,
        help=advice,
        fix=fix,
        mask_values=walk.masked,
    )
