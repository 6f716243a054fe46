from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adk_decl.plan.model import EnvRef
from adk_decl.syntax.env_refs import ReferenceSyntaxError, has_reference, parse_text, unescape

HOST = EnvRef(name="HOST")


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", ()),
        ("plain", ("plain",)),
        ("${env:HOST}", (HOST,)),
        ("http://${env:HOST}:80", ("http://", HOST, ":80")),
        ("${env:HOST}${env:HOST}", (HOST, HOST)),
        ("${env:HOST:-}", (EnvRef(name="HOST", default=""),)),
        ("${env:HOST:-a:-b $$ {c}", (EnvRef(name="HOST", default="a:-b $$ {c"),)),
        ("$$", ("$",)),
        ("$${env:HOST}", ("${env:HOST}",)),
        ("$$${env:HOST}", ("$", HOST)),
        ("cost: $5", ("cost: $5",)),
        ("^a$", ("^a$",)),
        ("$", ("$",)),
    ],
)
def test_parts(text: str, parts: tuple[str | EnvRef, ...]) -> None:
    assert parse_text(text) == parts
    assert has_reference(text) == any(isinstance(part, EnvRef) for part in parts)


@pytest.mark.parametrize(
    ("text", "offset", "reason"),
    [
        ("${HOST}", 0, "begins with"),
        ("a ${", 2, "brace"),
        ("${env:}", 0, "name is missing"),
        ("${env:9X}", 0, "begins with no digit"),
        ("${env:A B}", 0, "letters"),
        ("${env:É}", 0, "letters"),
        ("${secret:X}", 0, "only"),
        ("${env:A:-${env:B}}", 0, "another reference"),
        ("$${x} ${}", 6, "only"),
    ],
)
def test_malformed(text: str, offset: int, reason: str) -> None:
    with pytest.raises(ReferenceSyntaxError, match=reason) as error:
        parse_text(text)
    assert error.value.offset == offset
    assert has_reference(text)


def test_unescape() -> None:
    assert unescape("a $$ b $") == "a $ b $"
    with pytest.raises(ReferenceSyntaxError):
        unescape("${env:HOST}")


@given(st.text(alphabet="${}env:-AB9 ", max_size=30))
def test_escaping_every_dollar_gives_the_text_back(text: str) -> None:
    assert unescape(text.replace("$", "$$")) == text
    with contextlib.suppress(ReferenceSyntaxError):
        parse_text(text)
