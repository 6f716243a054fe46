"""Files in canonical layout: what is written, what is left alone, and that plans stay the same."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from adk_decl.cli import formatting
from adk_decl.cli.exit_codes import ANSWER_IS_NO, DEFECT, DONE, FAILED
from adk_decl.cli.formatting import Change, Formatted, format_files, format_one, hook, show_diff, summary
from adk_decl.compiler.compile import compile_file
from adk_decl.diagnostics.diagnostic import DiagnosticBag
from adk_decl.syntax.layout import Layout
from adk_decl.syntax.read import read_bytes
from tests.architecture.sources import CHECKOUT
from tests.benchmarks.manifests import manifest
from tests.cli.test_validate import VALID
from tests.syntax.messy import MessyYaml

MANIFESTS = sorted(path for folder in ("manifests", "manifests/valid") for path in (CHECKOUT / folder).glob("*.adk.*"))
MESSY = VALID.replace("\n  ", "\n     ").replace(": ", ":   ")

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    monkeypatch.chdir(tmp_path)

    def write(text: str, name: str = "m.adk.yaml") -> Path:
        path = tmp_path / name
        path.write_bytes(text.encode())
        return path

    return write


@pytest.mark.parametrize("path", MANIFESTS, ids=lambda p: p.name)
def test_the_example_manifests_are_canonical(path: Path) -> None:
    assert format_one(str(path)) == Formatted(files=1)


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("path", [p for p in MANIFESTS if p.suffix == ".yaml"], ids=lambda p: p.name)
def test_every_layout_of_a_manifest_has_its_plan(path: Path, seed: int) -> None:
    document = read_bytes(path.read_bytes(), file="f", format="yaml", bag=DiagnosticBag())
    assert document is not None
    tree: Any = document.root.to_plain()
    text = MessyYaml(Random(seed)).write(tree)
    assert digest(path, text) == digest(path, path.read_text("utf-8"))
    done = format_one(str(path), data=text.encode())
    assert done.found == ()
    laid_out = done.changes[0].after
    assert digest(path, laid_out) == digest(path, text)
    assert format_one(str(path), data=laid_out.encode()) == Formatted(files=1)


EXAMPLES = sorted(
    path
    for folder in ("invalid", "warned")
    for path in (CHECKOUT / "manifests" / folder).glob("ADK*")
    if path.suffix in (".yaml", ".toml")
)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.name)
def test_a_layout_hides_no_finding(path: Path) -> None:
    done = format_one(str(path))
    if not done.changes:
        return
    before, after = (codes(path, text) for text in (done.changes[0].before, done.changes[0].after))
    assert after == before - {"ADK009"}, "only the word that got quotes has no finding any more"


@pytest.mark.parametrize("lines", [50, 1000])
def test_the_made_manifests_are_canonical_and_come_back(lines: int, write: Write) -> None:
    text = manifest(lines)
    assert format_one("m.adk.yaml", data=text.encode()) == Formatted(files=1)
    messy = text.replace("  ", "     ").replace(", ", " ,").replace("\n", "  \r\n")
    assert format_one("m.adk.yaml", data=messy.encode()).changes[0].after.replace(",\n      ", ",\n      ") == text


def test_a_file_is_written(write: Write) -> None:
    path = write(MESSY)
    path.chmod(0o640)
    done = format_files([str(path)])
    assert [change.path for change in done.changes] == [str(path)]
    assert path.read_text() == VALID
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert os.listdir(path.parent) == [path.name]
    assert format_files([str(path)]) == Formatted(files=1)


def test_a_canonical_file_is_not_written(write: Write) -> None:
    path = write(VALID)
    before = path.stat().st_mtime_ns
    format_files([str(path)])
    assert path.stat().st_mtime_ns == before


def test_a_link_stays_a_link(write: Write, tmp_path: Path) -> None:
    path = write(MESSY)
    link = tmp_path / "link.adk.yaml"
    link.symlink_to(path.name)
    format_files([str(link)])
    assert link.is_symlink()
    assert path.read_text() == VALID


def test_a_byte_order_mark_stays(write: Write) -> None:
    path = write("\ufeff" + MESSY)
    format_files([str(path)])
    assert path.read_text() == "\ufeff" + VALID


def test_only_finding_out_writes_nothing(write: Write) -> None:
    path = write(MESSY)
    assert format_files([str(path)], write=False).changes == (Change(path=str(path), before=MESSY, after=VALID),)
    assert path.read_text() == MESSY


@pytest.mark.parametrize(
    ("name", "text", "code"),
    [
        ("m.adk.yaml", "a: [\n", "ADK004"),
        ("m.adk.yaml", "a: 1\na:  2\n", "ADK006"),
        ("m.adk.toml", "a = \n", "ADK004"),
        ("m.conf", "a:  1\n", "ADK021"),
        ("m.json", '{"a":  1}\n', "ADK910"),
    ],
)
def test_what_can_not_be_read_is_left_alone(name: str, text: str, code: str, write: Write) -> None:
    path = write(text, name)
    done = format_files([str(path)])
    assert [found.code for found in done.found] == [code]
    assert done.exit_code(checks=False) == done.exit_code(checks=True) == FAILED
    assert path.read_text() == text


def test_a_layout_that_says_something_else_is_not_written(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(MESSY)
    monkeypatch.setattr(formatting, "lay_out", lambda *_, **__: Layout(None, "other tree"))
    assert [found.code for found in format_files([str(path)]).found] == ["ADK910"]
    assert path.read_text() == MESSY


def test_a_defect_in_one_file_does_not_stop_the_others(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(path: str, data: bytes | None) -> Formatted:
        if "odd" in path:
            raise ZeroDivisionError
        return Formatted(files=1)

    monkeypatch.setattr(formatting, "_format", broken)
    monkeypatch.setenv("ADK_DECL_STATE_DIR", ".")
    done = format_files(["odd.adk.yaml", "m.adk.yaml"])
    assert (done.files, done.defects, done.exit_code(checks=True)) == (2, 1, DEFECT)
    assert [found.code for found in done.found] == ["ADK900"]


def test_a_file_that_may_not_be_written(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(MESSY)

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError

    monkeypatch.setattr("adk_decl.cli.replace_file.replace_file", refuse)
    done = format_files([str(path)])
    assert done.unwritten == (f"{path}: permission denied",)
    assert done.exit_code(checks=False) == FAILED
    assert path.read_text() == MESSY


def test_words_of_a_valid_file_get_quotes(write: Write) -> None:
    assert format_one("m.adk.yaml", data=f"{VALID}x-region: NO\n".encode()).changes[0].after.endswith('"NO"\n')


def test_words_of_a_file_with_errors_stay(write: Write) -> None:
    text = VALID.replace("kind: Manifest", "kind: Manifest\nx-region: NO\nnonsense: true")
    assert format_one("m.adk.yaml", data=text.encode()) == Formatted(files=1)


def test_a_comment_that_may_cut_a_value_stays(write: Write) -> None:
    text = f"{VALID}x-room: number #4\n"
    assert format_one("m.adk.yaml", data=text.encode()) == Formatted(files=1)


def test_a_diff_shows_no_private_value(write: Write) -> None:
    key = "sk-" + "a1B2c3D4e5F6g7H8" * 3
    text = f"apiVersion: adk-decl/v1\nkind: Manifest\nplugins:\n  p:\n    config:   {{token:   {key}}}\n"
    shown = show_diff(format_one("m.adk.yaml", data=text.encode()))
    assert "+    config:" in shown
    assert key not in shown


def test_the_summary_counts() -> None:
    changed = Formatted(files=5, changes=(Change(path="a", before="", after="\n"),), unwritten=("b: denied",))
    assert (
        summary(changed, written=True) == "formatted a\nnot written: b: denied\n1 formatted, 3 unchanged, 1 left alone"
    )
    assert summary(Formatted(files=2), written=False) == "0 to format, 2 unchanged"


def test_the_hook(write: Write) -> None:
    path = write(MESSY)
    assert hook(["--check", path.name]) == (ANSWER_IS_NO, f"would format {path.name}\n1 to format, 0 unchanged")
    assert hook([path.name]) == (DONE, f"formatted {path.name}\n1 formatted, 0 unchanged")
    assert hook(["--check", "--", path.name]) == (DONE, "")
    odd = write("a: [", "-odd.adk.yaml")
    code, said = hook(["--", odd.name])
    assert code == FAILED
    assert "ADK004" in said
    with pytest.raises(ValueError, match="the hook knows"):
        hook(["--nonsense", path.name])


def codes(path: Path, text: str) -> set[str]:
    found = compile_file(str(path), texts={os.path.abspath(path): text.encode()}).diagnostics
    return {finding.code for finding in found}


def digest(path: Path, text: str) -> str:
    plan = compile_file(str(path), texts={os.path.abspath(path): text.encode()}).plan
    assert plan is not None
    return plan.digest
