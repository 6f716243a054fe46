"""What is offered where, in texts that parse and in those that don't."""

from __future__ import annotations

from pathlib import Path

import pytest

from adk_decl.editor.complete import Item, complete
from tests.compiler.project import PLUGIN, write_files
from tests.editor.cursor import manifest_at

HEAD = """\
apiVersion: adk-decl/v1
kind: Manifest
name: example
models:
  clerk: {use: scripted, config: {replies: [{text: Hello.}]}}
  slow model: {use: openai_chat, model: x}
tools:
  find: {use: "python:own.code:find"}
  keep: {use: "python:own.code:keep"}
"""
CODE = f"""{PLUGIN}class Mask(Plugin):
    config_schema = {{"type": "object", "properties": {{"visible": {{"type": "integer", "description": "How many."}}}}}}

    def after_model(self, ctx, value): ...


class _Hidden(Plugin):
    def after_model(self, ctx, value): ...


def find(order: str) -> str: ...
"""


def _items(folder: Path, text: str, *, head: str = HEAD, ending: str = "yaml") -> dict[str, Item]:
    write_files(folder, {"own/__init__.py": "", "own/code.py": CODE, "own/more/__init__.py": ""})
    return {item.label: item for item in complete(*manifest_at(folder, head + text, ending=ending))}


def _texts(folder: Path, text: str, *, ending: str = "yaml", head: str = HEAD) -> dict[str, str]:
    return {label: item.text for label, item in _items(folder, text, ending=ending, head=head).items()}


def test_the_first_keys_of_an_empty_file(tmp_path: Path) -> None:
    found = _texts(tmp_path, "‸", head="")
    assert list(found)[:3] == ["apiVersion", "kind", "name"]
    assert found["apiVersion"] == "apiVersion: adk-decl/v1"
    assert found["name"] == "name: "
    assert found["models"] == "models:"


def test_keys_that_stand_there_already_are_not_offered(tmp_path: Path) -> None:
    found = _items(tmp_path, "plugins:\n  a:\n    use: context_filter\n    mo‸\n    timeout_ms: 3\n")
    assert {"mode", "config", "hooks"} <= set(found)
    assert not {"use", "timeout_ms"} & set(found)
    mode = found["mode"]
    assert (mode.start, mode.end, mode.text) == (4, 6, "mode: ")
    assert "intervene" in mode.documentation


def test_a_key_that_is_changed_keeps_its_colon(tmp_path: Path) -> None:
    assert _texts(tmp_path, "plugins:\n  a:\n    timeo‸ut_msec: 3\n")["timeout_ms"] == "timeout_ms"


def test_choices_and_defaults(tmp_path: Path) -> None:
    found = _items(tmp_path, "plugins:\n  a:\n    use: context_filter\n    mode: ‸")
    assert list(found) == ["observe", "intervene", "shadow"]
    assert found["observe"].detail == "default"
    assert list(_texts(tmp_path, "plugins:\n  a: {use: x, timeout_ms: ‸}")) == ["1000"]
    assert list(_texts(tmp_path, "tools:\n  a: {use: x, confirm: ‸}", head="")) == ["true", "false"]


def test_names_of_definitions(tmp_path: Path) -> None:
    found = _items(tmp_path, "agents:\n  a: {model: ‸}")
    assert [found["clerk"].text, found["slow model"].text] == ["clerk", '"slow model"']
    assert "scripted" in found["clerk"].documentation
    assert list(_texts(tmp_path, "agents:\n  a: {tools: [find, ‸]}")) == ["keep"]


def test_a_list_that_is_not_begun_gets_its_items(tmp_path: Path) -> None:
    assert _texts(tmp_path, "agents:\n  a:\n    tools:\n      ‸") == {"find": "- find", "keep": "- keep"}
    assert _texts(tmp_path, "agents:\n  a:\n    tools:\n      - ‸") == {"find": "find", "keep": "keep"}


def test_a_value_right_after_its_colon_gets_a_space(tmp_path: Path) -> None:
    assert _texts(tmp_path, "agents:\n  a:\n    model:‸")["clerk"] == " clerk"


def test_plugins_of_a_runner_are_names_or_whole_descriptors(tmp_path: Path) -> None:
    found = _texts(tmp_path, "plugins:\n  p: {use: context_filter}\nrunners:\n  r:\n    plugins:\n      - ‸")
    assert found["p"] == "p"
    assert found["id"] == "id: "


def test_components_and_their_configuration(tmp_path: Path) -> None:
    uses = _items(tmp_path, "plugins:\n  a:\n    use: ‸")
    assert {"global_instruction", "context_filter"} <= set(uses)
    assert "before_model" in uses["context_filter"].documentation
    keys = _items(tmp_path, "plugins:\n  a:\n    use: global_instruction\n    config:\n      ‸")
    assert next(iter(keys)) == "instruction"
    assert "required" in keys["instruction"].detail
    values = "plugins:\n  a:\n    use: global_instruction\n    config: {instruction: x, position: ‸}"
    assert list(_texts(tmp_path, values)) == ["prepend", "append"]


def test_the_configuration_of_a_plugin_of_the_project(tmp_path: Path) -> None:
    found = _items(tmp_path, 'plugins:\n  a:\n    use: "python:own.code:Mask"\n    config: {‸}')
    assert list(found) == ["visible"]
    assert "How many." in found["visible"].documentation


def test_modules_then_what_they_define(tmp_path: Path) -> None:
    assert {"python:own"} <= set(_items(tmp_path, "plugins:\n  a:\n    use: python:o‸"))
    inner = _items(tmp_path, "plugins:\n  a:\n    use: python:own.c‸")
    assert {"python:own.code:", "python:own.more"} <= set(inner)
    assert inner["python:own.code:"].text == '"python:own.code:"'
    classes = _items(tmp_path, 'plugins:\n  a:\n    use: "python:own.code:‸"')
    assert [label for label in classes if label.startswith("python:")] == ["python:own.code:Mask"]
    assert classes["python:own.code:Mask"].text == "python:own.code:Mask"
    functions = _items(tmp_path, 'tools:\n  a: {use: "python:own.code:‸"}', head="")
    assert list(functions) == ["python:own.code:find"]


def test_a_secret_is_offered_as_a_reference(tmp_path: Path) -> None:
    found = _texts(tmp_path, "models:\n  m: {use: openai_chat, api_key: ‸}", head="")
    assert list(found.values()) == ["{secret: {env: }}"]


@pytest.mark.parametrize("text", ["agents: [‸", "x: {y: [‸", "agents:\n  a: {model: cl‸", 'agents:\n  a: {model: "‸'])
def test_a_text_that_does_not_parse_is_no_hindrance(tmp_path: Path, text: str) -> None:
    found = _texts(tmp_path, text)
    assert ("clerk" in found) == ("model" in text)


def test_nothing_is_offered_where_nothing_is_known(tmp_path: Path) -> None:
    assert _texts(tmp_path, "# ‸") == {}
    assert _texts(tmp_path, "plugins:\n  a:\n    use: nothing\n    config:\n      ‸") == {}
    assert _texts(tmp_path, "nokey:\n  a: ‸") == {}


def test_toml(tmp_path: Path) -> None:
    head = 'apiVersion = "adk-decl/v1"\n[models.clerk]\nuse = "scripted"\n'
    found = _texts(tmp_path, "[agents.a]\nmodel = ‸", ending="toml", head=head)
    assert found == {"clerk": '"clerk"'}
    assert _texts(tmp_path, '[agents.a]\nmodel = "cl‸"', ending="toml", head=head) == {"clerk": "clerk"}
    assert _texts(tmp_path, "[agents.a]\nmo‸", ending="toml", head=head)["model"] == "model = "
    assert _texts(tmp_path, "[agents.a]\nmo‸ = 1", ending="toml", head=head)["model"] == "model"
    headers = _texts(tmp_path, "[agen‸", ending="toml", head=head)
    assert headers["agents"] == "agents"
    assert "name" not in headers


def test_json(tmp_path: Path) -> None:
    found = _texts(tmp_path, '{"models": {"a": {‸}}}', ending="json", head="")
    assert found["use"] == '"use": '
    assert _texts(tmp_path, '{"kind": ‸}', ending="json", head="")["Manifest"] == '"Manifest"'
