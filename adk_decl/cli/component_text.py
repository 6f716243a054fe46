"""One component as a person reads it: what it does, what a descriptor of it holds, its configuration, an example."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from adk_decl.cli import yaml_text
from adk_decl.components.descriptor import OWN_DISTRIBUTION, ComponentDescriptor
from adk_decl.editor.words import type_words
from adk_decl.plan.domains import BUILTIN
from adk_decl.plan.limits import LIMITS
from adk_decl.plan.record import FrozenMap

_TABLES = {"plugin": "plugins", "model": "models", "exporter": "exporters"}
_MOST_DEPTH = 6
_PLAIN = {"string": "text", "integer": 1, "number": 1.0, "boolean": True}


def domain_of(component: ComponentDescriptor) -> str:
    """The trust domain of a plugin of this component, unless its descriptor names a part of it."""
    return BUILTIN if component.distribution == OWN_DISTRIBUTION else f"dist:{component.distribution}"


def effective_defaults(component: ComponentDescriptor) -> dict[str, Any]:
    """What a plugin's descriptor has when neither it nor the runner's `plugin_defaults` says anything."""
    if component.kind != "plugin":
        return {}
    limits = {key: LIMITS[f"plugin.{key}"].default for key in ("timeout_ms", "max_heap_mib", "max_result_bytes")}
    basic = {"mode": "observe", "failure_policy": "open", **limits, "isolation": "worker"}
    guard = {"failure_policy": "closed"} if component.guard else {}
    return basic | dict(component.defaults) | guard


def example_of(component: ComponentDescriptor) -> dict[str, Any]:
    """The smallest part of a manifest that uses it."""
    config = _sample(component.config_schema)
    use: dict[str, Any] = {"use": component.name}
    if component.kind == "plugin" and component.requires_intervene:
        use["mode"] = "intervene"
    if component.kind == "model":
        use["model"] = "NAME-OF-THE-MODEL"
    use |= {"config": config} if config else {}
    name = component.name.replace("_", "-")
    if component.kind == "session_store":
        return {"runners": {"desk": {"agent": "support", "session_store": use}}}
    if component.kind == "criterion":
        return {"evals": {"gate": {"criteria": [{"id": name, **use}]}}}
    return {_TABLES[component.kind]: {name: use}}


def config_rows(component: ComponentDescriptor) -> list[tuple[str, str, str]]:
    """Each key of the configuration: its path, its type with bounds and default, and what it is."""
    return list(_rows(component.config_schema, "", _MOST_DEPTH))


def render_component(component: ComponentDescriptor) -> str:
    """Everything as text."""
    kind = component.kind.replace("_", " ")
    origin = "built in" if component.distribution == OWN_DISTRIBUTION else f"from {component.distribution}"
    parts = [[f"{kind} {component.name} · {component.stage} · {origin}", *_indented([_one_line(component.summary)])]]
    parts.append(_facts(component))
    defaults = effective_defaults(component)
    parts.append(["defaults of its descriptor", *_table([(k, yaml_text.scalar(v)) for k, v in defaults.items()])])
    rows = config_rows(component)
    parts.append(["config", *(_table([("key", "type", "what"), *rows]) if rows else ["  any map"])])
    parts.append(["example", *_indented(yaml_text.render(example_of(component)).splitlines())])
    return "\n\n".join("\n".join(part) for part in parts if len(part) > 1)


def _facts(component: ComponentDescriptor) -> list[str]:
    rows: list[tuple[str, str]] = []
    if component.kind == "plugin":
        rows = [
            ("hooks", ", ".join(component.hooks)),
            ("mode", "has to intervene" if component.requires_intervene else "observe or intervene"),
            ("runs in", "worker" + (", or inline" if component.inline_safe else "")),
            ("domain", domain_of(component)),
        ]
        rows += [("guard", "closed on failure unless its own descriptor opens it")] if component.guard else []
        rows += [("state", "none is kept between calls")] if component.stateless else []
    if component.extra is not None:
        rows.append(("needs", f"pip install 'adk-decl[{component.extra}]'"))
    return ["facts", *_table(rows)]


def _rows(schema: Any, path: str, depth: int) -> Iterator[tuple[str, str, str]]:
    required = schema.get("required", ())
    for name, part in schema.get("properties", {}).items():
        where = f"{path}{name}"
        words = type_words(_plain(part)) + (", required" if name in required else "")
        choices = part.get("enum", ())
        words += f", one of {', '.join(map(str, choices))}" if choices else ""
        yield where, _one_line(words.replace("`", "")), _one_line(str(part.get("description", "")))
        items = part.get("items", {})
        if depth:
            yield from _rows(part, f"{where}.", depth - 1)
            if isinstance(items, Mapping):
                yield from _rows(items, f"{where}[].", depth - 1)


def _sample(schema: Any) -> Any:
    """A value that fits a schema, for an example: what is required, and nothing else."""
    for key in ("default", "const"):
        if key in schema:
            return _plain(schema[key])
    for key in ("examples", "enum"):
        if schema.get(key):
            return _plain(schema[key][0])
    kind = schema.get("type", "object")
    kind = kind if isinstance(kind, str) else kind[0]
    if kind == "object":
        properties = schema.get("properties", {})
        wanted = [*schema.get("required", ()), *schema.get("x-exactly-one", ())[:1]]
        missing = schema.get("minProperties", 0) - len(wanted)
        wanted += [name for name in properties if name not in wanted][: max(missing, 0)]
        return {name: _sample(properties.get(name, FrozenMap())) for name in wanted}
    if kind == "array":
        return [_sample(schema.get("items", FrozenMap()))] * max(1, schema.get("minItems", 1))
    return max(schema.get("minimum", 1), 1) if kind == "integer" else _PLAIN.get(kind)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _plain(item) for name, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, tuple | list) else value


def _one_line(text: str) -> str:
    """Text whose line breaks are shown: installed packages write it too."""
    return text if text.isprintable() else repr(text)[1:-1]


def _indented(lines: Sequence[str]) -> list[str]:
    return [f"  {line}" for line in lines if line]


def _table(rows: Sequence[tuple[str, ...]]) -> list[str]:
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    return [
        ("  " + "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True))).rstrip() for row in rows
    ]
