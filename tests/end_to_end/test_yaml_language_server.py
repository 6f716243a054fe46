"""Our schema in yaml-language-server, which the YAML extensions of most editors run."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.architecture.sources import CHECKOUT
from tests.editor.cursor import cut
from tests.end_to_end.editors import copy_of_examples, yaml_language_server
from tests.lsp.client import Client

pytestmark = pytest.mark.slow

EXAMPLES = sorted((CHECKOUT / "manifests").glob("*.adk.yaml"))
SETTINGS = {"yaml": {"validate": True, "completion": True, "hover": True, "schemaStore": {"enable": False}}}
CAPABILITIES = {"workspace": {"configuration": True}}


@pytest.fixture
def server() -> Iterator[Client]:
    with Client(yaml_language_server(), cwd=CHECKOUT, settings=SETTINGS) as client:
        client.initialize(CAPABILITIES)
        yield client


@pytest.fixture
def informed(tmp_path: Path) -> Iterator[tuple[Client, Path]]:
    """A server over a copy of the examples whose schema knows the components of the quickstart."""
    manifests = copy_of_examples(tmp_path, with_plugins="quickstart.adk.yaml")
    with Client(yaml_language_server(), cwd=tmp_path, settings=SETTINGS) as client:
        client.initialize(CAPABILITIES)
        yield client, manifests


def _changed(path: Path, old: str, new: str) -> str:
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1
    return text.replace(old, new)


def _lines(findings: list[dict[str, Any]]) -> list[int]:
    return [found["range"]["start"]["line"] for found in findings]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_the_examples_have_no_findings(server: Client, path: Path) -> None:
    assert server.findings(server.open(path)) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("timeout_ms: 5000", "timeout_msec: 5000"),
        ("timeout_ms: 5000", "timeout_ms: soon"),
        ("max_model_calls: 8", "max_model_calls: 0"),
        ("session_store: {use: sqlite}", "session_store: {use: 3}"),
        ("    use: reflect_retry\n", "    use: reflect_retry\n    failure_policy: fail_closed\n"),
    ],
)
def test_a_mistake_is_shown_on_its_line(server: Client, old: str, new: str) -> None:
    path = CHECKOUT / "manifests" / "quickstart.adk.yaml"
    text = _changed(path, old, new)
    wrong = text[: text.index(new) + len(new.rstrip("\n"))].count("\n")
    # The modeline in the first line leads from the manifest to the schema: without it there would be no finding.
    assert _lines(server.findings(server.open(path, text))) == [wrong]


def test_keys_and_choices_are_completed(server: Client) -> None:
    path = CHECKOUT / "manifests" / "quickstart.adk.yaml"
    text, line, column = cut(_changed(path, "    use: reflect_retry\n", "    use: reflect_retry\n    ‸\n"))
    uri = server.open(path, text)
    server.findings(uri)
    labels = {item["label"] for item in server.at("completion", uri, line - 1, column - 1)["items"]}
    assert {"failure_policy", "timeout_ms", "isolation"} <= labels


def test_the_examples_fit_the_schema_with_plugins_too(informed: tuple[Client, Path]) -> None:
    client, manifests = informed
    for path in sorted(manifests.glob("*.adk.yaml")):
        assert client.findings(client.open(path)) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("config: {max_messages: 20}", "config: {max_mesages: 20}"),
        ("config: {visible_characters: 1}", "config: {visible_characters: 9}"),
        ("config: {log_level: debug}", "config: {log_level: loud}"),
    ],
)
def test_a_mistake_in_a_configuration_is_shown_on_its_line(informed: tuple[Client, Path], old: str, new: str) -> None:
    client, manifests = informed
    path = manifests / "quickstart.adk.yaml"
    text = _changed(path, old, new)
    assert _lines(client.findings(client.open(path, text))) == [text[: text.index(new)].count("\n")]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("config: {max_messages: 20}", "config:\n      max_messages: 20\n      ‸", {"include_roles", "exclude_roles"}),
        ("config: {visible_characters: 1}", "config:\n      ‸", {"visible_characters"}),
        ("config: {log_level: debug}", "config:\n      log_level: ‸", {"debug", "info"}),
    ],
)
def test_completion_inside_a_configuration(
    informed: tuple[Client, Path], old: str, new: str, expected: set[str]
) -> None:
    client, manifests = informed
    path = manifests / "quickstart.adk.yaml"
    text, line, column = cut(_changed(path, old, new))
    uri = client.open(path, text)
    client.findings(uri)
    labels = {item["label"] for item in client.at("completion", uri, line - 1, column - 1)["items"]}
    assert expected <= labels


def test_the_setting_of_the_documentation_does_without_the_first_line(tmp_path: Path) -> None:
    page = (CHECKOUT / "docs" / "editor-setup.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```json\n(\{ \"yaml.schemas\".*?)```", page, flags=re.DOTALL)
    schemas = json.loads(block)["yaml.schemas"]
    path = copy_of_examples(tmp_path) / "quickstart.adk.yaml"
    text = _changed(path, "max_model_calls: 8", "max_model_calls: 0").partition("\n")[2]
    settings = {"yaml": {**SETTINGS["yaml"], "schemas": schemas}}
    with Client(yaml_language_server(), cwd=tmp_path, settings=settings) as client:
        client.initialize(CAPABILITIES)
        wrong = text[: text.index("max_model_calls: 0")].count("\n")
        assert _lines(client.findings(client.open(path, text))) == [wrong]
