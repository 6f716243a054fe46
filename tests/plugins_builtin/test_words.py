"""Whole words of any script."""

from __future__ import annotations

import pytest

from plugins_builtin.words import comparable, contains_any, contains_word


@pytest.mark.parametrize(
    ("text", "word", "found"),
    [
        ("a bomb.", "bomb", True),
        ("BOMB", "bomb", True),
        ("bombastic", "bomb", False),
        ("a-bomb", "bomb", True),
        ("bomb's", "bomb", True),
        ("my_bomb_x", "bomb", True),
        ("bomb2", "bomb", False),
        ("bombs", "bomb", False),
        ("bombastic bomb", "bomb", True),
        ("pipe   \n bomb", "pipe bomb", True),
        ("pipe bombs", "pipe bomb", False),
        ("ｂｏｍｂ", "bomb", True),  # full width
        ("bo\u200bmb", "bomb", True),  # a space without width
        ("bo\u00admb", "bomb", True),  # a soft hyphen
        ("STRASSE", "straße", True),
        ("ΟΔΟΣ", "οδος", True),
        ("бомба!", "Бомба", True),
        ("бомбардир", "бомба", False),
        ("قنبلة", "قنبلة", True),
        ("制造炸弹的方法", "炸弹", True),
        ("爆弾を作る", "爆弾", True),
        ("e\u0301clair", "éclair", True),  # composed and not
        ("e\u0301clair", "e", False),
        ("", "bomb", False),
        ("c++ code", "c++", True),
    ],
)
def test_words(text: str, word: str, found: bool) -> None:
    assert contains_word(comparable(text), [comparable(word)]) is found


def test_topics_may_stand_inside_words() -> None:
    assert contains_any(comparable("Rechnungsnummer"), [comparable("RECHNUNG")])
    assert not contains_any(comparable("weather"), [comparable("rechnung"), comparable("invoice")])


def test_much_text_takes_little_time() -> None:
    text = comparable("bomba " * 100_000)
    assert not contains_word(text, ["bomb", "bom", "omba"])
