"""Says whether a manifest is invalid without any code of ours: other parsers, `jsonschema`, and tables of names.

It is not complete, and need not be: a change that it accepts is left out of the measure.
"""

from __future__ import annotations

import datetime
import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.validators import extend
from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from tests.quality.bases import CHECKOUT

REFERENCES = (
    ("agents.*.model", "models"),
    ("agents.*.tools.*", "tools"),
    ("agents.*.plugins.*", "plugins"),
    ("runners.*.agent", "agents"),
    ("runners.*.plugins.*", "plugins"),
)
USES = (
    ("models.*", "model"),
    ("plugins.*", "plugin"),
    ("agents.*.plugins.*", "plugin"),
    ("runners.*.plugins.*", "plugin"),
    ("runners.*.session_store", "session_store"),
)
CODE: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "plugin": {"python:support.policy:MaskEmails": ("after_model",)},
    "tool": {"python:support.tools:lookup_order": ()},
    "callback": {"python:support.callbacks:add_date": ()},
}
MASK_EMAILS_CONFIG = {
    "type": "object",
    "additionalProperties": False,
    "properties": {"visible_characters": {"type": "integer", "minimum": 0, "maximum": 3}},
}
_CREDENTIAL = re.compile(r"\b(sk-[A-Za-z0-9]{24,}|ghp_[A-Za-z0-9]{36}|AKIA[0-9A-Z]{16})")
_REFERENCE = re.compile(r"\$\{env:[A-Za-z_][A-Za-z0-9_]*(:-[^}]*)?\}")


def reason(text: str, format: str) -> str | None:  # noqa: A002
    """Why a manifest is invalid, in a word or two; None when nothing speaks against it."""
    try:
        data = _plain(tomllib.loads(text) if format == "toml" else YAML(typ="safe", pure=True).load(text))
    except (tomllib.TOMLDecodeError, YAMLError, ValueError):
        return "syntax"
    if not _manifest_judge().is_valid(data):
        return "schema"
    return next(_against(data), None)


def _against(data: Mapping[str, Any]) -> Iterator[str]:
    for pattern, table in REFERENCES:
        names = [value for value in _at(data, pattern) if isinstance(value, str)]
        if any(name not in data.get(table, {}) for name in names):
            yield "name"
    for listed in (*_at(data, "agents.*.plugins"), *_at(data, "agents.*.tools"), *_at(data, "runners.*.plugins")):
        names = [name for name in listed if isinstance(name, str)]
        if len(set(names)) < len(names):
            yield "twice"
    for pattern, kind in USES:
        for owner in _at(data, pattern):
            if isinstance(owner, dict):
                yield from _against_component(owner, kind)
    for tool in _at(data, "tools.*"):
        if tool["use"] not in CODE["tool"]:
            yield "code"
    for callback in _at(data, "agents.*.callbacks.*"):
        if callback not in CODE["callback"]:
            yield "code"
    for retries in _at(data, "models.*.retries"):
        if retries.get("base_delay_ms", 250) > retries.get("max_delay_ms", 8000):
            yield "delays"
    if any(_CREDENTIAL.search(text) for text in _texts(data)):
        yield "credential"
    if any("${" in _REFERENCE.sub("", text.replace("$$", "")) for text in _texts(data)):
        yield "reference"


def _against_component(owner: Mapping[str, Any], kind: str) -> Iterator[str]:
    use = owner["use"]
    if use in CODE.get(kind, {}):
        row: Mapping[str, Any] = {
            "hooks": CODE[kind][use],
            "config_schema": MASK_EMAILS_CONFIG,
            "requires_intervene": True,
        }
    elif (kind, use) in _components():
        row = _components()[kind, use]
    else:
        yield "component"
        return
    if row.get("config_schema") and not _judge(row["config_schema"]).is_valid(owner.get("config", {})):
        yield "config"
    if any(hook not in row["hooks"] for hook in owner.get("hooks", ())):
        yield "hook"
    if row.get("requires_intervene") and owner.get("mode", "observe") == "observe":
        yield "mode"


@cache
def _components() -> dict[tuple[str, str], Mapping[str, Any]]:
    found = {}
    for file in ("plugins_builtin/components.json", "adk_decl/components/builtin.json"):
        for row in json.loads((CHECKOUT / file).read_bytes())["components"]:
            found[row["kind"], row["name"]] = row
    return found


@cache
def _manifest_judge() -> Any:
    return _judge(json.loads((CHECKOUT / "schemas" / "manifest.v1.schema.json").read_bytes()))


def _judge(schema: Mapping[str, Any]) -> Any:
    """The package's verdict, where a whole number is never written `1.0` and a choice of keys is ours."""
    checker = Draft202012Validator.TYPE_CHECKER.redefine(
        "integer", lambda _, value: isinstance(value, int) and not isinstance(value, bool)
    )
    return extend(Draft202012Validator, {"x-exactly-one": _exactly_one}, type_checker=checker)(schema)  # type: ignore[no-untyped-call]


def _exactly_one(judge: Any, names: list[str], value: Any, schema: Any) -> Iterator[Exception]:
    from jsonschema import ValidationError

    if isinstance(value, dict) and sum(name in value for name in names) != 1:
        yield ValidationError("not exactly one")


def _plain(value: Any) -> Any:
    """Plain JSON data: a key or a date as the text that it is in a manifest."""
    if isinstance(value, dict):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return str(value) if isinstance(value, datetime.date | datetime.time) else value


def _at(data: Any, pattern: str) -> list[Any]:
    found = [data]
    for step in pattern.split("."):
        found = [part for value in found for part in _step(value, step)]
    return found


def _step(value: Any, step: str) -> list[Any]:
    if step != "*":
        return [value[step]] if isinstance(value, dict) and step in value else []
    if isinstance(value, dict):
        return [part for key, part in value.items() if not key.startswith("x-")]
    return list(value) if isinstance(value, list) else []


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, part in value.items():
            if not key.startswith("x-"):
                yield from _texts(part)
    elif isinstance(value, list):
        for part in value:
            yield from _texts(part)
