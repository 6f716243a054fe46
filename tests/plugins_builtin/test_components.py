"""The descriptors of the built-in plugins say what their code does."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import pytest

import plugins_builtin
from adk_decl.plan.phases import PHASES
from adk_decl.plugins import Plugin
from plugins_builtin import (
    content_guard,
    global_instruction,
    logging,
    metadata_logger,
    pii_patterns,
    pii_redactor,
    reflect_retry,
    schema_guard,
)

DATA = json.loads((Path(plugins_builtin.__file__).parent / "components.json").read_text(encoding="utf-8"))
ROWS: list[dict[str, Any]] = DATA["components"]
BY_NAME = {row["name"]: row for row in ROWS}


def code_of(row: dict[str, Any]) -> type[Plugin]:
    module, _, attribute = row["entry"].partition(":")
    found: type[Plugin] = getattr(importlib.import_module(module), attribute)
    assert issubclass(found, Plugin)
    return found


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["name"])
def test_hooks_and_capabilities_are_those_of_the_class(row: dict[str, Any]) -> None:
    code = code_of(row)
    assert set(row["hooks"]) == {name for name in PHASES if hasattr(code, name)}
    assert row["requires_intervene"] == code.requires_intervene
    assert row["stateless"] == code.stateless
    assert row["inline_safe"] is not row.get("guard", False), "a guard can be stopped only in a process of its own"


@pytest.mark.parametrize(
    ("name", "key", "default"),
    [
        ("global_instruction", "position", global_instruction.DEFAULT_POSITION),
        ("global_instruction", "separator", global_instruction.DEFAULT_SEPARATOR),
        ("reflect_retry", "max_attempts", reflect_retry.DEFAULT_MAX_ATTEMPTS),
        ("reflect_retry", "guidance", reflect_retry.DEFAULT_GUIDANCE),
        ("metadata_logger", "id", metadata_logger.DEFAULT_ID),
        ("metadata_logger", "log_level", metadata_logger.DEFAULT_LOG_LEVEL),
        ("logging", "log_level", logging.DEFAULT_LOG_LEVEL),
        ("content_guard", "check", list(content_guard.DEFAULT_CHECK)),
        ("content_guard", "fail_at", content_guard.DEFAULT_FAIL_AT),
        ("schema_guard", "find", schema_guard.DEFAULT_FIND),
        ("pii_redactor", "apply_to", list(pii_redactor.DEFAULT_APPLY_TO)),
        ("pii_redactor", "types", list(pii_patterns.DEFAULT_TYPES)),
        ("pii_redactor", "marker", pii_redactor.DEFAULT_MARKER),
    ],
)
def test_defaults_of_schema_and_code_agree(name: str, key: str, default: object) -> None:
    assert BY_NAME[name]["config_schema"]["properties"][key]["default"] == default


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["name"])
def test_every_key_is_described(row: dict[str, Any]) -> None:
    schema = row["config_schema"]
    assert schema["additionalProperties"] is False
    assert all(prop["description"].endswith(".") for prop in schema["properties"].values())


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["name"])
def test_imports_nothing_but_the_public_protocol(row: dict[str, Any]) -> None:
    source = (Path(plugins_builtin.__file__).parent / f"{row['name']}.py").read_text(encoding="utf-8")
    imports = [line.split()[1] for line in source.splitlines() if line.startswith(("from ", "import "))]
    own = {name for name in imports if name.startswith("adk_decl")}
    assert "adk_decl.plugins" in own
    assert all(name == "adk_decl.plugins" or name.startswith("adk_decl.plugins.") for name in own)


def test_choices_of_schemas_are_those_of_the_code() -> None:
    content = BY_NAME["content_guard"]["config_schema"]["properties"]
    assert content["presets"]["items"]["enum"] == list(content_guard.PRESETS)
    assert content["fail_at"]["enum"] == list(content_guard.SEVERITIES)
    for rule in content["severities"]["properties"].values():
        assert (rule["enum"], rule["default"]) == (list(content_guard.SEVERITIES), content_guard.DEFAULT_SEVERITY)
    types = BY_NAME["pii_redactor"]["config_schema"]["properties"]["types"]["items"]["enum"]
    assert sorted(types) == sorted(pii_patterns.TYPES)
