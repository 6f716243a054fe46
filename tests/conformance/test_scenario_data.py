"""The scenarios themselves: their form, their numbers, and that they name what exists."""

from __future__ import annotations

import json
import re
from typing import Any

import jsonschema
import pytest

from adk_decl.diagnostics.codes import CODES
from adk_decl.plan.phases import PHASES
from adk_decl.plugins.trace import OUTCOMES
from tests.conformance import probe
from tests.conformance.scenario_data import FOLDER, document, manifests, scenarios, sequence

NUMBERS = {
    "ordering": range(1, 22),
    "descriptor": range(22, 35),
    "outcomes": range(35, 57),
    "failure policy and isolation": range(57, 85),
    "amendments of tools": range(85, 95),
    "events": range(95, 108),
    "built-ins": range(124, 131),
    "guards": range(137, 141),
}


def test_fits_its_schema() -> None:
    schema = json.loads((FOLDER / "plugins.schema.json").read_text(encoding="utf-8"))
    document_as_json = json.loads(json.dumps(document(), default=str))
    jsonschema.Draft202012Validator(schema).validate(document_as_json)


@pytest.mark.parametrize("part", NUMBERS)
def test_every_number_stands_somewhere(part: str) -> None:
    spec_rows = [row["id"] for row in [*scenarios(), *manifests()] if not row["id"].startswith("D")]
    here = {int(re.sub(r"[a-z]", "", row_id)) for row_id in spec_rows}
    elsewhere = set(document()["elsewhere"])
    missing = [n for n in NUMBERS[part] if n not in here | elsewhere]
    assert missing == []


def test_no_number_stands_twice() -> None:
    ids = [row["id"] for row in [*scenarios(), *manifests()]]
    assert sorted({i for i in ids if ids.count(i) > 1}) == []


@pytest.mark.parametrize("scenario", scenarios(), ids=lambda row: row["id"])
def test_names_what_exists(scenario: dict[str, Any]) -> None:
    for plugin in [*scenario["plugins"], *scenario.get("agent_plugins", [])]:
        assert set(plugin.get("hooks", [])) <= set(PHASES)
        assert all(a["do"] in probe._ACTIONS for a in plugin.get("actions", {}).values())
    assert all(a["do"] in probe._ACTIONS for a in scenario.get("local", {}).values())
    for phase, outcomes in scenario["expect"].get("trace", {}).items():
        assert phase in PHASES
        assert set(outcomes) <= set(OUTCOMES)


def test_codes_exist() -> None:
    assert {code for row in manifests() for code in row["codes"]} <= set(CODES)


def test_probe_serves_every_hook() -> None:
    assert set(probe.SHORT) == set(PHASES)
    assert [n for n in PHASES if not hasattr(probe.Probe, n)] == ["on_error"]


def test_bases_are_spelled_out_for_everybody() -> None:
    row = {"expect": {"sequence": {"base": "TEXT", "before": ["p", "L"], "after": ["L", "p"]}}, "local": {"am": {}}}
    assert sequence(row) == [
        "p:um",
        "p:br",
        "p:ev(user)",
        "p:ba",
        "p:bm",
        "L:am",
        "p:am",
        "p:aa",
        "p:ev(final)",
        "p:ar",
    ]
