"""`adk-decl lock`, and `run --locked`."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from adk_decl.cli.exit_codes import ANSWER_IS_NO, DONE, FAILED
from adk_decl.cli.main import main
from tests.architecture.sources import CHECKOUT
from tests.cli.test_validate import INVALID

MANIFEST = "desk.adk.yaml"
LOCK = "quickstart.lock.json"
RUN = ["run", MANIFEST, "--message", "Where is order 1042?"]

Captured = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The quickstart with its code, in a folder of its own."""
    source = CHECKOUT / "manifests"
    shutil.copytree(source / "support", tmp_path / "support", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(source / "quickstart.adk.yaml", tmp_path / MANIFEST)
    (tmp_path / "pyproject.toml").touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ADK_DECL_STATE_DIR", str(tmp_path / "state"))
    return tmp_path


def change_code(project: Path) -> None:
    """Change a module that a tool imports."""
    with (project / "support" / "orders.py").open("a", encoding="utf-8") as file:
        file.write("# another line\n")


def test_written_once_and_checked(capsys: Captured) -> None:
    assert main(["lock", MANIFEST]) == DONE
    assert capsys.readouterr().out == f"{LOCK} written\n"
    assert main(["lock", MANIFEST]) == DONE
    assert capsys.readouterr().out == f"{LOCK} is up to date\n"
    assert main(["lock", MANIFEST, "--check"]) == DONE
    assert capsys.readouterr().out == "1 file checked, nothing found\n"


def test_each_drift_is_a_line(project: Path, capsys: Captured) -> None:
    main(["lock", MANIFEST])
    change_code(project)
    (project / MANIFEST).write_text(
        (project / MANIFEST).read_text("utf-8").replace("max_model_calls: 8", "max_model_calls: 9"), "utf-8"
    )
    capsys.readouterr()
    assert main(["lock", MANIFEST, "--check"]) == ANSWER_IS_NO
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(" ")[1] for line in lines] == ["ADK607", "ADK603", "ADK605"]
    assert all(line.startswith(f"{LOCK}:") for line in lines)
    assert main(["lock", MANIFEST, "--check", "--format", "json"]) == ANSWER_IS_NO
    assert json.loads(capsys.readouterr().out)["error_count"] == 3


def test_no_lock_is_a_no_and_a_broken_one_can_not_be_checked(project: Path, capsys: Captured) -> None:
    assert main(["lock", MANIFEST, "--check"]) == ANSWER_IS_NO
    assert "ADK601" in capsys.readouterr().out
    (project / LOCK).write_text("<<<<<<< HEAD\n", encoding="utf-8")
    assert main(["lock", MANIFEST, "--check"]) == FAILED
    assert "ADK004" in capsys.readouterr().out
    assert main(["lock", MANIFEST]) == DONE
    assert main(["lock", MANIFEST, "--check"]) == DONE


def test_a_manifest_with_errors_is_not_locked(project: Path, capsys: Captured) -> None:
    main(["lock", MANIFEST])
    stored = (project / LOCK).read_bytes()
    (project / MANIFEST).write_text(INVALID, encoding="utf-8")
    assert main(["lock", MANIFEST]) == FAILED
    assert "ADK110" in capsys.readouterr().out
    assert main(["lock", MANIFEST, "--check"]) == FAILED
    assert (project / LOCK).read_bytes() == stored


def test_two_manifests_of_one_name_do_not_share_a_lock(project: Path, capsys: Captured) -> None:
    shutil.copy(project / MANIFEST, project / "twin.adk.yaml")
    main(["lock", MANIFEST])
    stored = (project / LOCK).read_bytes()
    assert main(["lock", "twin.adk.yaml"]) == FAILED
    assert "ADK602" in capsys.readouterr().out
    assert main(["lock", "twin.adk.yaml", "--check"]) == ANSWER_IS_NO
    assert (project / LOCK).read_bytes() == stored
    assert main(["lock", "twin.adk.yaml", "--lock-file", "twin.lock.json"]) == DONE
    assert main(["lock", "twin.adk.yaml", "--lock-file", "twin.lock.json", "--check"]) == DONE


def test_an_overlay_is_locked_with_its_manifest(project: Path, capsys: Captured) -> None:
    (project / "prod.yaml").write_text("runners: {desk: {limits: {max_model_calls: 4}}}\n", encoding="utf-8")
    both = ["lock", MANIFEST, "--overlay", "prod.yaml", "--lock-file", "prod.lock.json"]
    assert main(both) == DONE
    assert set(json.loads((project / "prod.lock.json").read_text("utf-8"))["files"]) == {MANIFEST, "prod.yaml"}
    assert main([*both, "--check"]) == DONE
    assert main(["lock", MANIFEST, "--lock-file", "prod.lock.json", "--check"]) == ANSWER_IS_NO
    assert "ADK605" in capsys.readouterr().out


def test_what_can_not_be_written_says_so(project: Path, capsys: Captured) -> None:
    (project / LOCK).mkdir()
    assert main(["lock", MANIFEST]) == FAILED
    assert f"{LOCK} can't be written" in capsys.readouterr().err
    assert os.listdir(project / LOCK) == []
    assert not [name for name in os.listdir(project) if name.startswith(".adk-decl-")]


def test_only_lock_files_are_written(capsys: Captured) -> None:
    assert main(["lock", MANIFEST, "--lock-file", MANIFEST]) == FAILED
    assert "ends in .lock.json" in capsys.readouterr().err


def test_a_run_under_its_lock(project: Path, capsys: Captured) -> None:
    assert main([*RUN, "--locked"]) == FAILED
    assert "ADK601" in capsys.readouterr().err
    main(["lock", MANIFEST])
    capsys.readouterr()
    assert main([*RUN, "--locked"]) == DONE
    assert "Order 1042" in capsys.readouterr().out
    change_code(project)
    assert main([*RUN, "--locked"]) == FAILED
    out, err = capsys.readouterr()
    assert out == ""
    assert "ADK607" in err
    assert main([*RUN, "--locked", "--json"]) == FAILED
    assert json.loads(capsys.readouterr().out)["diagnostics"][0]["code"] == "ADK607"
    assert main(RUN) == DONE


def test_a_lock_file_needs_to_be_asked_for(capsys: Captured) -> None:
    assert main([*RUN, "--lock-file", LOCK]) == FAILED
    assert "--lock-file needs --locked" in capsys.readouterr().err


def test_no_code_runs_while_locking(project: Path, capsys: Captured) -> None:
    marker = project / "ran"
    with (project / "support" / "orders.py").open("a", encoding="utf-8") as file:
        file.write(f"open({str(marker)!r}, 'w').close()\n")
    assert main(["lock", MANIFEST]) == DONE
    assert main(["lock", MANIFEST, "--check"]) == DONE
    assert not marker.exists()
