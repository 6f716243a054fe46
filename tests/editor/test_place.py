"""Where the cursor is in texts that are being written; the rules of YAML stand in the other two files' tests too."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adk_decl.editor.place import Place, place_at
from adk_decl.syntax.document import Path
from adk_decl.syntax.read import Format
from tests.editor.cursor import cut

YAML: dict[str, tuple[str, Path, str, str]] = {
    "an empty text": ("‸", (), "either", ""),
    "a word at the top": ("kind: Manifest\nmod‸", (), "either", "mod"),
    "a value": ("kind: Man‸", ("kind",), "value", "Man"),
    "a value not begun": ("kind: ‸", ("kind",), "value", ""),
    "right after the colon": ("kind:‸", ("kind",), "value", ""),
    "a quoted value": ('kind: "Man‸"', ("kind",), "value", "Man"),
    "an empty line inside": ("plugins:\n  a:\n    use: x\n    ‸", ("plugins", "a"), "either", ""),
    "an empty line one step out": ("plugins:\n  a:\n    use: x\n  ‸", ("plugins",), "either", ""),
    "an empty line at the left": ("plugins:\n  a:\n    use: x\n‸", (), "either", ""),
    "a line below a value": ("plugins:\n  a:\n    use: x\n      ‸", (), "none", ""),
    "between two keys": ("plugins:\n  a:\n    ‸\n    use: x\n", ("plugins", "a"), "either", ""),
    "a key being written": ("plugins:\n  a:\n    tim‸: 3\n", ("plugins", "a"), "either", "tim"),
    "an item": ("agents:\n  a:\n    tools:\n      - fo‸", ("agents", "a", "tools", 0), "either", "fo"),
    "an item not begun": ("tools:\n  - a\n  - ‸", ("tools", 1), "either", ""),
    "an item at the key's column": ("tools:\n- a\n- b\n- ‸", ("tools", 2), "either", ""),
    "a list not begun": ("agents:\n  a:\n    tools:\n      ‸", ("agents", "a", "tools"), "either", ""),
    "a map in a list": ("plugins:\n  - id: a\n    us‸", ("plugins", 0), "either", "us"),
    "the second map": ("plugins:\n  - id: a\n    use: b\n  - id: c\n    use: ‸", ("plugins", 1, "use"), "value", ""),
    "a list after a list": ("a:\n  - x\nb:\n  - ‸", ("b", 0), "either", ""),
    "a key in brackets": ("tools: {a: {us‸", ("tools", "a"), "key", "us"),
    "the first key in brackets": ("tools: {‸}", ("tools",), "key", ""),
    "the second key in brackets": ("tools: {a: {use: x, ‸}}", ("tools", "a"), "key", ""),
    "a value in brackets": ("tools: {a: {use: ‸}}", ("tools", "a", "use"), "value", ""),
    "a quoted value in brackets": ('tools: {a: {use: "py‸"}}', ("tools", "a", "use"), "value", "py"),
    "an item in brackets": ("tools: [a, b‸]", ("tools", 1), "either", "b"),
    "a map in a list in brackets": ("plugins: [x, {id: a, us‸}]", ("plugins", 1), "key", "us"),
    "brackets over lines": ("tools: {\n  a: {\n    us‸\n  }\n}", ("tools", "a"), "key", "us"),
    "after brackets over lines": ("tools: {\n  a: {}\n}\nmo‸", (), "either", "mo"),
    "brackets below a key": ("tools:\n  [a,\n   ‸", ("tools", 1), "either", ""),
    "after a block text": ("a:\n  b: |\n    x: y\n  ‸", ("a",), "either", ""),
    "in a block text": ("a:\n  b: |\n    x: y‸", (), "none", ""),
    "on an empty line of a block text": ("a:\n  b: |\n    x: y\n    ‸", (), "none", ""),
    "after a quoted text over lines": ('a: "x\n  y"\nb: ‸', ("b",), "value", ""),
    "in a quoted text over lines": ('a: "x\n  y‸"', (), "none", ""),
    "in a comment": ("a: 1 # x‸", (), "none", ""),
    "in a comment line": ("# x‸", (), "none", ""),
    "after a comment line": ("a:\n  # x\n  ‸", ("a",), "either", ""),
    "a colon in a value": ("use: python:a.b:‸", ("use",), "value", "python:a.b:"),
    "a quoted key": ('"plugins":\n  "a b":\n    ‸', ("plugins", "a b"), "either", ""),
    "after a line end of Windows": ("a:\r\n  b: ‸\r\n", ("a", "b"), "value", ""),
}

JSON: dict[str, tuple[str, Path, str, str]] = {
    "a key": ('{"models": {"a": {"us‸"}}}', ("models", "a"), "key", "us"),
    "a value": ('{"models": {"a": {"use": "op‸', ("models", "a", "use"), "value", "op"),
    "an item": ('{\n "plugins": [\n  "a",\n  "‸"\n ]\n}', ("plugins", 1), "either", ""),
}

TOML: dict[str, tuple[str, Path, str, str]] = {
    "a key at the top": ("na‸", (), "key", "na"),
    "a value at the top": ('kind = "Man‸"', ("kind",), "value", "Man"),
    "a value not begun": ("kind = ‸", ("kind",), "value", ""),
    "a header": ("[plu‸", (), "header", "plu"),
    "a header below": ("[plugins.au‸]", ("plugins",), "header", "au"),
    "a key in a table": ("[plugins.audit]\nti‸", ("plugins", "audit"), "key", "ti"),
    "an empty line in a table": ("[plugins.audit]\nuse = 'x'\n‸", ("plugins", "audit"), "key", ""),
    "a quoted table": ('[plugins."a b"]\nuse = ‸', ("plugins", "a b", "use"), "value", ""),
    "a dotted key": ("[models.a]\nretries.max‸", ("models", "a", "retries"), "key", "max"),
    "an inline table": ("[models.a]\nretries = { max‸", ("models", "a", "retries"), "key", "max"),
    "a value in an inline table": ("retries = { a = 1, b = ‸ }", ("retries", "b"), "value", ""),
    "a list over lines": ("tools = [\n  'a',\n  '‸'\n]", ("tools", 1), "either", ""),
    "after a list over lines": ("tools = [\n  'a', # x ]\n]\nna‸", (), "key", "na"),
    "an array of tables": ("[[a.b]]\nx = 1\n[[a.b]]\ny = ‸", ("a", "b", 1, "y"), "value", ""),
    "a table in an array": ("[[a]]\n[a.c]\ny = ‸", ("a", 0, "c", "y"), "value", ""),
    "after a text over lines": ('x = """\n[y]\n"""\nz = ‸', ("z",), "value", ""),
    "in a text over lines": ('x = """\n[y‸]\n"""', (), "none", ""),
    "in a comment": ("x = 1 # ‸", (), "none", ""),
}


def _seen(place: Place | None) -> tuple[Path, str, str]:
    return ((), "none", "") if place is None else (place.path, place.role, place.word)


@pytest.mark.parametrize("name", YAML)
def test_in_yaml(name: str) -> None:
    _check("yaml", *YAML[name])


@pytest.mark.parametrize("name", JSON)
def test_in_json(name: str) -> None:
    _check("json", *JSON[name])


@pytest.mark.parametrize("name", TOML)
def test_in_toml(name: str) -> None:
    _check("toml", *TOML[name])


def test_the_end_of_the_word_is_known() -> None:
    text, line, column = cut("plugins:\n  a: {use: me‸tadata_logger, mode: observe}")
    place = place_at(text, "yaml", line, column)
    assert place is not None
    assert text.split("\n")[1][place.start : place.end] == "metadata_logger"


PIECES = st.sampled_from(
    [
        *"{}[],:=#-|>\"'\\ \t\r\n",
        "  ",
        "    ",
        "- ",
        "a",
        "key: ",
        "use: x",
        "[plugins.a]",
        '"""',
        "k = ",
        "é",
        "😀",
        "%",
    ]
)


@given(st.lists(PIECES, max_size=40).map("".join), st.data(), st.sampled_from(["yaml", "toml", "json"]))
def test_any_text_at_any_place_gives_a_place_inside_the_line_or_none(
    text: str,
    data: st.DataObject,
    format: Format,  # noqa: A002
) -> None:
    lines = text.split("\n")
    line = data.draw(st.integers(0, len(lines) + 1))
    column = data.draw(st.integers(1, 1 + (len(lines[line - 1]) if 1 <= line <= len(lines) else 5)))
    place = place_at(text, format, line, column)
    if place is not None:
        assert 0 <= place.start <= column - 1 <= max(place.end, column - 1)
        assert place.end <= len(lines[line - 1])


@pytest.mark.parametrize("format", ["yaml", "toml", "json"])
@pytest.mark.parametrize("piece", ["{", "[", "a: ", " ", "- ", '"', "a.", "\n", "a = {", "- a: "])
def test_long_texts_take_no_time_that_grows_faster_than_they_do(piece: str, format: Format) -> None:  # noqa: A002
    text = (piece * 8000)[:8000] + "\n" + piece * 1000
    place_at(text, format, text.count("\n") + 1, len(text.rpartition("\n")[2]) + 1)


def test_texts_beyond_the_limits_are_left_alone() -> None:
    assert place_at("a" * 10_000, "yaml", 1, 5) is None
    assert place_at("a\n" * 600_000, "yaml", 1, 1) is None


def _check(format: Format, text: str, path: Path, role: str, word: str) -> None:  # noqa: A002
    assert _seen(place_at(text.replace("‸", ""), format, *cut(text)[1:])) == (path, role, word)
