"""The offline page of each code."""

from __future__ import annotations

from adk_decl.data_files import read_data
from adk_decl.diagnostics.codes import CODES


def page(code: str) -> str:
    """The Markdown page of a code, such as `ADK110`. Raises `KeyError` when there is no such code."""
    row = CODES[code]
    return read_data(f"codes/{row.code}.md").decode("utf-8")
