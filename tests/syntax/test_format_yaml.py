"""The canonical layout of YAML: a table of what becomes what, and properties over random layouts."""

from __future__ import annotations

import re
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from adk_decl.diagnostics.diagnostic import DiagnosticBag
from adk_decl.syntax.document import Document
from adk_decl.syntax.format_yaml import ambiguous, format_yaml
from adk_decl.syntax.layout import same_tree
from adk_decl.syntax.read import read_bytes
from adk_decl.syntax.untouchable import Untouchable
from tests.syntax.messy import MessyYaml, random_tree
from tests.syntax.test_properties import edited
from tests.syntax.trap_cases import CASES, Case

MANY = settings(max_examples=300, deadline=None)

CHANGES = {
    "indentation": ("a:\n      b:\n       c: 1\n", "a:\n  b:\n    c: 1\n"),
    "lists stand under their key": ("a:\n- 1\n- b: 2\n  c: 3\n", "a:\n  - 1\n  - b: 2\n    c: 3\n"),
    "list in a list": ("a:\n-   -   1\n    -  2\n", "a:\n  - - 1\n    - 2\n"),
    "a dash alone keeps its line": ("a:\n-\n  b: 1\n", "a:\n  -\n    b: 1\n"),
    "a value on its own line": ("a:\n        some text\n", "a:\n  some text\n"),
    "spaces around a colon": ("a :   1\n", "a: 1\n"),
    "indented root": ("  a: 1\n  b:\n     c: 2\n", "a: 1\nb:\n  c: 2\n"),
    "flow": ('a: { b :  1 , c:  [x,y ] , "d":2 }\n', 'a: {b: 1, c: [x, y], "d": 2}\n'),
    "empty flow": ("a: [ ]\nb: {  }\n", "a: []\nb: {}\n"),
    "flow over lines": ("a: [\nx,\n        {b: 1,\n c: 2}\n]\n", "a: [\n  x,\n  {b: 1,\n    c: 2}\n  ]\n"),
    "comma at the end": ("a: [1, 2, ]\n", "a: [1, 2,]\n"),
    "pair in a list": ("a: [ b :  1,c: 2 ]\n", "a: [b: 1, c: 2]\n"),
    "key without a value in braces": ("a: {b, c: , 'd':}\n", "a: {b, c: , 'd': }\n"),
    "question marks": ("?   a\n:   b\n? c\n", "? a\n: b\n? c\n"),
    "trailing spaces": ("a: 1   \nb: x   \n", "a: 1\nb: x\n"),
    "final newline": ("a: 1", "a: 1\n"),
    "blank lines": ("\n\na: 1\n\n\n\nb: 2\n\n\n", "a: 1\n\nb: 2\n"),
    "line ends": ("a: 1\r\nb: |\r\n  x\r\n  y\r\n", "a: 1\nb: |\n  x\n  y\n"),
    "comment at a line's end": ("a: 1 #  why\nb: 2     #what\n", "a: 1  #  why\nb: 2  # what\n"),
    "comments of their own": ("#a\n    # b\na: 1\n", "# a\n# b\na: 1\n"),
    "marks are no words": (
        "#!shebang\n#### title ####\n#\n#: x\na: 1\n",
        "#!shebang\n#### title ####\n#\n#: x\na: 1\n",
    ),
    "a comment goes with what follows": ("a:\n    b: 1\n# c\n    d: 2\n", "a:\n  b: 1\n  # c\n  d: 2\n"),
    "a comment ends its block": ("a:\n    b: 1\n    # of a\n# of c\nc: 2\n", "a:\n  b: 1\n  # of a\n# of c\nc: 2\n"),
    "a comment ends the file": ("a:\n    b:\n    - 1\n    # of b\n", "a:\n  b:\n    - 1\n    # of b\n"),
    "a comment between key and block": ("a: # x\n # y\n   b: 1\n", "a:  # x\n  # y\n  b: 1\n"),
    "a comment in brackets": ("a: [ # x\n# y\n1, #z\n2]\n", "a: [  # x\n  # y\n  1,  # z\n  2]\n"),
    "marks of a document": ("---\na: 1\n...\n#end\n", "---\na: 1\n...\n# end\n"),
    "a root in braces": ("{a: 1,\nb: 2\n}\n", "{a: 1,\n  b: 2\n}\n"),
    "block text": (
        "a:\n    b: |\n          x\n            y\n\n          z\n",
        "a:\n  b: |\n    x\n      y\n\n    z\n",
    ),
    "block text with a number": ("a:\n    b: |3-\n         x\n", "a:\n  b: |3-\n       x\n"),
    "block text that keeps its end": ("a: |+\n   x\n\n\nb: 1\n", "a: |+\n  x\n\n\nb: 1\n"),
    "block text at the end that keeps it": ("a: |+\n   x\n\n\n", "a: |+\n  x\n\n\n"),
    "block text without a last line feed": ("a: |\n   x", "a: |-\n  x\n"),
    "block text with spaces at its end": ("a: |\n  x  \n     \n\nb: 1\n", "a: |\n  x  \n     \n\nb: 1\n"),
    "block text after a dash": ("a:\n- |\n  x\n- >-\n      y\n", "a:\n  - |\n    x\n  - >-\n    y\n"),
    "block text and comments": ("a: |    # c\n   x\n# d\nb: 1\n", "a: |  # c\n  x\n# d\nb: 1\n"),
    "text over lines": ("a: one\n       two\n\n       three\n", "a: one\n  two\n\n  three\n"),
    "quoted text over lines": ('a: "one  \n       two\\\n       three"\n', 'a: "one\n  two\\\n  three"\n'),
    "an escaped space at a line's end": ('a: "one\\ \n  two"\n', 'a: "one\\ \n  two"\n'),
}
"""Name: source and result. No case changes what the text means."""


def read(text: str) -> Document:
    bag = DiagnosticBag()
    document = read_bytes(text.encode(), file="f", format="yaml", bag=bag)
    assert document is not None, text
    assert not bag.has_errors
    return document


def spots(document: Document) -> list[tuple[int, int]]:
    return [(node.line, node.column) for node in ambiguous(document.root)]


@pytest.mark.parametrize("name", CHANGES)
def test_the_layout(name: str) -> None:
    source, expected = CHANGES[name]
    assert format_yaml(read(source)) == expected
    assert format_yaml(read(expected)) == expected
    assert same_tree(read(source).root, read(expected).root)


def test_quotes_for_what_other_readers_take_for_no_text() -> None:
    document = read("a: NO\nb: 22:22\nc: [010, 2024-01-02, y, plain, 'off', 1_000]\non: true\n")
    expected = 'a: "NO"\nb: "22:22"\nc: ["010", "2024-01-02", y, plain, \'off\', "1_000"]\n"on": true\n'
    assert format_yaml(document, quote=spots(document)) == expected
    assert spots(read(expected)) == []
    assert format_yaml(document) == document.text


def test_a_comment_that_may_cut_a_value_can_stay() -> None:
    document = read("a: room #4 only\n")
    assert format_yaml(document) == "a: room  # 4 only\n"
    assert format_yaml(document, keep=[(1, 9)]) == document.text


@MANY
@given(st.integers(0, 2**32))
def test_any_layout_of_a_tree(seed: int) -> None:
    source = Random(seed)
    writer = MessyYaml(source)
    tree = random_tree(source)
    document = read(writer.write(tree))
    assert document.root.to_plain() == tree
    quote = spots(document)
    text = format_yaml(document, quote=quote)
    again = read(text)
    assert same_tree(document.root, again.root)
    assert format_yaml(again, quote=spots(again)) == text
    assert_every_comment(writer.comments, text)
    assert_tidy(text)


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 2**32))
def test_other_readers_find_what_we_find(seed: int) -> None:
    source = Random(seed)
    tree = random_tree(source)
    document = read(MessyYaml(source).write(tree))
    text = format_yaml(document, quote=spots(document))
    # ruamel takes `y` for a boolean of YAML 1.1; the common readers do not, and so it gets no quotes.
    text = re.sub(r"(?<=[ \[])y(?=[\n,\] }])", "'y'", text)
    for version in ((1, 1), (1, 2)):
        other = YAML(typ="safe", pure=True)
        other.version = version
        assert other.load(text) == tree


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 2**32))
def test_both_parsers_lead_to_one_layout(seed: int) -> None:
    source = Random(seed)
    data = MessyYaml(source).write(random_tree(source)).encode()
    texts = set()
    for pure in (False, True):
        document = read_bytes(data, file="f", format="yaml", bag=DiagnosticBag(), pure=pure)
        assert document is not None
        texts.add(format_yaml(document, quote=spots(document)))
    assert len(texts) == 1


@MANY
@given(edited("yaml"))
def test_whatever_can_be_read_keeps_its_tree(data: bytes) -> None:
    bag = DiagnosticBag()
    document = read_bytes(data, file="f", format="yaml", bag=bag)
    if document is None or bag.has_errors:
        return
    text = format_yaml(document, quote=spots(document))
    again = read(text)
    assert same_tree(document.root, again.root)
    assert format_yaml(again) == text


@pytest.mark.parametrize("case", [c for c in CASES if c.format == "yaml" and not c.findings], ids=lambda c: c.name)
def test_the_traps_keep_their_trees(case: Case) -> None:
    bag = DiagnosticBag()
    document = read_bytes(case.data, file="f", format="yaml", bag=bag)
    assert document is not None
    assert same_tree(document.root, read(format_yaml(document, quote=spots(document))).root)


def test_a_tree_of_another_text_is_not_written() -> None:
    other = read("a: 1\nb: 2\n")
    with pytest.raises(Untouchable):
        format_yaml(Document(file="f", text="a: 1\n\nb: 2\n", format="yaml", root=other.root))


def assert_every_comment(comments: list[str], text: str) -> None:
    """Each `c<number>` of a comment stands in the text, once, behind a hash."""
    written = re.findall(r"#+ *(c\d+) it's", text)
    assert sorted(written) == sorted(re.findall(r"c\d+", " ".join(comments)))


def assert_tidy(text: str) -> None:
    assert text.endswith("\n")
    assert "\r" not in text
