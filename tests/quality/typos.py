"""Misspellings as people make them."""

from __future__ import annotations

import string
from collections.abc import Callable
from random import Random

_BESIDE = dict(zip("qwertyuiopasdfghjklzxcvbnm", "wertyuioplsdfghjklkxcvbnmn", strict=True))


def misspelt(word: str, random: Random, *, separators: bool = True) -> str:
    """A word with one typo, or two in a long word; never the word itself, and still one word."""
    changed = word
    for _ in range(2 if len(word) >= 12 and random.random() < 0.2 else 1):
        changed = _typo(changed, random, separators=separators)
    return changed if changed != word else f"{word}x"


def _typo(word: str, random: Random, *, separators: bool) -> str:
    kinds: list[Callable[[str, Random], str]] = [_drop, _drop, _swap, _swap, _double, _beside, _beside]
    if separators and "_" in word:
        kinds += [lambda w, _: w.replace("_", "-"), lambda w, _: w.replace("_", ""), _camel]
    if len(word) < 3:
        kinds = [_double]
    return random.choice(kinds)(word, random)


def _place(word: str, random: Random) -> int:
    """A letter: digits are what names of one kind differ in, and nobody can tell which one was meant."""
    letters = [at for at, character in enumerate(word) if character in string.ascii_letters]
    return random.choice(letters) if letters else 0


def _drop(word: str, random: Random) -> str:
    at = _place(word, random)
    return word[:at] + word[at + 1 :]


def _swap(word: str, random: Random) -> str:
    pairs = [i for i in range(len(word) - 1) if word[i : i + 2].isalpha() and word[i] != word[i + 1]]
    if not pairs:
        return _double(word, random)
    at = random.choice(pairs)
    return word[:at] + word[at + 1] + word[at] + word[at + 2 :]


def _double(word: str, random: Random) -> str:
    at = _place(word, random)
    return word[:at] + word[at] + word[at:]


def _beside(word: str, random: Random) -> str:
    at = _place(word, random)
    return word[:at] + _BESIDE.get(word[at].lower(), "x") + word[at + 1 :]


def _camel(word: str, random: Random) -> str:
    first, *rest = word.split("_")
    return first + "".join(part.capitalize() for part in rest)
