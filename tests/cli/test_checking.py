"""What `validate` remembers, seen from the command line."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from adk_decl import hook
from adk_decl.cli.exit_codes import DEFECT, DONE, FAILED
from adk_decl.cli.main import main
from tests.cli.test_validate import INVALID, VALID, WARNED

LAYERED = VALID + "extends: base.yaml\n"
TOOL = VALID.replace(
    "agents:\n  a: {model: m}", "tools:\n  t: {use: 'python:shop:look'}\nagents:\n  a: {model: m, tools: [t]}"
)
FUNCTION = "def look(order: str) -> str:\n    return order\n"


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pyproject.toml").touch()
    monkeypatch.chdir(tmp_path)


def write(**files: str) -> None:
    for name, text in files.items():
        Path(name.replace("__", ".")).write_text(text, encoding="utf-8")


@pytest.fixture
def compiles(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that were compiled, in order."""
    from adk_decl.compiler import compile as module

    told: list[str] = []
    real = module.compile_file

    def told_of(path: str, **options: object) -> object:
        told.append(path)
        return real(path, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(module, "compile_file", told_of)
    return told


def test_clean_files_are_compiled_once(compiles: list[str]) -> None:
    write(a__adk__yaml=VALID, b__adk__yaml=VALID, bad__adk__yaml=INVALID, warned__adk__yaml=WARNED)
    assert main(["validate", "."]) == FAILED
    assert len(compiles) == 4
    compiles.clear()
    assert main(["validate", "."]) == FAILED
    assert compiles == ["bad.adk.yaml", "warned.adk.yaml"]


@pytest.mark.parametrize("arguments", [["a.adk.yaml"], ["--format", "json", "a.adk.yaml"]])
def test_a_warm_run_says_the_same(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    write(a__adk__yaml=VALID)
    said = []
    for _ in range(2):
        assert main(["validate", *arguments]) == DONE
        said.append(capsys.readouterr().out)
    for _ in range(2):
        assert hook.main(arguments) == DONE
        said.append(capsys.readouterr().out)
    assert said[0] == said[1]
    assert said[2] == said[3]


def test_an_edit_of_a_function_a_layer_or_a_new_file_is_found() -> None:
    write(shop__py=FUNCTION, t__adk__yaml=TOOL)
    assert main(["validate", "t.adk.yaml"]) == DONE
    write(shop__py=FUNCTION.replace("look", "luck"))
    assert main(["validate", "t.adk.yaml"]) == FAILED
    write(shop__py=FUNCTION)
    assert main(["validate", "t.adk.yaml"]) == DONE
    os.mkdir("shop")
    Path("shop/__init__.py").touch()
    assert main(["validate", "t.adk.yaml"]) == FAILED


def test_an_edit_of_a_layer_is_found() -> None:
    write(base__yaml="apiVersion: adk-decl/v1\nkind: Manifest\ndescription: base\n", l__adk__yaml=LAYERED)
    assert main(["validate", "l.adk.yaml"]) == DONE
    write(base__yaml="apiVersion: adk-decl/v1\nkind: Manifest\ndescription: [1]\n")
    assert main(["validate", "l.adk.yaml"]) == FAILED


def test_an_edit_of_an_overlay_is_found() -> None:
    write(a__adk__yaml=VALID, over__yaml="apiVersion: adk-decl/v1\nkind: Overlay\ndescription: laid over\n")
    arguments = ["validate", "a.adk.yaml", "--overlay", "over.yaml"]
    assert [main(arguments), main(arguments)] == [DONE, DONE]
    write(over__yaml="apiVersion: adk-decl/v1\nkind: Overlay\ndescription: [1]\n")
    assert main(arguments) == FAILED
    assert main(["validate", "a.adk.yaml"]) == DONE


@pytest.mark.parametrize("off", ["--no-cache", "off"])
def test_it_can_be_left_out(off: str, compiles: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    write(a__adk__yaml=VALID)
    if off == "off":
        monkeypatch.setenv("ADK_DECL_CACHE", "off")
    options = ["--no-cache"] if off == "--no-cache" else []
    for _ in range(2):
        assert main(["validate", "a.adk.yaml", *options]) == DONE
        assert hook.main(["a.adk.yaml", *options]) == DONE
    assert len(compiles) == 4


def test_a_defect_is_not_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    write(a__adk__yaml=VALID)
    with monkeypatch.context() as patch:
        patch.setattr("adk_decl.compiler.compile.compile_file", lambda *_, **__: 1 / 0)
        assert main(["validate", "a.adk.yaml"]) == DEFECT
    assert main(["validate", "a.adk.yaml"]) == DONE


@pytest.mark.parametrize("command", [["plan"], ["run", "--message", "hello"]])
def test_no_other_command_looks_there(command: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def looked(*_: object, **__: object) -> None:
        raise AssertionError("the cache was looked at")

    write(a__adk__yaml=VALID)
    monkeypatch.setattr("adk_decl.compiler.clean_results.CleanResults.find", looked)
    monkeypatch.setattr("adk_decl.compiler.clean_results.CleanResults.keep", looked)
    assert main([command[0], "a.adk.yaml", *command[1:]]) == DONE
