"""Trees of texts that parse, of texts that almost do, and of texts that don't."""

from __future__ import annotations

from pathlib import Path

from adk_decl.editor.manifest import Manifest, find
from tests.editor.cursor import cut

TEXT = "name: example\nmodels:\n  a: {use: scripted}\nagents:\n  b:\n    tools: [x, y]\n"


def _manifest(folder: Path, text: str, **more: object) -> Manifest:
    return Manifest(str(folder / "m.adk.yaml"), text, **more)  # type: ignore[arg-type]


def test_a_text_that_parses(tmp_path: Path) -> None:
    manifest = _manifest(tmp_path, TEXT)
    assert manifest.is_exact
    assert [key.text for key, _ in manifest.table("models")] == ["a"]
    node = manifest.node(("agents", "b", "tools", 1))
    assert node is not None
    assert node.value == "y"
    assert manifest.node(("agents", "b", "tools", 2)) is None
    assert manifest.node(("name", "x")) is None


def test_a_text_that_parses_without_the_line_being_written(tmp_path: Path) -> None:
    manifest = _manifest(tmp_path, TEXT + "    mod\n", line=7)
    assert not manifest.is_exact
    assert manifest.node(("agents", "b", "tools")) is not None


def test_the_last_tree_stands_in(tmp_path: Path) -> None:
    last = _manifest(tmp_path, TEXT).document
    manifest = _manifest(tmp_path, TEXT + "[[[\n]\n", line=1, last=last)
    assert not manifest.is_exact
    assert manifest.document is last
    assert _manifest(tmp_path, "[").root is None


def test_schemas_of_places(tmp_path: Path) -> None:
    manifest = _manifest(tmp_path, TEXT)
    tools = manifest.where(("agents", "b", "tools", 0))
    assert tools is not None
    assert tools.schema["x-name-of"] == "tools"
    assert manifest.where(("agents", "b", "nothing", "x")) is None
    replies = manifest.where(("models", "a", "config", "replies", 0, "text"))
    assert replies is not None
    assert "string" in replies.schema["type"]


def test_keys_and_scalars_are_found_by_their_place(tmp_path: Path) -> None:
    places = {
        "mod‸els:": (("models",), True),
        "models‸:": (("models",), True),
        "use: scri‸pted": (("models", "a", "use"), False),
        "[x, ‸y]": (("agents", "b", "tools", 1), False),
        "[x, y‸]": (("agents", "b", "tools", 1), False),
        "tools: ‸[": None,
    }
    for place, expected in places.items():
        text, line, column = cut(TEXT.replace(place.replace("‸", ""), place, 1))
        root = _manifest(tmp_path, text).root
        assert root is not None
        found = find(root, line, column)
        assert (None if found is None else (found.path, found.is_key)) == expected
