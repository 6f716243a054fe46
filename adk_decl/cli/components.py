"""`adk-decl components`: the catalogue, and what this version does not have yet."""

from __future__ import annotations

from typing import Any

import click

from adk_decl.cli.output import emit
from adk_decl.components.catalogue import all_components, problems
from adk_decl.components.descriptor import ComponentDescriptor
from adk_decl.plan.features import UNAVAILABLE, Unavailable


@click.command("components")
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
def command(*, as_json: bool) -> int:
    """Show every component that a manifest can use, by kind, and what this version does not have yet."""
    components = sorted(all_components(), key=lambda found: (found.kind, found.name))
    emit(_as_json(components) if as_json else _as_text(components))
    return 0


def _as_text(components: list[ComponentDescriptor]) -> str:
    width = max((len(found.name) for found in components), default=0)
    lines: list[str] = []
    for kind in sorted({found.kind for found in components}):
        lines += ["", kind.replace("_", " ")]
        for found in components:
            if found.kind == kind:
                lines.append(f"  {found.name:<{width}}  {found.stage:<6}  {found.summary}{_source(found)}")
    lines += ["", "not available in this version"]
    rows = [(unavailable_name(row), row.summary) for row in UNAVAILABLE]
    width = max((len(name) for name, _ in rows), default=0)
    lines += [f"  {name:<{width}}  {summary}" for name, summary in rows]
    if problems():
        lines += ["", "broken component data"]
        lines += [f"  {problem.distribution}: {problem.reason}" for problem in problems()]
    return "\n".join(lines[1:])


def _source(found: ComponentDescriptor) -> str:
    if found.extra is not None:
        return f" (extra: {found.extra})"
    return "" if found.distribution == "adk-decl" else f" (from {found.distribution})"


def unavailable_name(row: Unavailable) -> str:
    """A key, `key: value` or `kind:name` as a manifest has it."""
    if row.value is None:
        return row.pattern
    value = str(row.value).lower() if isinstance(row.value, bool) else row.value
    return f"{row.pattern}: {value}"


def _as_json(components: list[ComponentDescriptor]) -> str:
    import json

    from adk_decl.plan.canonical import to_plain

    document: dict[str, Any] = {
        "format_version": 1,
        "components": [to_plain(found) for found in components],
        "not_available": [to_plain(row) for row in UNAVAILABLE],
        "problems": [to_plain(problem) for problem in problems()],
    }
    return json.dumps(document, indent=2, ensure_ascii=False)
