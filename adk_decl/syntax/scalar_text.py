"""How a text is written in a manifest, in the place of another one."""

from __future__ import annotations

import re

from adk_decl.scalars import suspicion, typed

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_./-]*\Z")


def scalar_text(text: str, *, plain: bool) -> str:
    """A text as a scalar of any of our formats; without quotes if `plain`, and if every reader takes it for text."""
    if plain and _PLAIN.match(text) and isinstance(typed(text), str) and suspicion(text) is None:
        return text
    # Imported only for a text in quotes.
    import json

    return json.dumps(text, ensure_ascii=False)
