"""The canonical layout of TOML: a table of what becomes what, and properties over random layouts."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adk_decl.diagnostics.diagnostic import DiagnosticBag
from adk_decl.syntax.document import Document
from adk_decl.syntax.format_toml import format_toml
from adk_decl.syntax.layout import same_tree
from adk_decl.syntax.read import read_bytes
from adk_decl.syntax.untouchable import Untouchable
from tests.architecture.sources import CHECKOUT
from tests.syntax.test_properties import edited
from tests.syntax.trap_cases import CASES, Case

MANY = settings(max_examples=300, deadline=None)

CHANGES = {
    "spaces around the sign": ("a=1\nb   =   2\n", "a = 1\nb = 2\n"),
    "indentation": ("[t]\n  a = 1\n    # c\n  b = 2\n", "[t]\na = 1\n# c\nb = 2\n"),
    "dotted keys": ('a . "b c".d=1\n[ x . y ]\n', 'a."b c".d = 1\n\n[x.y]\n'),
    "a blank line before a table": ("a = 1\n[t]\nb = 2\n[[u]]\n[[ u ]]\n", "a = 1\n\n[t]\nb = 2\n\n[[u]]\n\n[[u]]\n"),
    "comments above a table": ("a = 1\n# about t\n# too\n[t]\n", "a = 1\n\n# about t\n# too\n[t]\n"),
    "comments apart from a table": ("a = 1\n# about a\n\n\n[t]\n", "a = 1\n# about a\n\n[t]\n"),
    "first table": ("\n\n# c\n[t]\n", "# c\n[t]\n"),
    "blank lines": ("a = 1\n\n\n\nb = 2\n\n\n", "a = 1\n\nb = 2\n"),
    "arrays": ("a = [ 1,2 ,3 ]\nb = [ ]\nc = [1, ]\n", "a = [1, 2, 3]\nb = []\nc = [1,]\n"),
    "array over lines": ("a = [\n1,\n      [2,\n3],\n\n\n4\n\n ]\n", "a = [\n  1,\n  [2,\n    3],\n\n  4\n]\n"),
    "comments in an array": ("a = [ #x\n#y\n 1 , # z\n#w\n]\n", "a = [  # x\n  # y\n  1,  # z\n  # w\n]\n"),
    "inline tables": ("a = {b=1,c = {d=2} , e={ }}\n", "a = { b = 1, c = { d = 2 }, e = {} }\n"),
    "end-of-line comment": ("a = 1 #c\n[t] # d  \n", "a = 1  # c\n\n[t]  # d\n"),
    "modeline": ("#:schema x.json\na = 1\n", "#:schema x.json\na = 1\n"),
    "texts": (
        "a='#'\nb='''\n x  \n'''\nc=\"\"\"\\\n  y\\n\"\"\"\n",
        "a = '#'\nb = '''\n x  \n'''\nc = \"\"\"\\\n  y\\n\"\"\"\n",
    ),
    "line ends": ("a = 1\r\n[t]\r\nb = '''x\r\ny'''\r\n", "a = 1\n\n[t]\nb = '''x\ny'''\n"),
    "final newline": ("a = 1", "a = 1\n"),
    "a comment ends the file": ("a = 1\n\n\n# end", "a = 1\n\n# end\n"),
    "values": ("a=-1.5e3\nb=true\nc=0x1F\nd=+1\n", "a = -1.5e3\nb = true\nc = 0x1F\nd = +1\n"),
}
"""Name: source and result."""

VALID = sorted(
    [*CHECKOUT.glob("manifests/*.toml"), *CHECKOUT.glob("manifests/valid/*.toml"), CHECKOUT / "pyproject.toml"]
)


def read(text: str) -> Document:
    bag = DiagnosticBag()
    document = read_bytes(text.encode(), file="f", format="toml", bag=bag)
    assert document is not None, text
    assert not bag.has_errors
    return document


@pytest.mark.parametrize("name", CHANGES)
def test_the_layout(name: str) -> None:
    source, expected = CHANGES[name]
    assert format_toml(read(source)) == expected
    assert format_toml(read(expected)) == expected
    assert same_tree(read(source).root, read(expected).root)


@MANY
@given(st.sampled_from(VALID), st.integers(0, 2**32))
def test_any_layout_of_a_valid_file(path: Path, seed: int) -> None:
    text, comments = _messy(path.read_text("utf-8"), Random(seed))
    document = read(text)
    laid_out = format_toml(document)
    again = read(laid_out)
    assert same_tree(document.root, again.root)
    assert format_toml(again) == laid_out
    assert [laid_out.count(f"# c{n};") for n in range(comments)] == [1] * comments


@MANY
@given(edited("toml"))
def test_whatever_can_be_read_keeps_its_tree(data: bytes) -> None:
    bag = DiagnosticBag()
    document = read_bytes(data, file="f", format="toml", bag=bag)
    if document is None or bag.has_errors:
        return
    text = format_toml(document)
    again = read(text)
    assert same_tree(document.root, again.root)
    assert format_toml(again) == text


@pytest.mark.parametrize("case", [c for c in CASES if c.format == "toml" and not c.findings], ids=lambda c: c.name)
def test_the_traps_keep_their_trees(case: Case) -> None:
    bag = DiagnosticBag()
    document = read_bytes(case.data, file="f", format="toml", bag=bag)
    assert document is not None
    assert same_tree(document.root, read(format_toml(document)).root)


@pytest.mark.parametrize("text", ["a = 1 b = 2\n", "a\n", "a = {b = 1\n", "[t\n"])
def test_what_is_no_toml_is_not_written(text: str) -> None:
    with pytest.raises(Untouchable):
        format_toml(Document(file="f", text=text, format="toml", root=read("a = 1\n").root))


def _messy(text: str, source: Random) -> tuple[str, int]:
    """The text with other spaces, blank lines and comments; and the number of comments put in."""
    lines: list[str] = []
    comments = 0
    open_brackets = 0
    for line in text.split("\n"):
        if source.random() < 0.15:
            lines.append(" " * source.randint(0, 3))
        if source.random() < 0.15:
            lines.append(f"{' ' * source.randint(0, 3)}#{' ' * source.randint(0, 1)}c{comments};")
            comments += 1
        if not open_brackets and (match := re.match(r"([A-Za-z0-9_-]+) = (.*)\Z", line)):
            line = match[1] + " " * source.randint(0, 3) + "=" + " " * source.randint(0, 3) + match[2]
        code = re.sub(r"\"[^\"]*\"|'[^']*'", "", line).partition("#")[0]
        open_brackets += code.count("[") - code.count("]")
        if "#" not in line and source.random() < 0.15:
            line += f"{' ' * source.randint(1, 3)}#c{comments};"
            comments += 1
        lines.append(" " * source.randint(0, 5) + line + " " * source.randint(0, 2))
    return ("\r\n" if source.random() < 0.2 else "\n").join(lines), comments
