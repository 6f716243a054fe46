"""Which line is to blame: rows of a text, with `<` behind the line that the finding has to stand on."""

from __future__ import annotations

import pytest

from adk_decl.diagnostics.diagnostic import DiagnosticBag
from adk_decl.syntax.read import read_bytes
from adk_decl.syntax.yaml_lines import end_of_flow, unclosed_quote

MARK = "  # here"
TEXTS = {
    "first key too far in": "m:\n  a:\n      use: x  # here\n    mode: y\n    size: 1\n",
    "one key too far out": "m:\n  a:\n    use: x\n  mode: y  # here\n    size: 1\n",
    "one key too far in": "m:\n  a:\n    use: x\n      mode: y  # here\n    size: 1\n",
    "first key beside its map": "m:\n  a:\n  use: x  # here\n    mode: y\n",
    "first line of all": "  apiVersion: 1  # here\nkind: M\n",
    "no space, first key": "m:\n  a:\n    use:x  # here\n    mode: y\n",
    "no space, later key": "m:\n  a:\n    use: x\n    mode:y  # here\n",
    "no colon, first key": "m:\n  a:\n    use x  # here\n    mode: y\n",
    "no space after a dash": "m:\n  - a\n  -b  # here\n  - c\n",
    "no space after the dash of a map": "m:\n  -use: x  # here\n    mode: y\n",
    "bracket, next key": "m:\n  a: [1, 2  # here\n  b: 3\n",
    "bracket, next block": "m:\n  a: [  # here\n\n  b:\n    c: 1\n",
    "brace in a list": "m:\n  - a: {x: 1  # here\n    b: 3\n",
    "bracket over lines": "m:\n  a: [\n    1,\n    2  # here\n  b: 3\n",
    "a second colon": "m:\n  a: b: c  # here\n",
    "text over lines": "m:\n  a: some\n    text\n    b: x  # here\n",
}


@pytest.mark.parametrize("pure", [False, True], ids=["c", "pure"])
@pytest.mark.parametrize("name", TEXTS)
def test_the_line_to_blame(name: str, *, pure: bool) -> None:
    text = TEXTS[name]
    bag = DiagnosticBag()
    read_bytes(text.encode(), file="m.yaml", format="yaml", bag=bag, pure=pure)
    wanted = next(n for n, line in enumerate(text.split("\n"), start=1) if line.endswith(MARK))
    assert [found.span.line for found in bag.sorted()] == [wanted]


def test_a_key_without_its_colon() -> None:
    bag = DiagnosticBag()
    read_bytes(b"a: 1\nm\n  a:\n    use: x\n", file="m.yaml", format="yaml", bag=bag)
    assert [(found.span.line, found.span.column) for found in bag.sorted()] == [(2, 1)]


def test_a_quote_that_closes_at_the_next_one() -> None:
    text = 'a: "x\nb: "y"\n'
    assert unclosed_quote(text, text.index("y")) == 3
    assert unclosed_quote('a: "x"\nb: "y" z\n', 13) == -1


def test_a_list_that_goes_on_is_not_cut() -> None:
    text = "a: [\n  1\n  2: 3: 4\n"
    assert end_of_flow(text, 3, text.index(": 4")) == -1
