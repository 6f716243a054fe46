"""TOML: places by the index, values by tomllib, within TOML 1.0 on every version of Python."""

from __future__ import annotations

import tomllib
from typing import Any

from adk_decl.scalars import typed
from adk_decl.syntax.document import Node
from adk_decl.syntax.profile import Profile
from adk_decl.syntax.reporter import Place, Reporter, place_at
from adk_decl.syntax.toml_index import index

_END = "(at end of document)"


def read_toml(text: str, reporter: Reporter, profile: Profile) -> Node:
    """The root node of a TOML text that passed `preflight.decode`.

    Keys that stand twice and values that no field takes are reported and left out of the tree. Raises
    `Unreadable` after reporting what ends the reading.
    """
    found = index(text, reporter, profile)
    if not found.root.entries and not reporter.found:
        raise reporter.refuse(
            "ADK015", (1, 1, 1, 1), "the file holds no content", help='begin with `apiVersion = "adk-decl/v1"`'
        )
    if not reporter.found:
        _check_grammar(text, reporter)
    for node, raw in found.scalars.items():
        _set_value(node, raw, reporter)
    return found.root


def _check_grammar(text: str, reporter: Reporter) -> None:
    """Let tomllib accept the whole text: it knows every rule of the grammar."""
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise reporter.refuse(
            "ADK004",
            _place_of(error, text),
            "this is not valid TOML",
            label="it stops here",
            help="check quotes, escapes and brackets",
        ) from None


def _set_value(node: Node, raw: str, reporter: Reporter) -> None:
    if raw[0] in "'\"" and raw[:3] not in ("'''", '"""') and (raw[0] == "'" or "\\" not in raw):
        node.value = node.text = raw[1:-1]
        return
    value = raw if raw[0] in "'\"" else typed(raw)
    if not isinstance(value, str):
        node.value = value
        return
    place = (node.line, node.column, node.end_line, node.end_column)
    try:
        node.value = tomllib.loads(f"v = {raw}")["v"]
    except tomllib.TOMLDecodeError:
        raise reporter.refuse("ADK004", place, "this value is not valid TOML", label="not a value") from None
    if isinstance(node.value, str):
        node.text = node.value
        if "\0" in node.value:
            raise reporter.refuse(
                "ADK002",
                place,
                "the text holds an escape for a character that may not stand in a value",
                label="NUL",
                help="remove the escape",
            )


def _place_of(error: Any, text: str) -> Place:
    """Where tomllib stopped: newer versions say so in attributes, older ones only in the message."""
    line, column = getattr(error, "lineno", None), getattr(error, "colno", None)
    if line is None or column is None:
        words = str(error).removesuffix(")").replace(",", "").split()
        if str(error).endswith(_END) or len(words) < 4 or not (words[-3].isdigit() and words[-1].isdigit()):
            end = max(len(text.rstrip()) - 1, 0)
            return place_at(text, end, end + 1)
        line, column = int(words[-3]), int(words[-1])
    lines = text.split("\n")
    line = min(line, len(lines))
    column = max(1, min(column, len(lines[line - 1].rstrip("\r"))))
    return line, column, line, column + 1
