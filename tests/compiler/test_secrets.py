"""Credentials that were written into a manifest."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from adk_decl.compiler.secrets import known_form, looks_random
from adk_decl.diagnostics import concise, json_format, text
from tests.compiler.project import BASE, codes, compile_text

# Made up, and put together here so that no scanner takes this file for a leak.
KEYS = [
    "sk-" + "proj-" + "a1B2c3D4e5F6g7H8i9J0",
    "AKIA" + "IOSFODNN7" + "EXAMPLE",
    "ghp_" + "abcdefghijklmnopqrstuvwxyz0123456789",
    "xoxb-" + "1234567890-abcdefghij",
    "AIza" + "SyA1234567890abcdefghijklmnopqrstuv",
    "-----BEGIN " + "RSA PRIVATE KEY-----",
    "-----BEGIN " + "PRIVATE KEY-----",
    "Bearer sk-" + "abcdefghij1234567890abcd",
    "eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiIxMjM0NTY3ODkwIn0." + "dozjgNryP4J3jVmNHl0w5N",
    "https://user:ghp_" + "abcdefghijklmnopqrstuvwxyz0123456789@example.com",
]


HIDDEN = [
    f'description: "\\x{ord(KEYS[0][0]):02x}{KEYS[0][1:]}"\n',
    f'description: "{KEYS[3][:2]}\\\n  {KEYS[3][2:]}"\n',
    "description: >-\n  -----BEGIN PRIVATE\n  KEY-----\n",
    "description: -----BEGIN RSA PRIVATE\n  KEY-----\n",
]
"""Credentials that the text of the file does not hold in one piece."""


@pytest.mark.parametrize("line", HIDDEN)
def test_what_escapes_and_folding_hide(tmp_path: Path, line: str) -> None:
    assert "ADK301" in codes(compile_text(tmp_path, BASE + line))


@pytest.mark.parametrize("key", KEYS)
def test_known_forms(tmp_path: Path, key: str) -> None:
    assert known_form(key) is not None
    for manifest in (
        BASE + f'description: "{key}"\n',
        BASE + f'x-note: {{deep: ["{key}"]}}\n',
        BASE.replace("text: Hello.", f'text: "{key}"'),
        BASE + f'x-note: {{"{key}": 1}}\n',
    ):
        result = compile_text(tmp_path, manifest)
        assert "ADK301" in codes(result)
        for render in (text.render, concise.render, json_format.render):
            assert key not in render(result.diagnostics, result.sources)


@pytest.mark.parametrize(
    "harmless",
    [
        "sk-learn-something-with-a-long-name",
        "task-1234567890-abcdefghijklmnop",
        "skeleton-key",
        "AKIA",
        "ghp_short",
        "the private key is kept elsewhere",
        "https://example.com/a/long/path/that/is/harmless/and/has/CAPITALS/1234",
        "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "0123456789abcdef0123456789abcdef",
        "An ordinary sentence with Capitals and 123 numbers in it, and it is long.",
        "some_very_long_identifier_Of_A_Function_42",
    ],
)
def test_what_is_no_secret(harmless: str) -> None:
    assert known_form(harmless) is None
    assert not looks_random(harmless)


def test_a_random_text_is_a_warning(tmp_path: Path) -> None:
    value = "qT7vL2mX9bR4kZ8w" + "N1cY6hD3sF5gJ0pA"
    result = compile_text(tmp_path, BASE + f"description: {value}\n")
    assert codes(result) == ["ADK305"]
    assert result.plan is not None
    assert value not in text.render(result.diagnostics, result.sources)


@pytest.mark.parametrize("unit", ["sk-", "eyJ-", "eyJaaaaaaaaaa.eyJ", "ghp_", "AKIA ", "-----BEGIN RSA ", "xoxb-"])
def test_long_texts_are_scanned_in_time(tmp_path: Path, unit: str) -> None:
    lines = "\n".join(f"  k{i}: '{unit * (8000 // len(unit))}'" for i in range(120))
    before = time.process_time()
    compile_text(tmp_path, BASE + f"x-note:\n{lines}\n")
    assert time.process_time() - before < 4
