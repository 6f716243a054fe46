from __future__ import annotations

import pytest

from adk_decl.diagnostics.source import excerpt

KEYS = frozenset(("plugins", "log", "config", "max"))


@pytest.mark.parametrize(
    ("line", "pointed", "text"),
    [
        ("    config: {max: 5, secret: hunter2}", "max", "    config: {max: …, secret: …}"),
        ("    max: hunter2 and hunter3 # hunter4", "max", "    max: …"),
        ("    maxx: hunter2", "maxx", "    maxx: …"),
        ("    max: hunter2", "hunter2", "    max: …"),
        ("      - hunter2", "hunter2", "      - …"),
        ("      - max: [hunter2, 'hunter 3']", "max", "      - max: […, …]"),
        ('{"config": {"max": "hunter2"}}', '"max"', '{"config": {"max": …}}'),
        ("[plugins.log.config]", "config", "[plugins.log.config]"),
        ("config.max = 'hunter2'", "max", "config.max = …"),
        ("    max: |", "|", "    max: |"),
        ("    hunter2", "hunter2", "    …"),
        ("    max: hunter2: hunter3", "max", "    max: …: …"),
        (
            "  spare: {use: hunter2, config: {replies: [{text: hunter3}]}}",
            "spare",
            "  spare: {use: …, config: {replies: [{text: …}]}}",
        ),
        ('{"a": {"b": "hunter2"}, "c": [hunter3]}', '"c"', '{"a": {"b": …}, "c": […]}'),
        ("a = {b = 'hunter2', c = [1, {d = 2}]}", "a", "a = {b = …, c = […, {d = …}]}"),
        ("x: [a, hunter2]", "hunter2", "x: […, …]"),
        ("- id: hunter2", "id", "- id: …"),
        ("x: hunter2: hunter3", "hunter3", "x: …: …"),
        ("x: http://hunter2", "x", "x: …:…"),
        ("x: hunter2 {hunter3, hunter4:hunter5}", "x", "x: … {…, …:…}"),
        ('hunter2: hunter3", max: 5}', "max", "…: …, max: …}"),
        ("hunter2: hunter3', max: 5}", "max", "…: …, max: …}"),
        ('max: 5, x: "hunter2: hunter3', "max", "max: …, …: …: …"),
        ("# hunter2: hunter3", "#", "…: …"),
    ],
)
def test_masked_lines_show_keys_only(line: str, pointed: str, text: str) -> None:
    start = line.index(pointed)
    shown = excerpt(line, start, start + len(pointed), keys=KEYS)
    assert shown.text == text
    assert shown.start <= len(shown.text)
    assert "hunter" not in shown.text


def test_the_caret_follows_a_masked_line() -> None:
    line = "config: {secret: hunter2, max: 5}"
    start = line.index("max")
    shown = excerpt(line, start, start + 3, keys=KEYS)
    assert shown.text[shown.start : shown.start + shown.width] == "max"
