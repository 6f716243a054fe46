"""Whatever a text holds and wherever the cursor is, an editor gets an answer."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adk_decl.editor.complete import complete
from adk_decl.editor.definition import definition_at
from adk_decl.editor.hover import hover
from adk_decl.editor.manifest import Manifest
from tests.architecture.sources import CHECKOUT

EXAMPLES = sorted((CHECKOUT / "manifests").glob("*.adk.*"))
PIECES = st.sampled_from(
    ["", " ", "\n", "\t", "- ", ": ", "{", "}", "[", "]", '"', "'", "|", "#", "= ", ".", "😀", "&a", "$"]
)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
@given(data=st.data())
@settings(max_examples=60)
def test_any_edit_at_any_place(path: Path, data: st.DataObject) -> None:
    text = path.read_text(encoding="utf-8")
    for _ in range(data.draw(st.integers(0, 3))):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, min(len(text), start + 30)))
        text = text[:start] + data.draw(PIECES) + text[end:]
    offset = data.draw(st.integers(0, len(text)))
    line, column = text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)
    manifest = Manifest(str(path), text, line=line)
    for item in complete(manifest, line, column):
        assert 0 <= item.start <= item.end
        assert item.text
    hover(manifest, line, column)
    definition_at(manifest, line, column)
