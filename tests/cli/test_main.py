"""The command line as a whole: exit codes, what is said, and where."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import jsonschema
import pytest

from adk_decl.cli.exit_codes import DEFECT, DONE, FAILED, INTERRUPTED, TERMINATED
from adk_decl.cli.main import COMMANDS, cli, main
from adk_decl.data_files import read_data
from adk_decl.version import VERSION
from tests.architecture.sources import CHECKOUT
from tests.cli.stub_commands import SECRET_TEXT

_STUBBED = """
import sys
from adk_decl.cli import main
main.COMMANDS["stub"] = ("tests.cli.stub_commands", "Ends as told.")
sys.exit(main.main(sys.argv[1:]))
"""


@pytest.fixture(autouse=True)
def _stub(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setitem(COMMANDS, "stub", ("tests.cli.stub_commands", "Ends as told."))
    before = signal.getsignal(signal.SIGTERM)
    yield
    signal.signal(signal.SIGTERM, before)


def _start(*arguments: str, stdout: int = subprocess.PIPE, **environment: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", _STUBBED, *arguments],
        cwd=CHECKOUT,
        env={**os.environ, **environment},
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_help_lists_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == DONE
    shown = capsys.readouterr().out
    assert [name for name in COMMANDS if f"  {name} " not in shown] == []


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == DONE
    assert capsys.readouterr().out == f"adk-decl {VERSION}\n"


@pytest.mark.parametrize(
    "arguments", [[], ["--nonsense"], ["validte"], ["stub"], ["stub", "x", "y"], ["validate", "--format", "x"]]
)
def test_wrong_usage_is_1(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == FAILED
    out, err = capsys.readouterr()
    assert out == ""
    assert "sage" in err


def test_the_nearest_command_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["validte"]) == FAILED
    assert "did you mean 'validate'?" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "code", "error"),
    [
        (["validate", "--format", "json", "--nonsense"], FAILED, "usage"),
        (["--nonsense", "validate", "--format=json"], FAILED, "usage"),
        (["plan", "--json"], FAILED, "usage"),
        (["stub", "defect", "--json"], DEFECT, "internal"),
        (["stub", "interrupt", "--json"], INTERRUPTED, "interrupted"),
    ],
)
def test_json_stays_one_document(
    arguments: list[str], code: int, error: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == code
    document = json.loads(capsys.readouterr().out)
    jsonschema.validate(document, json.loads(read_data("schemas/diagnostics.v1.schema.json")))
    assert (document["format_version"], document["valid"], document["error"]["code"]) == (1, False, error)


def test_a_command_gives_the_exit_code() -> None:
    assert main(["stub", "no"]) == 2


def test_ctrl_c_is_130(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["stub", "interrupt"]) == INTERRUPTED
    assert "Traceback" not in capsys.readouterr().err


def test_a_defect_is_one_line_and_a_log(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert main(["stub", "defect"]) == DEFECT
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert "RuntimeError" in err
    log = Path(err.split(" with ")[1].strip())
    text = log.read_text(encoding="utf-8")
    assert "builtins.KeyError" in text
    assert "stub_commands.py" in text
    assert "the text of a foreign exception" not in text.replace(f'"{SECRET_TEXT}"', "")
    assert log.stat().st_mode & 0o777 == 0o600


def test_the_texts_of_exceptions_are_logged_only_when_asked_for(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ADK_DECL_DEBUG", "1")
    assert main(["stub", "defect"]) == DEFECT
    err = capsys.readouterr().err
    assert SECRET_TEXT not in err
    assert f"builtins.RuntimeError: {SECRET_TEXT}" in Path(err.split(" with ")[1].strip()).read_text(encoding="utf-8")


def test_a_defect_without_a_place_for_the_log_is_still_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    monkeypatch.setenv("ADK_DECL_STATE_DIR", str(tmp_path / "file"))
    assert main(["stub", "defect"]) == DEFECT
    assert "could not be written" in capsys.readouterr().err


def test_only_the_newest_logs_are_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from adk_decl.cli.defect import LOGS_KEPT

    monkeypatch.setenv("ADK_DECL_STATE_DIR", str(tmp_path))
    (tmp_path / "logs").mkdir()
    for number in range(LOGS_KEPT + 10):
        (tmp_path / "logs" / f"defect-20000101-{number:06}-1.log").write_text("", encoding="utf-8")
    main(["stub", "defect"])
    names = sorted(file.name for file in (tmp_path / "logs").iterdir())
    assert len(names) == LOGS_KEPT
    assert names[0] == "defect-20000101-000011-1.log"


def test_term_is_143() -> None:
    process = _start("stub", "wait")
    assert process.stdout is not None
    assert process.stdout.readline() == "waiting\n"
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=20)
    assert (process.returncode, err) == (TERMINATED, "")


def test_a_real_ctrl_c_is_130() -> None:
    process = _start("stub", "wait")
    assert process.stdout is not None
    assert process.stdout.readline() == "waiting\n"
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=20)
    assert process.returncode == INTERRUPTED
    assert "Traceback" not in err


def test_a_reader_that_goes_away_is_no_traceback() -> None:
    process = _start("stub", "much")
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    assert process.wait(timeout=20) == FAILED
    assert process.stderr.read() == ""
    process.stderr.close()


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
@pytest.mark.parametrize("arguments", [["components"], ["plan", "--json"]])
def test_a_full_disk_is_1(arguments: list[str]) -> None:
    with open("/dev/full", "w", encoding="utf-8") as full:
        process = _start(*arguments, stdout=full.fileno())
        _, err = process.communicate(timeout=20)
    assert process.returncode == FAILED
    assert "Traceback" not in err


def test_text_that_a_terminal_cannot_show_stops_nothing() -> None:
    process = _start("stub", "odd", PYTHONIOENCODING="ascii")
    out, _ = process.communicate(timeout=20)
    assert (process.returncode, out) == (DONE, "? é →\n")


def test_every_command_has_help(capsys: pytest.CaptureFixture[str]) -> None:
    for name in COMMANDS:
        assert main([name, "--help"]) == DONE, name
        assert name in capsys.readouterr().out


def test_the_table_is_that_of_the_module() -> None:
    assert cli.list_commands(click.Context(cli)) == list(COMMANDS)
