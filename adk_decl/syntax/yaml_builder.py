"""Builds positioned nodes from the events of a YAML parser, without recursion, within the reading limits."""

from __future__ import annotations

from typing import Any, Literal

from adk_decl.scalars import missing_space, typed
from adk_decl.syntax.document import Node, Scalar
from adk_decl.syntax.keys import KeyRule
from adk_decl.syntax.profile import Profile
from adk_decl.syntax.reporter import Place, Reporter, Unreadable, place_at

_FATAL = frozenset(("ADK002", "ADK007", "ADK008"))
_MERGE = "<<"
_PROPERTY_CHARACTERS = 1024


class Doubtful(Exception):
    """The C parser accepted what the pure one refuses; the pure one has to read the text."""


class Builder:
    """Takes events in order; `finish` gives the root.

    Unless `final`, `Doubtful` is raised where the parsers differ and another reading has to decide.
    """

    def __init__(self, text: str, reporter: Reporter, profile: Profile, *, final: bool) -> None:
        self._final = final
        self._text = text
        self._reporter = reporter
        self._profile = profile
        self._keys = KeyRule(reporter)
        self._root: Node | None = None
        self._open: list[tuple[Node, bool]] = []
        self._pending: list[Node | None] = []
        self._seen: list[dict[str, Node]] = []
        self._items: list[Node] | None = None
        """The items of the innermost list, while it is the innermost node."""
        self._values: dict[str, Scalar] = {}
        self._nodes = 0
        self._most = profile.nodes
        self._documents = 0
        self._cuts = _comment_starts(text)
        self._has_properties = "!" in text or "&" in text
        self.reached = 0
        """Index of the character after the last event that stood in the text."""

    def document(self, event: Any) -> None:
        """A document begins."""
        self._documents += 1
        if self._documents == 1:
            return
        self._doubt()
        at = event.start_mark.index
        raise self._reporter.refuse(
            "ADK005",
            place_at(self._text, at, at + (3 if self._text.startswith("---", at) else 1)),
            "a second document begins here",
            label="one file holds one document",
            help="move it to a file of its own",
        )

    def document_end(self, event: Any) -> None:
        """A document ends; behind `...` nothing may follow but comments."""
        if not event.explicit:
            return
        rest = _next_mark(self._text, event.end_mark.index, "", skipped="")
        if rest < len(self._text):
            self._doubt()
            raise self._reporter.refuse(
                "ADK005",
                place_at(self._text, rest, rest + 1),
                "something stands behind the end of the document",
                label="after `...`",
                help="remove it, or move it to a file of its own",
            )

    def scalar(self, event: Any) -> None:
        """A scalar: a key, a value or an item."""
        start, end = event.start_mark, event.end_mark
        text: str = event.value
        style: str | None = event.style
        node = Node("scalar", start.line + 1, start.column + 1, end.line + 1, end.column + 1, text)
        if self._has_properties and (event.anchor is not None or self._text.startswith(("!", "&"), start.index)):
            self._properties(event)
        if style:
            node.value = text
            self._check_style(style, node, start.index, end.index)
        else:
            node.plain = True
            if text:
                known = self._values.get(text, self)
                node.value = self._typed(text) if known is self else known  # type: ignore[assignment]
                if self._cuts and end.index in self._cuts:
                    self._comment_cuts(node)
            else:
                self._place_empty(node, start.index)
        if text or style:
            self.reached = end.index
        self._nodes += 1
        if self._nodes > self._most:
            raise self._too_many(node)
        if self._items is not None:
            self._items.append(node)
        else:
            self._attach(node)

    def alias(self, event: Any) -> None:
        """A use of an anchor: reported, its value is not known."""
        start, end = event.start_mark, event.end_mark
        node = Node("scalar", start.line + 1, start.column + 1, end.line + 1, end.column + 1)
        key = self._pending[-1] if self._pending else None
        if key is None or key.text != _MERGE:
            self._reporter.add(
                "ADK007",
                _place(node),
                "aliases are not supported",
                label="an alias",
                help="write the value out, or quote it if it is text",
            )
        node.text = f"*{event.anchor}"
        self.reached = end.index
        self._nodes += 1
        if self._nodes > self._most:
            raise self._too_many(node)
        self._attach(node)

    def start(self, kind: Literal["map", "list"], event: Any) -> None:
        """A map or a list begins."""
        start, end = event.start_mark, event.end_mark
        node = Node(kind, start.line + 1, start.column + 1, end.line + 1, end.column + 1)
        if event.anchor is not None or event.tag is not None:
            self._properties(event)
        if len(self._open) >= self._profile.depth:
            self._doubt()
            raise self._reporter.refuse(
                "ADK016",
                (node.line, node.column, node.line, node.column + 1),
                f"nesting is deeper than {self._profile.depth} levels",
                label=f"level {len(self._open) + 1}",
            )
        self._nodes += 1
        if self._nodes > self._most:
            raise self._too_many(node)
        self._open.append((node, bool(event.flow_style)))
        self._pending.append(None)
        self._seen.append({})
        self._items = node.items if kind == "list" else None
        self.reached = max(self.reached, start.index)

    def end(self, event: Any) -> None:
        """The innermost map or list ends: a flow one at its bracket, a block one with its last child."""
        node, flow = self._open.pop()
        self._pending.pop()
        self._seen.pop()
        parent = self._open[-1][0] if self._open else None
        self._items = parent.items if parent is not None and parent.kind == "list" else None
        if flow:
            self.reached = event.end_mark.index
            node.end_line, node.end_column = event.end_mark.line + 1, event.end_mark.column + 1
        else:
            last = node.items[-1] if node.items else node.entries[-1][1] if node.entries else None
            if last is not None and (last.end_line, last.end_column) > (node.line, node.column):
                node.end_line, node.end_column = last.end_line, last.end_column
        self._attach(node)

    def finish(self) -> Node:
        """The root, once all events were given. Raises `Unreadable` after what makes the tree meaningless."""
        root = self._root
        if root is None or root.kind == "scalar":
            # No document of ours is one scalar, and the parsers differ on several that nearly are.
            self._doubt()
        if root is None or (root.kind == "scalar" and root.plain and not root.text):
            raise self._reporter.refuse(
                "ADK015",
                (1, 1, 1, 1),
                "the file holds no content",
                help="begin with `apiVersion: adk-decl/v1` and `kind: Manifest`",
            )
        if root.kind == "scalar" and root.plain and missing_space(root.text):
            lines = self._text.split("\n")[root.line - 1 : root.end_line]
            below, line = next((at for at in enumerate(lines) if ":" in at[1]), (0, ":"))
            number, colon = root.line + below, line.find(":") + 1
            raise self._reporter.refuse(
                "ADK019",
                (number, colon, number, colon + 1),
                "a space is missing after the colon",
                label="`key: value` needs a space here",
            )
        if self._reporter.has(_FATAL):
            raise Unreadable
        return root

    def _check_style(self, style: str, node: Node, start: int, end: int) -> None:
        if style in "|>":
            if self._text[start:end].lstrip("|>+-0123456789")[:1] == "#":
                self._doubt()
            self._end_block(node, end)
        elif style == '"' and not _is_storable(node.text):
            self._refuse_escape(node)

    def _typed(self, text: str) -> Scalar:
        """`typed`, called once for each text: most of a manifest says the same few words."""
        value = self._values[text] = typed(text)
        return value

    def _doubt(self) -> None:
        if not self._final:
            raise Doubtful

    def _too_many(self, node: Node) -> Unreadable:
        return self._reporter.refuse(
            "ADK016",
            (node.line, node.column, node.line, node.column + 1),
            f"the file holds more than {self._most} keys and values",
            label="the limit is reached here",
        )

    def _attach(self, node: Node) -> None:
        if not self._open:
            self._root = node
            return
        parent, flow = self._open[-1]
        if parent.kind == "list":
            parent.items.append(node)
            return
        key = self._pending[-1]
        if key is None:
            self._pending[-1] = node
            return
        self._pending[-1] = None
        if key.plain and key.text == _MERGE:
            self._reporter.add(
                "ADK007",
                _place(key),
                "merge keys are not supported",
                label="a merge key",
                help="write the entries out",
            )
        elif self._keys.accepts(key, templated=flow and _is_template(parent, key)):
            first = self._seen[-1].setdefault(key.text, key)
            if first is key:
                parent.entries.append((key, node))
            else:
                self._keys.report_duplicate(key, first)

    def _properties(self, event: Any) -> None:
        """Report the anchor and the tag that stand before a node."""
        at = event.start_mark.index
        if event.tag is not None and self._text[at] == "&":
            # Where a tag stands before the anchor, the parsers let the node begin at the anchor.
            before = self._text[max(0, at - _PROPERTY_CHARACTERS) : at].split()
            if before and before[-1][0] == "!":
                self._tag(before[-1], self._text.rindex(before[-1], 0, at))
        for token in self._text[at : at + _PROPERTY_CHARACTERS].split(None, 2)[:2]:
            found = self._text.index(token, at)
            at = found + len(token)
            if token[0] == "&" and event.anchor is not None:
                self._reporter.add(
                    "ADK007",
                    place_at(self._text, found, found + min(len(token), 1 + len(event.anchor))),
                    "anchors are not supported",
                    label="an anchor",
                    help="write the value where it is needed",
                )
            elif token[0] == "!":
                self._tag(token, found)
            else:
                return

    def _tag(self, token: str, at: int) -> None:
        place = place_at(self._text, at, at + len(token.rstrip(",]}")))
        self._reporter.add("ADK008", place, "tags are not supported", label="a tag", help="remove the tag")

    def _refuse_escape(self, node: Node) -> None:
        self._reporter.add(
            "ADK002",
            _place(node),
            "the text holds an escape for a character that may not stand in a value",
            label="NUL or half of a surrogate pair",
            help="remove the escape",
        )

    def _comment_cuts(self, node: Node) -> None:
        if not isinstance(node.value, str):
            return
        place: Place = (node.end_line, node.end_column + 1, node.end_line, node.end_column + 2)
        self._reporter.add(
            "ADK018",
            place,
            "the value ends before this `#`",
            label="a comment begins here",
            help="quote the value if the `#` belongs to it, or write a space after it",
        )

    def _end_block(self, node: Node, end: int) -> None:
        """A block scalar ends with its last line that holds text, not where the next token begins."""
        content = self._text[:end].rstrip()
        _, _, node.end_line, node.end_column = place_at(self._text, len(content), len(content))
        if (node.end_line, node.end_column) <= (node.line, node.column):
            node.end_line, node.end_column = node.line, node.column + 1

    def _place_empty(self, node: Node, at: int) -> None:
        """Where nothing is written: at the key, the dash or the colon that asks for a value."""
        parent = self._open[-1][0] if self._open else None
        key = self._pending[-1] if self._pending else None
        if key is not None:
            node.line, node.column, node.end_line, node.end_column = _place(key)
        elif parent is not None:
            mark = "-" if parent.kind == "list" else "?:"
            found = min(_next_mark(self._text, self.reached, mark, skipped=",[{"), len(self._text) - 1)
            node.line, node.column, node.end_line, node.end_column = place_at(self._text, found, found + 1)
            self.reached = found + 1


def _place(node: Node) -> Place:
    return node.line, node.column, node.end_line, node.end_column


def _is_template(outer: Node, key: Node) -> bool:
    """Whether a flow map that is a key begins right behind the brace of its own map: `{{ name }}`."""
    return key.kind == "map" and (key.line, key.column) == (outer.line, outer.column + 1)


def _is_storable(text: str) -> bool:
    """Whether a text can be written as UTF-8 and holds no NUL."""
    return "\0" not in text and (text.isascii() or not any("\ud800" <= c <= "\udfff" for c in text))


def _next_mark(text: str, at: int, marks: str, *, skipped: str) -> int:
    """The index of the next character that is of `marks` or else no white space, comment or character of `skipped`."""
    while at < len(text) and text[at] not in marks:
        if text[at] == "#":
            end = text.find("\n", at)
            at = len(text) if end < 0 else end
        elif text[at].isspace() or text[at] in skipped:
            at += 1
        else:
            break
    return at


def _comment_starts(text: str) -> frozenset[int]:
    """The indexes of spaces before a `#` that no second space announces and no space follows: ` #1`."""
    found = []
    at = text.find(" #")
    while at >= 0:
        before, after = text[at - 1 : at], text[at + 2 : at + 3]
        if before not in ("", " ", "\n", "\t") and after.isalnum():
            found.append(at)
        at = text.find(" #", at + 2)
    return frozenset(found)
