"""A module that can't be imported."""

from __future__ import annotations


def never(text: str) -> str:
    return text


raise RuntimeError("canary-in-the-import")
