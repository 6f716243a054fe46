"""What is shown about a key, a value and a finding."""

from __future__ import annotations

from pathlib import Path

import pytest

from adk_decl.compiler.compile import compile_file
from adk_decl.editor.hover import hover
from tests.compiler.project import PLUGIN, write_files
from tests.editor.cursor import cut, manifest_at

CODE = f'''{PLUGIN}class Mask(Plugin):
    """Masks addresses.

    More.
    """

    def after_model(self, ctx, value): ...
'''
TEXT = """\
apiVersion: adk-decl/v1
kind: Manifest
name: example
models:
  clerk: {use: scripted, config: {replies: [{text: Hello.}]}}
agents:
  support: {model: clerk, description: Helps.}
plugins:
  mask: {use: "python:own:Mask", timeout_ms: 250}
  few: {use: context_filter, mode: intervene, config: {max_messages: 20}}
runners:
  desk: {agent: support, plugins: [mask, few]}
"""


def _text(folder: Path, place: str) -> str:
    """What is shown at the cursor in `place`, a part of TEXT with a mark in it."""
    write_files(folder, {"own.py": CODE})
    whole = TEXT.replace(place.replace("‸", ""), place, 1)
    shown = hover(*manifest_at(folder, whole))
    return shown.text if shown is not None else ""


@pytest.mark.parametrize(
    ("place", "parts"),
    [
        ("timeo‸ut_ms: 250", ["`timeout_ms`", "a whole number from 1 to 120000", "default `1000`", "milliseconds"]),
        ("timeout_ms: 2‸50", ["`timeout_ms`"]),
        ("mo‸de: intervene", ["`observe`, `intervene`, `shadow`", "default `observe`"]),
        ("context_‸filter", ["plugin, stable, built in", "Hooks: `before_model`", "`config.max_messages`"]),
        ("max_‸messages", ["`max_messages`", "newest ones"]),
        ("model: cle‸rk", ["model **`clerk`**", "`scripted`"]),
        ("agent: supp‸ort", ["agent **`support`**", "`clerk`", "Helps."]),
        ("[ma‸sk", ["plugin **`mask`**", "python:own:Mask"]),
        ('"python:own:Ma‸sk"', ["class **`Mask`** in `own.py`", "Masks addresses."]),
        ("kin‸d: Manifest", ["`Manifest`"]),
    ],
)
def test_hover(tmp_path: Path, place: str, parts: list[str]) -> None:
    shown = _text(tmp_path, place)
    assert [part for part in parts if part not in shown] == []
    assert "More." not in shown


def test_no_value_of_a_configuration_is_repeated(tmp_path: Path) -> None:
    assert "Hello." not in _text(tmp_path, "text: Hel‸lo.")


def test_a_finding_is_shown_with_the_page_of_its_code(tmp_path: Path) -> None:
    text, line, column = cut(TEXT.replace("timeout_ms", "timeo‸ut_msec"))
    write_files(tmp_path, {"own.py": CODE, "m.adk.yaml": text})
    findings = compile_file(str(tmp_path / "m.adk.yaml")).diagnostics
    manifest, _, _ = manifest_at(tmp_path, text + "‸")
    shown = hover(manifest, line, column, findings)
    assert shown is not None
    assert shown.text.startswith("**ADK110**: unknown key")
    assert "# ADK110" in shown.text
    assert shown.span is not None
    assert shown.span.line == line


def test_a_key_in_a_text_that_does_not_parse(tmp_path: Path) -> None:
    shown = hover(*manifest_at(tmp_path, "plugins:\n  a:\n    timeou‸t_ms: [\n"))
    assert shown is not None
    assert "milliseconds" in shown.text


@pytest.mark.parametrize("text", ["‸", "# a‸", "x: ‸", "[‸", "- ‸a"])
def test_nothing_to_say(tmp_path: Path, text: str) -> None:
    assert hover(*manifest_at(tmp_path, text)) is None
