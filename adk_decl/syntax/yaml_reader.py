"""YAML: parser events to nodes. The only file that imports ruamel.yaml.

Never `load` or `compose`: those resolve types, expand aliases and, in C, crash on deep nesting. When the C
parser fails, the pure one reads the text again and decides, so that findings do not depend on which is there.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, cast

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError
from ruamel.yaml.events import (
    AliasEvent,
    DocumentEndEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from adk_decl.syntax.document import Node
from adk_decl.syntax.profile import Profile
from adk_decl.syntax.reporter import Reporter, Unreadable
from adk_decl.syntax.yaml_builder import Builder, Doubtful
from adk_decl.syntax.yaml_scan import scan, without_leading_blanks

_NAMED = frozenset(("ADK007", "ADK008"))
"""Anchors, aliases and tags: the backends disagree where their names end, so the pure one decides there too."""


def read_yaml(text: str, reporter: Reporter, profile: Profile, *, pure: bool = False) -> Node:
    """The root node of a YAML text that passed `preflight.decode`.

    `pure` takes the parser written in Python even where the C one is installed; so does a text with a tab, which
    the two understand differently in many places. Raises `Unreadable` after
    reporting what ends the reading; duplicate and invalid keys are reported and left out of the tree.
    """
    scan(text, reporter, profile)
    text = without_leading_blanks(text)
    if not pure and "\t" not in text and _c_parser() is not None:
        try:
            return _read(text, reporter, profile, pure=False)
        except (_ParserStopped, Doubtful):
            reporter.clear()
        except Unreadable:
            if not reporter.has(_NAMED):
                raise
            reporter.clear()
    try:
        return _read(text, reporter, profile, pure=True)
    except _ParserStopped as stopped:
        if not reporter.has(_NAMED):
            # Imported only for a text that can't be parsed.
            from adk_decl.syntax.yaml_errors import ParserError, explain

            explain(text, ParserError(*stopped.words), reporter)
        raise Unreadable from None


class _Yaml(YAML):
    """`YAML` that does not search its folder for plug-ins each time."""

    def official_plug_ins(self) -> list[str]:
        """None."""
        return []


@cache
def _c_parser() -> Any:
    """The parser of libyaml, or None where ruamel.yaml.clib is not installed."""
    parser = _Yaml(typ="safe").Parser
    return parser if parser.__name__ == "CParser" else None


class _ParserStopped(Exception):
    """The parser raised; `words` are the fields of a `yaml_errors.ParserError`."""

    def __init__(self, problem: str, context: str, at: int, began: int) -> None:
        super().__init__()
        self.words = (problem, context, at, began)


def _read(text: str, reporter: Reporter, profile: Profile, *, pure: bool) -> Node:
    builder = Builder(text, reporter, profile, final=pure)
    _feed(builder, text, pure=pure)
    return builder.finish()


def _feed(builder: Builder, text: str, *, pure: bool) -> None:
    """Hand every event to the builder. One loop without generators: there may be 50,000 events."""
    next_event: Callable[[], Any] | None = None
    scalar = builder.scalar
    while True:
        try:
            if next_event is None:
                next_event = _pure_events(text) if pure else _c_parser()(text).get_event
            event = next_event()
        except YAMLError as error:
            raise _stopped(error, builder) from None
        except Exception:  # noqa: BLE001  the parser raises bare errors too, such as ValueError for an escape beyond Unicode
            raise _ParserStopped("", "", builder.reached, -1) from None
        kind = type(event)
        if kind is ScalarEvent:
            scalar(event)
        elif kind is MappingStartEvent:
            builder.start("map", event)
        elif kind is SequenceStartEvent:
            builder.start("list", event)
        elif kind is MappingEndEvent or kind is SequenceEndEvent:
            builder.end(event)
        elif kind is AliasEvent:
            builder.alias(event)
        elif kind is DocumentStartEvent:
            builder.document(event)
        elif kind is DocumentEndEvent:
            builder.document_end(event)
        elif kind is StreamEndEvent:
            return


def _pure_events(text: str) -> Callable[[], Any]:
    return cast("Callable[[], Any]", iter(_Yaml(typ="safe", pure=True).parse(text)).__next__)


def _stopped(error: YAMLError, builder: Builder) -> _ParserStopped:
    problem, context = getattr(error, "problem", None), getattr(error, "context", None)
    at = _index(getattr(error, "problem_mark", None), builder.reached)
    began = _index(getattr(error, "context_mark", None), -1)
    return _ParserStopped(str(problem or ""), str(context or ""), at, began)


def _index(mark: Any, otherwise: int) -> int:
    return otherwise if mark is None else int(mark.index)
