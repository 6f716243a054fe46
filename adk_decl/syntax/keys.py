"""What a key must be, in every format: text, and once in its map."""

from __future__ import annotations

from adk_decl.diagnostics.wording import quote
from adk_decl.scalars import typed
from adk_decl.syntax.document import Node
from adk_decl.syntax.reporter import Reporter

_NAMES = {"map": "a map", "list": "a list"}


class KeyRule:
    """Reports keys that are no text and keys that stand twice."""

    __slots__ = ("_reporter",)

    def __init__(self, reporter: Reporter) -> None:
        self._reporter = reporter

    def accepts(self, key: Node, *, templated: bool = False) -> bool:
        """Whether the node is a key; reports ADK014 when it is not. `templated`: it stands in double braces."""
        if key.kind != "scalar":
            self._report_structure(key, templated=templated)
            return False
        if not key.plain:
            return self._accepts_text(key)
        if not key.text:
            self._add(key, "a key is missing", "no key before the colon", "write a key, or quote the colon")
            return False
        value = typed(key.text)
        if isinstance(value, str):
            return True
        what = "null" if value is None else "a boolean" if isinstance(value, bool) else "a number"
        place = (key.line, key.column, key.end_line, key.end_column)
        self._reporter.add(
            "ADK014",
            place,
            f"this key is {what}, not text",
            label="keys are text",
            help="quote it",
            fix=self._reporter.replacement(place, f'"{key.text}"', "quote the key"),
        )
        return False

    def report_duplicate(self, key: Node, first: Node) -> None:
        """Report ADK006 at `key`, with the place of the first."""
        self._reporter.add(
            "ADK006",
            (key.line, key.column, key.end_line, key.end_column),
            f"key {quote(key.text)} stands twice in this map",
            label="again here",
            second=((first.line, first.column, first.end_line, first.end_column), "first here"),
            help="keep one of the two",
        )

    def _accepts_text(self, key: Node) -> bool:
        if key.text.strip():
            return True
        self._add(key, "a key is empty", "no text", "write a key")
        return False

    def _report_structure(self, key: Node, *, templated: bool) -> None:
        what = _NAMES[key.kind]
        if templated:
            self._add(
                key,
                "templates are not supported",
                "double braces",
                "use `${env:NAME}` for the environment, or quote the text",
            )
        else:
            self._add(key, f"this key is {what}, not text", "keys are text", "write a plain key")

    def _add(self, key: Node, message: str, label: str, mend: str) -> None:
        place = (key.line, key.column, key.end_line, key.end_column)
        self._reporter.add("ADK014", place, message, label=label, help=mend)
