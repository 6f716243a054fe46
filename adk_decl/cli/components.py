"""`adk-decl components`: the catalogue, one component of it, and what this version does not have yet."""

from __future__ import annotations

from typing import Any

import click

from adk_decl.cli.exit_codes import DONE
from adk_decl.cli.output import emit
from adk_decl.components.catalogue import all_components, problems
from adk_decl.components.descriptor import KINDS, ComponentDescriptor
from adk_decl.plan.features import UNAVAILABLE, Unavailable

_AS_JSON = click.option("--json", "as_json", is_flag=True, help="One JSON document.")


@click.group("components", invoke_without_command=True)
@_AS_JSON
@click.pass_context
def command(context: click.Context, *, as_json: bool) -> int:
    """Show every component that a manifest can use, by kind, and what this version does not have yet."""
    return DONE if context.invoked_subcommand is not None else _list(as_json=as_json)


@command.command("list")
@_AS_JSON
def list_command(*, as_json: bool) -> int:
    """Show every component, as `adk-decl components` alone does."""
    return _list(as_json=as_json)


@command.command("show")
@click.argument("name")
@click.option("--kind", type=click.Choice(KINDS), help="Only a component of this kind.")
@_AS_JSON
def show_command(*, name: str, kind: str | None, as_json: bool) -> int:
    """Show the component NAME: hooks, defaults, every key of its configuration, and an example."""
    found = [each for each in all_components() if each.name == name and kind in (None, each.kind)]
    if not found:
        raise click.UsageError(_unknown(name, kind))
    if as_json:
        emit(_shown_as_json(found))
    else:
        from adk_decl.cli.component_text import render_component

        emit("\n\n\n".join(render_component(each) for each in found))
    return DONE


def _list(*, as_json: bool) -> int:
    components = sorted(all_components(), key=lambda found: (found.kind, found.name))
    emit(_as_json(components) if as_json else _as_text(components))
    return DONE


def _unknown(name: str, kind: str | None) -> str:
    """Why there is no such component: not in this version, or misspelt."""
    for row in UNAVAILABLE:
        of, _, lacking = row.pattern.partition(":")
        if row.what == "component" and lacking == name and kind in (None, of):
            return f"{of.replace('_', ' ')} {name!r} is not available in this version"
    from adk_decl.diagnostics.suggest import nearest

    near = nearest(name, {each.name for each in all_components() if kind in (None, each.kind)})
    what = "component" if kind is None else kind.replace("_", " ")
    return f"there is no {what} {name!r}" + (f"; did you mean {near!r}?" if near else "")


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


def _shown_as_json(components: list[ComponentDescriptor]) -> str:
    import json

    from adk_decl.cli.component_text import config_rows, domain_of, effective_defaults, example_of
    from adk_decl.plan.canonical import to_plain

    def shown(found: ComponentDescriptor) -> dict[str, Any]:
        return {
            **to_plain(found),
            "domain": domain_of(found),
            "effective_defaults": effective_defaults(found),
            "config_keys": [dict(zip(("key", "type", "what"), row, strict=True)) for row in config_rows(found)],
            "example": example_of(found),
        }

    document = {"format_version": 1, "components": [shown(found) for found in components]}
    return json.dumps(document, indent=2, ensure_ascii=False)
