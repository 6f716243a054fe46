"""Why a text is not laid out."""

from __future__ import annotations


class Untouchable(Exception):
    """The text holds something that the formatter does not understand, so it has to stay as it is."""
