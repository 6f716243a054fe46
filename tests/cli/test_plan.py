"""`adk-decl plan` on real files."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

import pytest

from adk_decl.cli.exit_codes import DONE, FAILED
from adk_decl.cli.main import main
from tests.architecture.sources import CHECKOUT
from tests.cli.test_validate import INVALID, VALID, WARNED
from tests.snapshot import check_snapshot

TWO = VALID + "  s: {agent: a}\n"

Captured = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, text in {"valid": VALID, "invalid": INVALID, "two": TWO, "warned": WARNED}.items():
        (tmp_path / f"{name}.yaml").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)


def test_the_quickstart(capsys: Captured) -> None:
    assert main(["plan", str(CHECKOUT / "manifests" / "quickstart.adk.yaml")]) == DONE
    out, err = capsys.readouterr()
    assert err == ""
    check_snapshot("plan_text/quickstart.txt", re.sub(r"sha256:[0-9a-f]{64}", "sha256:…", out))


def test_json_is_what_the_digest_is_made_of(capsys: Captured) -> None:
    assert main(["plan", "valid.yaml", "--json"]) == DONE
    text = capsys.readouterr().out.rstrip("\n")
    assert main(["plan", "valid.yaml"]) == DONE
    assert f"sha256:{hashlib.sha256(text.encode()).hexdigest()}" in capsys.readouterr().out
    assert json.loads(text)["plan_format"] == 1


def test_errors_are_1_and_on_stderr(capsys: Captured) -> None:
    assert main(["plan", "invalid.yaml"]) == FAILED
    out, err = capsys.readouterr()
    assert out == ""
    assert "ADK110" in err


def test_errors_as_json_are_one_document(capsys: Captured) -> None:
    assert main(["plan", "invalid.yaml", "--json"]) == FAILED
    assert json.loads(capsys.readouterr().out)["diagnostics"]


def test_warnings_do_not_disturb_stdout(capsys: Captured) -> None:
    assert main(["plan", "warned.yaml", "--json"]) == DONE
    out, err = capsys.readouterr()
    assert json.loads(out)["name"] == "small"
    assert "ADK204" in err


def test_several_runners_have_to_be_told_apart(capsys: Captured) -> None:
    assert main(["plan", "two.yaml"]) == FAILED
    assert "name a runner; the manifest defines r, s" in capsys.readouterr().err
    assert main(["plan", "two.yaml", "--runner", "s"]) == DONE
    assert "runner s" in capsys.readouterr().out
    assert main(["plan", "two.yaml", "--json"]) == DONE


@pytest.mark.parametrize("more", [[], ["--json"]])
def test_an_unknown_runner(more: list[str], capsys: Captured) -> None:
    assert main(["plan", "two.yaml", "--runner", "x", *more]) == FAILED
    out, err = capsys.readouterr()
    assert "there is no runner 'x'" in out + err
    assert not more or json.loads(out)["error"]["code"] == "usage"
