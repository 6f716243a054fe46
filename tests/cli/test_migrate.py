from __future__ import annotations

from pathlib import Path

import pytest

from adk_decl.cli import migrating
from adk_decl.cli.exit_codes import ANSWER_IS_NO, DONE, FAILED
from adk_decl.cli.main import main
from adk_decl.cli.migrating import migrate_file
from adk_decl.cli.replace_file import FileChanged
from tests.compiler.project import BASE
from tests.migration.test_engine import STEPS, V0, V1

FOREIGN = BASE.replace("runners:", "plugins:\n- id: log # c\n  module: metadata_logger\nrunners:", 1)
OURS = BASE.replace("runners:", "plugins:\n  log: # c\n    use: metadata_logger\nrunners:", 1)

Captured = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "m.adk.yaml").write_text(FOREIGN, encoding="utf-8")
    monkeypatch.chdir(tmp_path)


def read() -> str:
    return Path("m.adk.yaml").read_text(encoding="utf-8")


def test_a_file_is_turned_and_each_change_told(capsys: Captured) -> None:
    assert main(["migrate", "--from", "erlang"]) == DONE
    assert read() == OURS
    out, err = capsys.readouterr()
    assert out.splitlines() == [
        "m.adk.yaml:10:3: `module` is now `use`",
        "m.adk.yaml:8:1: `plugins` is a map by `id`",
    ]
    assert err == "made 2 changes\n"
    assert main(["migrate", "--from", "erlang", "--check"]) == DONE
    assert capsys.readouterr() == ("", "nothing to migrate\n")


def test_a_check_writes_nothing_and_says_no(capsys: Captured) -> None:
    assert main(["migrate", "m.adk.yaml", "--from", "erlang", "--check"]) == ANSWER_IS_NO
    assert read() == FOREIGN
    assert capsys.readouterr().err == "would make 2 changes\n"


def test_a_diff_writes_nothing(capsys: Captured) -> None:
    assert main(["migrate", "m.adk.yaml", "--from", "erlang", "--diff"]) == DONE
    assert read() == FOREIGN
    out, err = capsys.readouterr()
    assert "+  log: # c" in out
    assert "`module` is now `use`" in err


def test_without_a_dialect_nothing_is_guessed(capsys: Captured) -> None:
    assert main(["migrate"]) == DONE
    assert read() == FOREIGN
    assert capsys.readouterr() == ("", "nothing to migrate\n")


def test_what_is_left_for_a_person_is_counted(capsys: Captured) -> None:
    text = FOREIGN.replace(
        "module: metadata_logger", "class: ContextFilterPlugin\n  config: {num_invocations_to_keep: 1}"
    )
    Path("m.adk.yaml").write_text(text, encoding="utf-8")
    assert main(["migrate", "--from", "google-adk"]) == DONE
    assert capsys.readouterr().err == "made 3 changes, 1 left to do by hand\n"
    assert main(["migrate", "--from", "google-adk", "--check"]) == ANSWER_IS_NO


def test_a_version_that_is_not_known(capsys: Captured) -> None:
    Path("m.adk.yaml").write_text(FOREIGN.replace("adk-decl/v1", "adk-decl/v7"), encoding="utf-8")
    assert main(["migrate"]) == FAILED
    assert capsys.readouterr().err.startswith("m.adk.yaml: the version `adk-decl/v7` of manifests is not known\n")


def test_a_file_that_can_not_be_read_is_told_and_the_others_are_done(capsys: Captured) -> None:
    Path("broken.adk.yaml").write_text("a: [\n", encoding="utf-8")
    assert main(["migrate", "broken.adk.yaml", "nowhere.adk.yaml", "m.adk.yaml", "--from", "erlang"]) == FAILED
    err = capsys.readouterr().err
    assert "broken.adk.yaml:" in err
    assert "ADK020" in err
    assert read() == OURS


@pytest.mark.parametrize("error", [FileChanged("x"), PermissionError("x")])
def test_a_file_that_can_not_be_written(error: OSError, monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    def broken(path: str, *, before: bytes, after: bytes) -> None:
        raise error

    monkeypatch.setattr(migrating, "replace_file", broken)
    assert main(["migrate", "m.adk.yaml", "--from", "erlang"]) == FAILED
    assert "not written: " in capsys.readouterr().err


def test_a_defect_in_one_file_keeps_no_other_back(monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    def broken(*arguments: object) -> object:
        raise ZeroDivisionError("not to be shown")

    monkeypatch.setattr(migrating, "migrate", broken)
    assert main(["migrate", "m.adk.yaml"]) == FAILED
    err = capsys.readouterr().err
    assert "ADK900" in err
    assert "not to be shown" not in err


def test_an_older_version_with_mark_and_line_ends(tmp_path: Path) -> None:
    file = tmp_path / "old.adk.yaml"
    file.write_bytes(b"\xef\xbb\xbf" + V0.replace("\n", "\r\n").encode())
    outcome = migrate_file(str(file), dialect=None, write=True, steps=STEPS)
    assert outcome.problem == ""
    assert file.read_bytes() == b"\xef\xbb\xbf" + V1.replace("\n", "\r\n").encode()


def test_a_wrong_dialect_and_no_file_are_wrong_usage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert main(["migrate", "--from", "cobol"]) == FAILED
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    assert main(["migrate"]) == FAILED
