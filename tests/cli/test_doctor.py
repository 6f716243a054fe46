"""The command doctor: exit codes and output."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from adk_decl.cli.exit_codes import ANSWER_IS_NO, DONE, FAILED
from adk_decl.cli.main import main
from adk_decl.json_schema import validator
from tests.architecture.sources import CHECKOUT
from tests.cli.test_validate import INVALID, VALID

Captured = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    needy = VALID.replace(
        "{use: scripted, config: {replies: [{text: hello}]}}",
        "{use: openai_chat, model: x, base_url: 'https://x.example', api_key: {secret: {env: NO_SUCH_KEY}}}",
    )
    for name, text in {"valid": VALID, "invalid": INVALID, "needy": needy}.items():
        (tmp_path / f"{name}.adk.yaml").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("NO_SUCH_KEY", raising=False)


def test_a_runner_that_can_run_is_0(capsys: Captured) -> None:
    assert main(["doctor", "valid.adk.yaml"]) == DONE
    out = capsys.readouterr().out
    assert re.search(r"^  ok +max_heap_mib +holds", out, re.MULTILINE)
    assert out.endswith("0 failed\n") or ", 0 failed" in out


def test_a_runner_that_can_t_run_is_2(capsys: Captured) -> None:
    assert main(["doctor", "needy.adk.yaml", "--offline"]) == ANSWER_IS_NO
    out = capsys.readouterr().out
    assert re.search(r"^  failed +env:NO_SUCH_KEY ", out, re.MULTILINE)
    assert "set NO_SUCH_KEY" in out


@pytest.mark.parametrize("arguments", [["invalid.adk.yaml"], ["missing.adk.yaml"], ["valid.adk.yaml", "--runner", "x"]])
def test_what_does_not_compile_is_1(arguments: list[str], capsys: Captured) -> None:
    assert main(["doctor", *arguments]) == FAILED
    assert capsys.readouterr().out == ""
    assert main(["doctor", "--json", *arguments]) == FAILED
    assert json.loads(capsys.readouterr().out)["valid"] is False


def test_json_is_one_document(capsys: Captured) -> None:
    assert main(["doctor", "needy.adk.yaml", "--json", "--offline"]) == ANSWER_IS_NO
    document = json.loads(capsys.readouterr().out)
    check = validator(json.loads((CHECKOUT / "schemas" / "doctor.v1.schema.json").read_text("utf-8")))
    assert check(document) == []
    assert document["ready"] is False
    assert {check["name"] for check in document["checks"] if check["status"] == "fail"} == {"env:NO_SUCH_KEY"}


def test_a_manifest_with_errors_starts_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def started(*_: object) -> None:
        raise AssertionError("a worker was started")

    monkeypatch.setattr("adk_decl.workers.pool.WorkerPool.__init__", started)
    assert main(["doctor", "invalid.adk.yaml"]) == FAILED
