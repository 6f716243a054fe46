"""A module that needs another one which is not there."""

from __future__ import annotations

import not_a_module_at_all  # type: ignore[import-not-found]  # noqa: F401


def never(text: str) -> str:
    return text
