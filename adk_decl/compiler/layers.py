"""The layers pass: finds the files that a manifest is made of, reads them, and lays them over each other.

From the one that gives way first: the manifests that it extends, the farthest first, each with its own overlays on top;
the manifest itself; its overlays in order; the overlays that the caller names, in order.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import NamedTuple

from adk_decl import disk
from adk_decl.compiler.context import Context
from adk_decl.compiler.finding import finding
from adk_decl.compiler.kinds import LAYER_KEYS, OVERLAY, document_kind
from adk_decl.compiler.merge import Merger
from adk_decl.diagnostics.diagnostic import Diagnostic, DiagnosticBag, Label, Span
from adk_decl.diagnostics.wording import quote
from adk_decl.plan.limits import LIMITS
from adk_decl.syntax.document import Document, Node
from adk_decl.syntax.read import read_file

_HEAD = ("apiVersion", "kind")
_NO_FILE = ("ADK020", "ADK021")


class Layer(NamedTuple):
    """One file: its document, its absolute path, and the node that names it (None for what the caller names)."""

    document: Document
    path: str
    named_by: Span | None


def apply_layers(document: Document, context: Context, overlays: Sequence[str], bag: DiagnosticBag) -> Document | None:
    """The manifest with all its layers merged, or None when a layer can't be read or may not be one.

    `overlays` are what the caller lays over it: paths from the current folder. Reports ADK221, ADK501 to ADK509, and
    what is wrong with a file at its own place.
    """
    stack = _Stack(document, context, bag)
    layers = stack.layers(overlays)
    if layers is None:
        return None
    context.add_layers(tuple((layer.document.file, layer.path) for layer in layers))
    merger = Merger(document.file, bag)
    documents = [layer.document for layer in layers]
    for layer in documents:
        if layer is not document:
            _stamp(layer.root, layer.file)
    bottom = _own(documents[0].root, is_manifest=documents[0] is document)
    merged = merger.without_directives(bottom, where="in a manifest that extends no other one")
    for layer in documents[1:]:
        merged = merger.merge(merged, _own(layer.root, is_manifest=layer is document, head=False))
    return Document(
        file=document.file,
        text=document.text,
        format=document.format,
        root=merged,
        layers=tuple(documents),
        replaced=merger.replaced,
    )


def overlay_alone(document: Document, bag: DiagnosticBag) -> Document:
    """An overlay as far as it can be checked without what it lies over: directives carried out over nothing."""
    _refuse_nested(document, bag)
    top = _own(document.root, is_manifest=False)
    top.entries = [(key, value) for key, value in top.entries if key.text != "kind"]
    nothing = Node("map", top.line, top.column, top.end_line, top.end_column)
    root = Merger(document.file, bag, alone=True).merge(nothing, top)
    return Document(file=document.file, text=document.text, format=document.format, root=root)


class _Stack:
    """Finds and reads the layers of one manifest."""

    def __init__(self, document: Document, context: Context, bag: DiagnosticBag) -> None:
        self.main = Layer(document, context.file, None)
        self.context = context
        self.bag = bag
        self.seen: dict[str, Span | None] = {_real(context.file): None}
        self.complete = True

    def layers(self, overlays: Sequence[str]) -> list[Layer] | None:
        """All layers, the one that gives way first; None when one of them can't be used."""
        chain = [self.main]
        while (parent := self._parent(chain[-1])) is not None:
            chain.append(parent)
        found: list[Layer] = []
        for layer in reversed(chain):
            found.append(layer)
            for text, span in _names(layer.document, "overlays"):
                self._add(found, self._overlay(self._beside(layer, text), text, span))
        for text in overlays:
            self._add(found, self._overlay(os.path.normpath(os.path.join(self.context.cwd, text)), text, None))
        return found if self.complete else None

    def _parent(self, layer: Layer) -> Layer | None:
        for text, span in _names(layer.document, "extends"):
            parent = self._read(self._beside(layer, text), text, span)
            if parent is None:
                return None
            kind = document_kind(parent.document, self.bag)
            if kind == OVERLAY:
                self._refuse(_no_parent(text, span, parent.document))
            if kind is not None and kind != OVERLAY:
                return parent
            self.complete = False
        return None

    def _overlay(self, path: str, text: str, span: Span | None) -> Layer | None:
        layer = self._read(path, text, span)
        if layer is None:
            return None
        if document_kind(layer.document, self.bag, partial=True) is None or _refuse_nested(layer.document, self.bag):
            self.complete = False
            return None
        return layer

    def _add(self, found: list[Layer], layer: Layer | None) -> None:
        if layer is not None:
            found.append(layer)

    def _beside(self, layer: Layer, text: str) -> str:
        return os.path.normpath(os.path.join(os.path.dirname(layer.path), text))

    def _read(self, path: str, text: str, span: Span | None) -> Layer | None:
        shown = self.context.shown_name(path)
        place = span or Span(file=shown, line=1, column=1, end_line=1, end_column=1)
        refusal = self._refusal(path, text, place)
        if refusal is not None:
            self._refuse(refusal)
            return None
        self.seen[_real(path)] = span
        own = DiagnosticBag()
        data = self.context.texts.get(path)
        document = read_file(path, shown=shown, bag=own, sources=self.context.sources, data=data)
        for found in own.sorted():
            self.bag.add(_unreadable(found, text, place) if found.code in _NO_FILE and span is not None else found)
        if document is None or own.has_errors:
            self.complete = False
            return None
        return Layer(document, path, span)

    def _refusal(self, path: str, text: str, place: Span) -> Diagnostic | None:
        if not self.context.inside(path):
            message = f"the layer {quote(text)} lies outside the project"
            help_text = "layers lie inside the project, links followed; `--project-root` names another root"
            return finding("ADK221", message, place, label="not inside the project", help=help_text)
        real = _real(path)
        if real in self.seen:
            return _again(text, place, self.seen[real], is_main=real == _real(self.main.path))
        most = LIMITS["layers.files"].maximum
        if len(self.seen) >= most:
            message = f"this manifest has more than {most} layers"
            return finding("ADK507", message, place, label="one too many", help="put layers together")
        return None

    def _refuse(self, refusal: Diagnostic) -> None:
        self.bag.add(refusal)
        self.complete = False


def _real(path: str) -> str:
    """The path with links followed; itself when that can't be done."""
    try:
        return disk.real_path(path)
    except (OSError, ValueError):
        return path


def _names(document: Document, key: str) -> list[tuple[str, Span]]:
    """The paths that a manifest names under a key; none when they are malformed, which is left to the shape pass."""
    node = document.root.get(key)
    if node is None or not _is_well_formed(key, node):
        return []
    nodes = [node] if node.kind == "scalar" else node.items
    return [(str(each.value), each.span(document.file)) for each in nodes]


def _is_well_formed(key: str, node: Node) -> bool:
    nodes = [node] if key == "extends" else node.items
    if key == "overlays" and node.kind != "list":
        return False
    texts = [each.value for each in nodes if isinstance(each.value, str) and each.value]
    return len(texts) == len(nodes) == len(set(texts))


def _own(root: Node, *, is_manifest: bool, head: bool = True) -> Node:
    """What a layer says besides which layers there are; its head too only when nothing lies below.

    What is malformed in the manifest itself stays, for the shape pass to report.
    """
    own = Node("map", root.line, root.column, root.end_line, root.end_column)
    own.file = root.file
    for key, value in root.entries:
        consumed = key.text in LAYER_KEYS and not (is_manifest and not _is_well_formed(key.text, value))
        if not consumed and (head or key.text not in _HEAD):
            own.entries.append((key, value))
    return own


def _stamp(node: Node, file: str) -> None:
    """Write into each node of a layer in which file it stands."""
    waiting = [node]
    while waiting:
        each = waiting.pop()
        each.file = file
        waiting += each.items
        for key, value in each.entries:
            key.file = file
            waiting.append(value)


def _refuse_nested(document: Document, bag: DiagnosticBag) -> bool:
    """ADK509 for an overlay that names layers of its own."""
    found = False
    for name in LAYER_KEYS:
        key = document.root.key_node(name)
        if key is not None:
            found = True
            message = f"an overlay has no {quote(name)} of its own"
            help_text = "name all overlays in the manifest, in order"
            span = key.span(document.file)
            bag.add(finding("ADK509", message, span, path=(name,), label="not in an overlay", help=help_text))
    return found


def _again(text: str, place: Span, first: Span | None, *, is_main: bool) -> Diagnostic:
    labels = (Label(span=first, message="named here first"),) if first is not None else ()
    message = f"{quote(text)} is the manifest itself" if is_main else f"{quote(text)} is a layer already"
    label = "leads back to where it began" if is_main else "a second time"
    return finding("ADK501", message, place, label=label, labels=labels, help="each file can be a layer once")


def _unreadable(found: Diagnostic, text: str, place: Span) -> Diagnostic:
    message = f"the layer {quote(text)} can't be read"
    help_text = "a path is relative to the file that names it"
    return finding("ADK502", message, place, label="named here", notes=(found.message,), help=help_text)


def _no_parent(text: str, place: Span, parent: Document) -> Diagnostic:
    kind = parent.root.get("kind") or parent.root
    return finding(
        "ADK508",
        f"{quote(text)} is an overlay, and a manifest extends only manifests",
        place,
        path=("extends",),
        label="expected a document of kind `Manifest`",
        labels=(Label(span=kind.span(parent.file), message="says that it is an overlay"),),
        help="name it under `overlays`",
    )
