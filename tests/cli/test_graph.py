"""`adk-decl graph` on real files."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from adk_decl.cli.exit_codes import DONE, FAILED
from adk_decl.cli.main import main
from tests.architecture.sources import CHECKOUT
from tests.cli.test_validate import INVALID, VALID, WARNED
from tests.snapshot import check_snapshot

QUICKSTART = str(CHECKOUT / "manifests" / "quickstart.adk.yaml")

Captured = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    two = VALID + "  s: {agent: a}\n"
    for name, text in {"valid": VALID, "invalid": INVALID, "two": two, "warned": WARNED}.items():
        (tmp_path / f"{name}.yaml").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(("name", "ending"), [("mermaid", "mmd"), ("dot", "dot"), ("json", "json")])
def test_the_quickstart(name: str, ending: str, capsys: Captured) -> None:
    assert main(["graph", QUICKSTART, "--format", name]) == DONE
    out, err = capsys.readouterr()
    assert err == ""
    if name == "json":
        out = json.dumps(json.loads(out), indent=1) + "\n"
    check_snapshot(f"graph/quickstart.{ending}", re.sub(r"sha256:[0-9a-f]{64}", "sha256:…", out))


def test_mermaid_is_the_default(capsys: Captured) -> None:
    assert main(["graph", "valid.yaml"]) == DONE
    assert capsys.readouterr().out.startswith("flowchart LR\n")


def test_errors(capsys: Captured) -> None:
    assert main(["graph", "invalid.yaml"]) == FAILED
    out, err = capsys.readouterr()
    assert out == ""
    assert "ADK110" in err
    assert main(["graph", "invalid.yaml", "--format", "json"]) == FAILED
    assert json.loads(capsys.readouterr().out)["diagnostics"]


def test_warnings_do_not_disturb_the_picture(capsys: Captured) -> None:
    assert main(["graph", "warned.yaml"]) == DONE
    out, err = capsys.readouterr()
    assert out.startswith("flowchart")
    assert "ADK204" in err


def test_several_runners_have_to_be_told_apart(capsys: Captured) -> None:
    assert main(["graph", "two.yaml"]) == FAILED
    assert "name a runner; the manifest defines r, s" in capsys.readouterr().err
    assert main(["graph", "two.yaml", "--runner", "s"]) == DONE
    assert "runner s" in capsys.readouterr().out
