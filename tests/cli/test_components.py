"""`adk-decl components`."""

from __future__ import annotations

import json

import pytest

from adk_decl.cli.components import unavailable_name
from adk_decl.cli.exit_codes import DONE, FAILED
from adk_decl.cli.main import main
from adk_decl.plan.features import UNAVAILABLE

Captured = pytest.CaptureFixture[str]


def test_what_there_is_and_what_there_is_not(capsys: Captured) -> None:
    assert main(["components"]) == DONE
    out = capsys.readouterr().out
    have, _, lack = out.partition("not available in this version")
    assert [name for name in ("global_instruction", "scripted", "sqlite", "openai_chat") if name not in have] == []
    assert [row for row in UNAVAILABLE if unavailable_name(row) not in lack] == []
    assert "cost_tracker" not in have


def test_the_same_as_json(capsys: Captured) -> None:
    assert main(["components", "--json"]) == DONE
    document = json.loads(capsys.readouterr().out)
    assert {found["kind"] for found in document["components"]} == {"plugin", "model", "session_store"}
    assert len(document["not_available"]) == len(UNAVAILABLE)
    assert document["problems"] == []


def test_the_list_by_its_name(capsys: Captured) -> None:
    assert main(["components"]) == DONE
    alone = capsys.readouterr().out
    assert main(["components", "list"]) == DONE
    assert capsys.readouterr().out == alone


def test_one_component(capsys: Captured) -> None:
    assert main(["components", "show", "global_instruction"]) == DONE
    out = capsys.readouterr().out
    assert out.startswith("plugin global_instruction · stable · built in\n")
    assert "  domain   builtin\n" in out
    assert "      instruction: text\n" in out


def test_one_component_as_json(capsys: Captured) -> None:
    assert main(["components", "show", "reflect_retry", "--json"]) == DONE
    document = json.loads(capsys.readouterr().out)
    (found,) = document["components"]
    assert document["format_version"] == 1
    assert (found["name"], found["domain"], found["effective_defaults"]["timeout_ms"]) == (
        "reflect_retry",
        "builtin",
        1000,
    )
    assert {row["key"] for row in found["config_keys"]} == set(found["config_schema"]["properties"])
    assert found["example"] == {"plugins": {"reflect-retry": {"use": "reflect_retry", "mode": "intervene"}}}


def test_a_kind_narrows(capsys: Captured) -> None:
    assert main(["components", "show", "sqlite", "--kind", "session_store"]) == DONE
    assert "session store sqlite" in capsys.readouterr().out
    assert main(["components", "show", "scripted", "--kind", "plugin"]) == FAILED
    assert "there is no plugin 'scripted'" in capsys.readouterr().err


def test_what_there_is_not(capsys: Captured) -> None:
    assert main(["components", "show", "global_instructoin"]) == FAILED
    assert "did you mean 'global_instruction'?" in capsys.readouterr().err
    lacking = next(row for row in UNAVAILABLE if row.pattern == "model:gemini")
    assert main(["components", "show", lacking.pattern.partition(":")[2]]) == FAILED
    assert "model 'gemini' is not available in this version" in capsys.readouterr().err
