"""How a comment is written: a space between the hash and a word."""

from __future__ import annotations


def comment_text(comment: str) -> str:
    """A comment, from its `#` on, with one space before its first word and none at its end.

    More spaces stay, because they may be an alignment; so do marks such as `#!`, `#:schema` and `####`.
    """
    text = comment.rstrip()
    first = text[1:2]
    if first.isalnum() or first in ("_", '"', "'", "`", "(", "[", "{", "<", "-", "$", "@", "*"):
        return f"# {text[1:]}"
    return text
