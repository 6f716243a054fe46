"""Where and why YAML can't be read, in our words, from what the pure parser knows about its failure."""

from __future__ import annotations

from typing import NamedTuple

from adk_decl.scalars import missing_space
from adk_decl.syntax.reporter import Place, Reporter, place_at
from adk_decl.syntax.yaml_lines import (
    dash_without_space,
    end_of_flow,
    line_without_colon,
    neighbours,
    odd_line,
    unclosed_quote,
)

_QUOTE_TITLE = "quote the value"

_OUT_OF_LINE = ("mapping values", "expected <block end>", "expected '<document start>'")
"""How the pure parser begins when a line is not in line with those above."""


class ParserError(NamedTuple):
    """The parser's own words, never shown, the index where it stopped, and where the construct began or -1."""

    problem: str
    context: str
    at: int
    began: int


class _Cause(NamedTuple):
    """A row of the table: parts of problem and context, our message, label and help."""

    problem: str
    context: str
    message: str
    label: str
    help: str


_CAUSES = (
    _Cause("end of stream", "quoted scalar", "a quote is never closed", "opened here", "close the quote"),
    _Cause("document separator", "quoted scalar", "a quote is never closed", "opened here", "close the quote"),
    _Cause(
        "",
        "quoted scalar",
        "an escape that double quotes do not know",
        "here",
        "double the backslash, or use single quotes",
    ),
    _Cause(
        "",
        "flow sequence",
        "a list in brackets is not closed, or lacks a comma",
        "expected `,` or `]`",
        "close the bracket",
    ),
    _Cause(
        "", "flow mapping", "a map in braces is not closed, or lacks a comma", "expected `,` or `}`", "close the brace"
    ),
    _Cause(
        "",
        "simple key",
        "a line without a colon",
        "expected `key: value`",
        "write a space after the colon, or indent the line under its key",
    ),
    _Cause(
        "cannot start any token",
        "",
        "a value can't begin with this character",
        "not the start of plain text",
        "quote the value",
    ),
    _Cause("", "alias", "`*` and `&` begin aliases and anchors", "quote the value", "quote the value"),
    _Cause("", "anchor", "`*` and `&` begin aliases and anchors", "quote the value", "quote the value"),
    _Cause("", "tag", "`!` begins a tag", "quote the value", "quote the value"),
    _Cause(
        "",
        "block scalar",
        "the header of a block is malformed",
        "expected `|` or `>` and a line end",
        "write `|` alone",
    ),
    _Cause(
        "sequence entries are not allowed",
        "",
        "a list item can't begin here",
        "unexpected `-`",
        "begin the list on a line of its own",
    ),
    _Cause(
        "mapping values are not allowed",
        "",
        "a map can't begin here",
        "unexpected `:`",
        "line the key up with its neighbours",
    ),
    _Cause("mapping keys are not allowed", "", "a key can't begin here", "unexpected `?`", "quote the text"),
    _Cause(
        "",
        "block mapping",
        "the indentation does not fit the map above",
        "not in line with the keys above",
        "line it up with the keys of its map",
    ),
    _Cause(
        "",
        "block collection",
        "the indentation does not fit the list above",
        "not in line with the items above",
        "line it up with the items of its list",
    ),
)
_OTHER = _Cause("", "", "the text can't be read as YAML", "it stops here", "check quotes, brackets and indentation")


def explain(text: str, error: ParserError, reporter: Reporter) -> None:
    """Report the failure as ADK004, or as ADK019 where a space after a colon is missing."""
    began = min(error.began, len(text) - 1)
    at = _clamped(text, error.at)
    if _is_line_above_to_blame(text, error, began, at, reporter):
        return
    if "mapping values" in error.problem and _has_colon_before(text, at):
        _report_second_colon(text, at, reporter)
        return
    cause = next((c for c in _CAUSES if c.problem in error.problem and c.context in error.context), _OTHER)
    if "flow" in error.context and began >= 0 and _report_end_of_flow(text, began, at, cause, reporter):
        return
    unclosed = cause.label == "opened here" or error.at >= len(text.rstrip())
    if began >= 0 and unclosed:
        reporter.add("ADK004", _one(text, began), cause.message, label="opened here", help=cause.help)
        return
    second = (_one(text, began), "it began here") if 0 <= began < at and "simple key" not in error.context else None
    reporter.add("ADK004", _one(text, at), cause.message, label=cause.label, second=second, help=cause.help)


def _is_line_above_to_blame(text: str, error: ParserError, began: int, at: int, reporter: Reporter) -> bool:
    """Report a line above the one where the parser stopped, when that one explains it."""
    quote = unclosed_quote(text, at)
    if quote >= 0:
        second = (_one(text, at), "the parser stopped here")
        reporter.add(
            "ADK004",
            _one(text, quote),
            "a quote is not closed in its line",
            label="opened here",
            second=second,
            help="close the quote, or check the quote where the text ends",
        )
        return True
    if "simple key" in error.context and began >= 0:
        return _report_no_key(text, began, reporter)
    if not error.problem.startswith(_OUT_OF_LINE):
        return False
    around = neighbours(text, at)
    dash = dash_without_space(around)
    if dash is not None:
        _report_dash(text, dash.start, reporter)
        return True
    if _report_missing_space(text, around.line.start, reporter):
        return True
    line = line_without_colon(around)
    if line is not None:
        return _report_no_key(text, line.start, reporter)
    line = odd_line(around)
    if line is not None:
        place = place_at(text, line.start, line.start + 1)
        reporter.add(
            "ADK004",
            place,
            "this line is not in line with those around it",
            label="indented too far" if line.indent > around.line.indent else "not indented far enough",
            second=(place_at(text, around.line.start, around.line.start + 1), "it goes on here"),
            help="line it up with the keys of its map",
        )
    return line is not None


def _report_no_key(text: str, began: int, reporter: Reporter) -> bool:
    """Report a line that holds no `key: value`: without space, without colon, or an item without its space."""
    if _report_missing_space(text, began, reporter):
        return True
    if text[began : began + 1] == "-" and text[began + 1 : began + 2] not in (" ", "\n", ""):
        _report_dash(text, began, reporter)
        return True
    reporter.add(
        "ADK004",
        _one(text, began),
        "a line without a colon",
        label="expected `key: value`",
        help="write a space after the colon, or indent the line under its key",
    )
    return True


def _report_dash(text: str, dash: int, reporter: Reporter) -> None:
    place = _one(text, dash)
    reporter.add(
        "ADK004",
        place,
        "a list item without a space after its dash",
        label="`- ` begins an item",
        help="write a space after the dash",
        fix=reporter.replacement(place, "- ", "write a space after the dash"),
    )


def _report_end_of_flow(text: str, began: int, at: int, cause: _Cause, reporter: Reporter) -> bool:
    end = end_of_flow(text, began, at)
    if end < 0:
        return False
    second = (_one(text, began), "opened here") if end > began else None
    reporter.add(
        "ADK004", _one(text, end), cause.message, label=f"{cause.label} after this", second=second, help=cause.help
    )
    return True


def _report_missing_space(text: str, began: int, reporter: Reporter) -> bool:
    end = text.find("\n", began)
    line = text[began : end if end >= 0 else len(text)].rstrip()
    if not missing_space(line):
        return False
    colon = began + line.index(":")
    place = place_at(text, colon, colon + 1)
    reporter.add(
        "ADK019",
        place,
        "a space is missing after the colon",
        label="`key: value` needs a space here",
        fix=reporter.replacement(place, ": ", "write a space after the colon"),
    )
    return True


def _has_colon_before(text: str, at: int) -> bool:
    return ": " in text[text.rfind("\n", 0, at) + 1 : at]


def _report_second_colon(text: str, at: int, reporter: Reporter) -> None:
    start = text.rfind("\n", 0, at) + 1
    end = text.find("\n", at)
    value = text.index(": ", start) + 2
    whole = text[value : end if end >= 0 else len(text)].rstrip()
    place = place_at(text, value, value + len(whole))
    quotable = not any(mark in whole for mark in "'\"#\\") and whole[:1] not in "[{|>"
    reporter.add(
        "ADK004",
        _one(text, at),
        "a second `: ` in one line",
        label="unexpected `:`",
        help=_QUOTE_TITLE,
        fix=reporter.replacement(place, f'"{whole}"', _QUOTE_TITLE, "unsafe") if quotable else None,
    )


def _clamped(text: str, at: int) -> int:
    """An index inside the text: the end of the text becomes its last character that prints."""
    return max(0, min(at, len(text.rstrip()) - 1))


def _one(text: str, at: int) -> Place:
    """The place of the character at an index; a line end becomes the character before it."""
    while at > 0 and text[at : at + 1] in ("\n", "\r"):
        at -= 1
    return place_at(text, at, at + 1)
