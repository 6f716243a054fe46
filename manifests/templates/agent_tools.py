"""Tools of the agent: plain functions with annotations, run in a worker process."""

from __future__ import annotations


def count_words(text: str) -> dict[str, int]:
    """Count the words of a text."""
    return {"words": len(text.split())}
