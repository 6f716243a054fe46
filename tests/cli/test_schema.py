"""`adk-decl schema`."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from adk_decl.cli.exit_codes import DONE, FAILED
from adk_decl.cli.main import main
from adk_decl.cli.schema import schema_files
from tests.architecture.sources import CHECKOUT

Captured = pytest.CaptureFixture[str]
QUICKSTART = str(CHECKOUT / "manifests" / "quickstart.adk.yaml")


@pytest.mark.parametrize("arguments", [[], ["manifest"], ["Manifest"], ["diagnostics"]])
def test_a_schema_is_printed_as_it_is(arguments: list[str], capsys: Captured) -> None:
    assert main(["schema", *arguments]) == DONE
    printed = json.loads(capsys.readouterr().out)
    name = arguments[0].lower() if arguments else "manifest"
    stored = CHECKOUT / "schemas" / f"{name}.v1.schema.json"
    assert printed == json.loads(stored.read_text(encoding="utf-8"))


def test_an_unknown_kind_lists_the_known_ones(capsys: Captured) -> None:
    assert main(["schema", "novel"]) == FAILED
    assert f"there is {', '.join(schema_files())}" in capsys.readouterr().err


def test_configurations_of_components_are_put_in(capsys: Captured) -> None:
    assert main(["schema", "--with-plugins", QUICKSTART]) == DONE
    schema = json.loads(capsys.readouterr().out)
    constants = [case["if"]["properties"]["use"]["const"] for case in schema["$defs"]["plugin"]["allOf"]]
    assert {"global_instruction", "python:support.policy:MaskEmails"} <= set(constants)
    assert "oneOf" not in str(schema)


def test_a_manifest_with_mistakes_still_has_a_schema(tmp_path: Path, capsys: Captured) -> None:
    (tmp_path / "m.adk.yaml").write_text("kind: Novel\nplugins: {a: {use: x, mode: 3}}\n")
    assert main(["schema", "--with-plugins", str(tmp_path / "m.adk.yaml")]) == DONE
    assert "x" in json.loads(capsys.readouterr().out)["$defs"]["plugin"]["properties"]["use"]["examples"]


def test_a_manifest_that_can_t_be_read_is_shown(tmp_path: Path, capsys: Captured) -> None:
    (tmp_path / "m.adk.yaml").write_text("a: [")
    for name in ("m.adk.yaml", "gone.adk.yaml"):
        assert main(["schema", "--with-plugins", str(tmp_path / name)]) == FAILED
        captured = capsys.readouterr()
        assert captured.out == ""
        assert "error[ADK0" in captured.err


def test_the_configurations_belong_to_the_manifest_s_schema(capsys: Captured) -> None:
    assert main(["schema", "diagnostics", "--with-plugins", QUICKSTART]) == FAILED
    assert "--with-plugins is for" in capsys.readouterr().err


def test_a_schema_is_written_in_one_step(tmp_path: Path, capsys: Captured) -> None:
    place = tmp_path / "manifest.schema.json"
    place.write_text("old")
    for _ in range(2):
        assert main(["schema", "--out", str(place)]) == DONE
    assert capsys.readouterr().out == ""
    assert json.loads(place.read_text(encoding="utf-8"))["title"] == "manifest"
    assert os.listdir(tmp_path) == [place.name]


def test_a_file_that_can_t_be_written_is_said(tmp_path: Path, capsys: Captured) -> None:
    for place in (tmp_path / "gone" / "x.json", tmp_path):
        assert main(["schema", "--out", str(place)]) == FAILED
        assert "can't be written" in capsys.readouterr().err
    assert os.listdir(tmp_path) == []
