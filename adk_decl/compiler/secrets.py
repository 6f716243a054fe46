"""Finds credentials that were written into a manifest, by their well-known forms and by how random they look.

What is found is never shown: neither the value nor its length nor which part of it matched.
"""

from __future__ import annotations

import re
from collections import Counter
from math import log2

from adk_decl.compiler.finding import Path, finding
from adk_decl.diagnostics.credentials import MARKS
from adk_decl.diagnostics.credentials import known_form as known_form
from adk_decl.diagnostics.diagnostic import DiagnosticBag
from adk_decl.syntax.document import Document, Node

_TOKEN = re.compile(r"[A-Za-z0-9+/_=-]{32,}\Z")
_LEAST_BITS = 4.3
"""Bits of entropy a character above which a long token looks random; English words and paths stay below 4."""

_MOST_CHARACTERS = 512
_LEAST_CHARACTERS = 16
"""No credential is shorter."""


def find_secrets(document: Document, bag: DiagnosticBag) -> None:
    """ADK301 for a known credential anywhere in the document, ADK305 for a value that merely looks random."""
    marked = _may_hold_a_mark(document.text)
    waiting: list[tuple[Node, Path]] = [(document.root, ())]
    while waiting:
        node, path = waiting.pop()
        if node.kind == "list":
            waiting += [(item, (*path, index)) for index, item in enumerate(node.items)]
        elif node.kind == "map":
            for key, value in node.entries:
                if _is_long(key):
                    _check(document, key, path, bag, is_key=True, marked=marked)
                if value.kind != "scalar" or _is_long(value):
                    waiting.append((value, (*path, key.text)))
        elif _is_long(node):
            _check(document, node, path, bag, is_key=False, marked=marked)


def looks_random(text: str) -> bool:
    """Whether a text is one long token of letters and digits whose characters are spread like chance."""
    if len(text) > _MOST_CHARACTERS or not _TOKEN.match(text) or "/" in text[:2]:
        return False
    kinds = (str.islower, str.isupper, str.isdigit)
    if not all(any(kind(character) for character in text) for kind in kinds):
        return False
    total = len(text)
    return -sum(n / total * log2(n / total) for n in Counter(text).values()) >= _LEAST_BITS


def _may_hold_a_mark(text: str) -> bool:
    """Whether a value of this document may hold a mark. An escape can hide one, and folding can part its words."""
    return "\\" in text or any(mark.partition(" ")[0] in text for mark in MARKS)


def _is_long(node: Node) -> bool:
    text = node.value
    return text.__class__ is str and len(text) >= _LEAST_CHARACTERS


def _check(document: Document, node: Node, path: Path, bag: DiagnosticBag, *, is_key: bool, marked: bool) -> None:
    text = str(node.value)
    form = known_form(text) if marked else None
    if form is not None:
        code, message, label = "ADK301", f"{form} is written into the manifest", "a secret stands here"
    elif looks_random(text):
        code, message, label = "ADK305", "this value looks like a secret", "a long random text"
    else:
        return
    span = node.span(document.file)
    bag.hide((span.file, line) for line in range(span.line, span.end_line + 1))
    if is_key:
        # Snippets show keys, and an empty span has no snippet.
        span = span.replace(end_line=span.line, end_column=span.column)
    bag.add(
        finding(
            code,
            message,
            span,
            path=path,
            label=label,
            help="write `{secret: {env: NAME}}` where the field takes a secret, and replace the one that leaked",
            mask=True,
        )
    )
