"""Finds words and phrases in a text: whole words of any script, whatever their case and spacing."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence

_INVISIBLE = dict.fromkeys([0xAD, 0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF])
"""Characters that part a word without being seen."""

_WITHOUT_SPACES = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x1000, 0x109F),  # Burmese
    (0x1780, 0x17FF),  # Khmer
    (0x3040, 0x30FF),  # Hiragana, Katakana
    (0x3400, 0x4DBF),  # Chinese characters
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x20000, 0x323AF),
)
"""Scripts that write words without spaces between them, so that a word may begin anywhere."""


def comparable(text: str) -> str:
    """The text in one case, one form of each character, single spaces, without invisible characters."""
    plain = unicodedata.normalize("NFKC", text).translate(_INVISIBLE).casefold()
    return " ".join(unicodedata.normalize("NFKC", plain).split())


def contains_word(text: str, words: Iterable[str]) -> bool:
    """Whether a comparable text has one of the comparable words or phrases, whole."""
    return any(_has_whole(text, word) for word in words if word)


def contains_any(text: str, topics: Sequence[str]) -> bool:
    """Whether a comparable text has one of the comparable topics, also inside a word."""
    return any(topic in text for topic in topics)


def _has_whole(text: str, word: str) -> bool:
    at = text.find(word)
    while at >= 0:
        end = at + len(word)
        if _is_edge(text[at - 1 : at], word[0]) and _is_edge(text[end : end + 1], word[-1]):
            return True
        at = text.find(word, at + 1)
    return False


def _is_edge(outside: str, inside: str) -> bool:
    """Whether a word may end between these two characters."""
    return not (_in_word(outside) and _in_word(inside)) or _needs_no_space(outside) or _needs_no_space(inside)


def _in_word(character: str) -> bool:
    return character.isalnum() or (character != "" and unicodedata.category(character)[0] == "M")


def _needs_no_space(character: str) -> bool:
    return character != "" and any(first <= ord(character) <= last for first, last in _WITHOUT_SPACES)
