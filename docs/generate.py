"""Writes `docs/reference/` and the schema of overlays from the tables and schemas of the code.

`--check` only says what is out of date.

python docs/generate.py [--check]
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from adk_decl.cli.components import unavailable_name
from adk_decl.cli.exit_codes import EXIT_CODES
from adk_decl.components.catalogue import all_components
from adk_decl.components.descriptor import ComponentDescriptor
from adk_decl.diagnostics.codes import CODES
from adk_decl.models.protocol import MODEL_FAILURES
from adk_decl.plan.features import UNAVAILABLE
from adk_decl.plan.frozen_json import thaw
from adk_decl.plan.limits import LIMITS
from adk_decl.plan.phases import PHASES
from adk_decl.plan.settings_table import PREFIX, SETTINGS
from adk_decl.plugins.trace import FAILURE_TAGS
from adk_decl.schema.load import load_schema
from adk_decl.schema.overlay_schema import overlay_schema

DOCS = Path(__file__).resolve().parent
REFERENCE = DOCS / "reference"
ROOT = DOCS.parent
SCHEMAS = ROOT / "schemas"
OVERLAY_SCHEMA = SCHEMAS / "overlay.v1.schema.json"

HEAD = "<!-- Written by docs/generate.py from {source}. Change that and run the script again. -->\n\n"


def main(arguments: Sequence[str]) -> int:
    """Write every page, or with `--check` name those that differ and return 1."""
    stale = []
    wanted = {REFERENCE / name: text for name, text in pages().items()}
    wanted[OVERLAY_SCHEMA] = overlay_schema_text()
    for place, text in wanted.items():
        if not place.is_file() or place.read_text(encoding="utf-8") != text:
            stale.append(place)
    stale += [place for place in REFERENCE.glob("*.md") if place not in wanted]
    if "--check" in arguments:
        for place in stale:
            print(f"out of date: {place.relative_to(ROOT).as_posix()}; run python docs/generate.py")
        return 1 if stale else 0
    REFERENCE.mkdir(exist_ok=True)
    for place in stale:
        if place in wanted:
            place.write_text(wanted[place], encoding="utf-8")
        else:
            place.unlink()
    return 0


def overlay_schema_text() -> str:
    """The schema of overlays, derived from that of manifests."""
    return json.dumps(overlay_schema(load_schema("Manifest")), indent=2, ensure_ascii=False) + "\n"


def pages() -> dict[str, str]:
    """File name and text of every page."""
    return {
        "phases.md": phases_page(),
        "limits.md": limits_page(),
        "manifest.md": manifest_page(),
        "codes.md": codes_page(),
        "components.md": components_page(),
        "settings.md": settings_page(),
        "exit-codes.md": exit_codes_page(),
        "failures.md": failures_page(),
        "not-available.md": not_available_page(),
    }


def phases_page() -> str:
    """The phase table."""
    rows = [
        (
            f"`{phase.name}`",
            phase.summary,
            f"`{phase.value}`",
            _names(phase.amendable),
            f"`{phase.returns}`" if phase.returns else "",
            "yes" if phase.local else "",
        )
        for phase in PHASES.values()
    ]
    head = ("phase", "sees", "value", "`amend` may set", "`ret` takes", "local callback")
    note = "\nA phase that may neither amend nor return is a notification: whatever it returns is ignored.\n"
    return _page("Phases", "adk_decl/plan/phases.py", _table(head, rows) + note)


def limits_page() -> str:
    """Every limit."""
    rows = [
        (f"`{limit.name}`", limit.summary, f"{limit.default:,}", f"{limit.minimum:,}", f"{limit.maximum:,}", limit.unit)
        for limit in LIMITS.values()
    ]
    return _page(
        "Limits",
        "adk_decl/plan/limits.py",
        _table(("limit", "of what", "default", "least", "most", "unit"), rows),
    )


def codes_page() -> str:
    """The index of codes."""
    rows = [
        (f"[{row.code}](../codes/{row.code}.md)", row.severity, f"`{row.slug}`", row.title) for row in CODES.values()
    ]
    return _page("Codes of findings", "adk_decl/diagnostics/codes.py", _table(("code", "", "name", "what"), rows))


def settings_page() -> str:
    """Process settings."""
    rows = [
        (
            f"`{PREFIX}{setting.name.upper()}`",
            setting.help,
            ", ".join(setting.choices) or setting.type,
            "" if setting.default is None else str(setting.default).lower(),
        )
        for setting in SETTINGS.values()
    ]
    return _page("Settings", "adk_decl/plan/settings_table.py", _table(("variable", "what", "values", "default"), rows))


def exit_codes_page() -> str:
    """Exit codes."""
    rows = [(str(row.number), row.meaning, row.when) for row in EXIT_CODES]
    return _page("Exit codes", "adk_decl/cli/exit_codes.py", _table(("code", "meaning", "when"), rows))


def failures_page() -> str:
    """Failure tags of plugins and reasons of failed model calls."""
    texts = json.loads((DOCS / "failure_texts.json").read_text(encoding="utf-8"))
    text = "## Of a plugin\n\n" + _table(("tag", "what happened"), _rows(FAILURE_TAGS, texts["plugin"]))
    text += "\n## Of a model call\n\n" + _table(("reason", "what happened"), _rows(MODEL_FAILURES, texts["model"]))
    return _page("Failures at run time", "docs/failure_texts.json", text)


def not_available_page() -> str:
    """What the schema knows and this version can't do."""
    rows = [(f"`{unavailable_name(row)}`", row.summary) for row in UNAVAILABLE]
    return _page(
        "Not available in this version",
        "adk_decl/plan/features.py",
        "Using one of these is the error [ADK209](../codes/ADK209.md).\n\n"
        + _table(("key, value or component", "what it is"), rows),
    )


def components_page() -> str:
    """The catalogue with each component's configuration."""
    parts: list[str] = []
    components = [found for found in all_components() if found.distribution == "adk-decl"]
    for kind in sorted({found.kind for found in components}):
        parts.append(f"## {kind.replace('_', ' ').capitalize()}\n")
        parts += [_component(found) for found in sorted(components, key=lambda c: c.name) if found.kind == kind]
    return _page("Components", "the component data of adk-decl", "\n".join(parts))


def _component(found: ComponentDescriptor) -> str:
    text = f"### `{found.name}`\n\n{found.summary} ({found.stage})\n"
    if found.extra is not None:
        text += f"\nNeeds the extra `{found.extra}`.\n"
    if found.hooks:
        text += f"\nHooks: {_names(found.hooks)}\n"
    properties = thaw(found.config_schema).get("properties", {})
    if properties:
        required = thaw(found.config_schema).get("required", [])
        rows = [(f"`{name}`", *_property(schema, required=name in required)) for name, schema in properties.items()]
        text += "\n" + _table(("config", "type", "default", "what"), rows)
    return text


def manifest_page() -> str:
    """Every key of a manifest, from the schema."""
    schema = json.loads((SCHEMAS / "manifest.v1.schema.json").read_text(encoding="utf-8"))
    parts: list[str] = []
    _object(schema, schema, "manifest", parts, seen=set())
    return _page("Manifest", "schemas/manifest.v1.schema.json", "\n".join(parts))


def _object(
    root: Mapping[str, Any], schema: Mapping[str, Any], title: str, parts: list[str], *, seen: set[str]
) -> None:
    required = schema.get("required", [])
    rows: list[tuple[str, ...]] = []
    below: list[tuple[Mapping[str, Any], str, str | None]] = []
    for name, written in schema.get("properties", {}).items():
        inner, reference = _resolve(root, written)
        rows.append((f"`{name}`", *_property({**inner, **_own(written)}, required=name in required)))
        below += _nested(root, inner, f"{title}.{name}" if title != "manifest" else name, reference)
    if rows:
        description = schema.get("description", "")
        parts.append(f"## `{title}`\n\n{description}\n\n" + _table(("key", "type", "default", "what"), rows))
    for inner, path, reference in below:
        if reference is not None and reference in seen:
            continue
        if reference is not None:
            seen.add(reference)
        _object(root, inner, path, parts, seen=seen)


def _nested(
    root: Mapping[str, Any], schema: Mapping[str, Any], path: str, reference: str | None
) -> Iterable[tuple[Mapping[str, Any], str, str | None]]:
    if schema.get("properties"):
        yield schema, path, reference
    for key, mark in (("additionalProperties", ".<name>"), ("items", "[]")):
        inner = schema.get(key)
        if isinstance(inner, Mapping):
            found, name = _resolve(root, inner)
            yield from _nested(root, found, path + mark, name)


def _resolve(root: Mapping[str, Any], schema: Mapping[str, Any]) -> tuple[Mapping[str, Any], str | None]:
    reference = schema.get("$ref")
    if not isinstance(reference, str) or not reference.startswith("#/"):
        return schema, None
    found: Any = root
    for step in reference[2:].split("/"):
        found = found[step]
    inner, deeper = _resolve(root, found)
    return inner, deeper or reference


def _own(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    return {key: value for key, value in schema.items() if key != "$ref"}


def _property(schema: Mapping[str, Any], *, required: bool) -> tuple[str, str, str]:
    default = "**required**" if required else f"`{json.dumps(schema['default'])}`" if "default" in schema else ""
    return _type(schema), default, schema.get("description", "").replace("\n", " ")


def _type(schema: Mapping[str, Any]) -> str:
    if "const" in schema:
        return _literal(schema["const"])
    if "enum" in schema:
        return " or ".join(_literal(value) for value in schema["enum"])
    kind = schema.get("x-env-type", schema.get("type", ""))
    text = " or ".join(kind) if isinstance(kind, list) else kind
    text += " or `${env:…}`" if schema.get("x-env") else ""
    bounds = [f"{schema[key]:,}" if key in schema else "" for key in ("minimum", "maximum")]
    return text + (f", {bounds[0]} to {bounds[1]}" if any(bounds) else "")


def _literal(value: Any) -> str:
    return f"`{value if isinstance(value, str) else json.dumps(value)}`"


def _rows(names: Sequence[str], texts: Mapping[str, str]) -> list[tuple[str, str]]:
    if set(names) != set(texts):
        raise SystemExit(f"docs/failure_texts.json does not fit the code: {sorted(set(names) ^ set(texts))}")
    return [(f"`{name}`", texts[name]) for name in names]


def _names(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _page(title: str, source: str, text: str) -> str:
    return HEAD.format(source=source) + f"# {title}\n\n{text}"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |\n" for line in lines)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
