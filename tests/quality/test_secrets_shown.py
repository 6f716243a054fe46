"""No secret is shown: values of the environment, literals, credentials and configurations, in every output there is."""

from __future__ import annotations

from pathlib import Path

import pytest

import adk_decl
from adk_decl.cli.checking import FORMATS
from adk_decl.cli.main import main
from tests.quality.bases import bases, lay_out

CANARY = "zq7canary4w"
KEY = f"sk-{CANARY}9Zk2LmQ8vX3bN5tR1"
BASE = next(base.text for base in bases() if base.name == "rich")
CREDENTIALS = {
    "an API key": KEY,
    "a GitHub token": f"ghp_{CANARY}AbCdEfGhIjKlMnOpQrStUvWx12",
    "a Slack token": f"xoxb-{CANARY}-1234567890",
    "a web token": f"eyJhbGciOiJIUzI1{CANARY}.eyJzdWIiOiIxMjM0{CANARY}",
    "a private key": f"-----BEGIN PRIVATE KEY----- {CANARY}",
}
PLACES = {
    "a text": ("description: Answers customers.", "description: '{}'"),
    "an instruction": ("instruction: You practise.", "instruction: '{}'"),
    "a configuration": ("instruction: Answer in the customer's language.", "instruction: '{}'"),
    "a name": ("name: rich", "name: '{}'"),
    "a number": ("timeout_ms: 20000", "timeout_ms: '{}'"),
    "a choice": ("tool_calling: native", "tool_calling: '{}'"),
    "an address": ("base_url: https://models.example.com/v1", "base_url: 'https://x.example/{}'"),
    "a component": ("use: openai_chat", "use: '{}'"),
    "a reference": ("agent: support", "agent: '{}'"),
    "code": ('use: "python:support.tools:lookup_order"', "use: '{}'"),
    "a hook": ("hooks: [before_run,", "hooks: ['{}',"),
    "a list item": ("- END", "- '{}'"),
    "a free key": ("seed: 7", "x-note: '{}'"),
    "an unknown key": ("seed: 7", "sede: '{}'"),
}
WRONG = {
    "a literal secret": ("        env: SHOP_API_KEY", f"        env: SHOP_API_KEY\n        value: {CANARY}"),
    "a literal in place of a secret": (
        "    api_key:\n      secret:\n        env: SHOP_API_KEY",
        f"    api_key: {CANARY}",
    ),
    "a literal below secret": ("      secret:\n        env: SHOP_API_KEY", f"      secret: {CANARY}"),
    "a value of a configuration": ("log_level: info", f"log_level: {CANARY}"),
    "a wrong type in a configuration": ("max_messages: 20", f"max_messages: {CANARY}"),
    "a number in a configuration": ("max_messages: 20", "max_messages: -7294618305"),
    "an unknown key of a configuration": ("max_messages: 20", f"max_message: {CANARY}"),
    "a quote in a configuration": ("instruction: Answer in the customer's language.", f'instruction: "{CANARY}'),
    "a second colon in a configuration": ("log_level: info", f"log_level: info: {CANARY}"),
    "a bracket in a configuration": ("log_level: info", f"log_level: [{CANARY}"),
    "a duplicate in a configuration": ("log_level: info", f"log_level: {CANARY}1\n      log_level: {CANARY}2"),
    "a tab in a configuration": ("      log_level: info", f"\tlog_level: {CANARY}"),
    "an indentation in a configuration": ("      log_level: info", f"   log_level: {CANARY}"),
    "a tag in a configuration": ("log_level: info", f"log_level: !!str {CANARY}"),
    "a script": ("text: Which order do you mean?", f"textt: {CANARY}"),
}
COMMANDS = (
    *(["validate", "--all", "--format", name] for name in FORMATS),
    *(["plan"], ["config"], ["config", "--origins"], ["env"], ["graph"], ["lock", "--check"]),
)

Captured = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lay_out(tmp_path)
    monkeypatch.chdir(tmp_path)


def outputs(text: str, captured: Captured, commands: tuple[list[str], ...] = COMMANDS) -> dict[str, str]:
    """What each command says about a manifest, on both streams."""
    Path("m.adk.yaml").write_text(text, encoding="utf-8")
    said = {}
    for command in commands:
        main([command[0], "m.adk.yaml", *command[1:]])
        both = captured.readouterr()
        said[" ".join(command)] = both.out + both.err
    return said


def leaks(said: dict[str, str], *canaries: str) -> list[str]:
    return [name for name, text in said.items() if any(canary in text for canary in canaries)]


@pytest.mark.parametrize("place", PLACES)
def test_a_credential_is_shown_nowhere(place: str, capsys: Captured) -> None:
    old, new = PLACES[place]
    for credential in CREDENTIALS.values():
        text = BASE.replace(old, new.format(credential), 1)
        assert text != BASE
        said = outputs(text, capsys, COMMANDS[: len(FORMATS)] if credential != KEY else COMMANDS)
        assert leaks(said, CANARY) == []
        assert "ADK301" in said["validate --all --format concise"] or place in ("a code",)


@pytest.mark.parametrize("name", WRONG)
def test_a_private_value_of_a_wrong_manifest_is_shown_nowhere(name: str, capsys: Captured) -> None:
    old, new = WRONG[name]
    text = BASE.replace(old, new, 1)
    assert text != BASE
    assert leaks(outputs(text, capsys), CANARY, "7294618305") == []


def test_the_environment_is_shown_nowhere(monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    for name in ("SHOP_API_KEY", "SHOP_MODEL", "MODEL_KEY_0"):
        monkeypatch.setenv(name, f"{CANARY}{name}")
    commands = (*COMMANDS, ["plan", "--json"], ["lock"], ["graph", "--format", "json"])
    said = outputs(BASE, capsys, commands)
    assert leaks(said, CANARY) == []
    assert all(text.strip() for name, text in said.items() if "jsonl" not in name)
    assert CANARY not in "".join(path.read_text() for path in Path().glob("*.json"))


@pytest.mark.parametrize("name", WRONG)
def test_the_error_of_load_shows_no_private_value(name: str) -> None:
    old, new = WRONG[name]
    Path("m.adk.yaml").write_text(BASE.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(adk_decl.ManifestError) as caught:
        adk_decl.load("m.adk.yaml")
    assert CANARY not in f"{caught.value} {caught.value!r} {caught.value.args} {caught.value.diagnostics}"


def test_project_code_that_is_wrong_shows_no_line_of_a_string(capsys: Captured) -> None:
    Path("support/tools.py").write_text(f'KEY = "{CANARY}"\ndef lookup_order(order_id: str) -> "{CANARY}\n')
    assert leaks(outputs(BASE, capsys, (["plan"], ["config"], ["env"])), f"{CANARY}x") == []
