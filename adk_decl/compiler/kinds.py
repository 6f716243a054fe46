"""What a document says it is: a manifest of this version, or something else, told in one finding."""

from __future__ import annotations

from collections.abc import Sequence

from adk_decl.compiler.finding import finding, renaming
from adk_decl.diagnostics.diagnostic import Diagnostic, DiagnosticBag
from adk_decl.diagnostics.wording import quote
from adk_decl.syntax.document import Document, Node

MANIFEST = "Manifest"
OVERLAY = "Overlay"
LAYER_KEYS = ("extends", "overlays")
DIRECTIVES = ("$merge", "$delete")
"""Keys by which a layer says how it meets the layers below."""

API_VERSION = "adk-decl/v1"
LATER_KINDS = ("EvalSet", "CriteriaSet", "PolicyTest")
"""Kinds of documents that adk-decl knows and this version can't use."""

_MANIFEST_KEYS = ("apiVersion", "kind", "models", "agents", "plugins", "runners", "tools")
_BEGINNING = f"a manifest begins with `apiVersion: {API_VERSION}` and `kind: {MANIFEST}`"
_EVAL_KEYS = ("eval_set_id", "eval_cases", "cases")


def document_kind(document: Document, bag: DiagnosticBag, *, partial: bool = False) -> str | None:
    """`Manifest` or `Overlay` for what the compiler goes on with, None after a finding (ADK101, ADK130, ADK209).

    With `partial` the document is used as an overlay, which needs neither `apiVersion` nor `kind`.
    """
    found = _refusal(document, partial=partial)
    if found is not None:
        bag.add(found)
        return None
    kind = document.root.get("kind")
    return OVERLAY if kind is not None and kind.value == OVERLAY else MANIFEST


def has_layers(document: Document, overlays: Sequence[str]) -> bool:
    """Whether a manifest goes through the layers pass: it names layers, is given some, or may hold a directive."""
    if overlays or any(document.root.get(key) is not None for key in LAYER_KEYS):
        return True
    return any(word in document.text for word in DIRECTIVES)


def overlay_alone_refused(document: Document) -> Diagnostic:
    """ADK508 for an overlay where a manifest is needed."""
    kind = document.root.get("kind") or document.root
    return finding(
        "ADK508",
        "an overlay can't be used by itself",
        kind.span(document.file),
        path=("kind",),
        label="expected `Manifest`",
        help="name the manifest that it lies over, and this file with `--overlay`",
    )


def _refusal(document: Document, *, partial: bool) -> Diagnostic | None:
    root = document.root
    if root.kind != "map":
        return finding(
            "ADK101",
            "a document must be a map",
            root.span(document.file),
            label="expected `key: value`",
            help=_BEGINNING,
        )
    kind, version = root.get("kind"), root.get("apiVersion")
    if kind is not None and isinstance(kind.value, str) and kind.value not in (MANIFEST, OVERLAY):
        return _other_kind(document, kind)
    if version is not None and isinstance(version.value, str) and version.value != API_VERSION:
        help_text, fix = renaming(version.value, (API_VERSION,), version, version.span(document.file))
        return finding(
            "ADK130",
            f"the version {quote(version.value)} of manifests is not known",
            version.span(document.file),
            path=("apiVersion",),
            label=f"expected `{API_VERSION}`",
            help=help_text or f"write `apiVersion: {API_VERSION}`",
            fix=fix,
        )
    unsaid = kind is None and version is None and not any(root.get(key) is not None for key in _MANIFEST_KEYS)
    if unsaid and not partial:
        return _no_kind(document)
    return None


def _other_kind(document: Document, kind: Node) -> Diagnostic:
    name, span = str(kind.value), kind.span(document.file)
    if name in LATER_KINDS:
        return finding(
            "ADK209",
            f"documents of kind {quote(name)} are not available in this version",
            span,
            path=("kind",),
            label="not available in this version",
            help="this version compiles documents of kind `Manifest`",
        )
    known = (MANIFEST, OVERLAY, *LATER_KINDS)
    help_text, fix = renaming(name, known, kind, span)
    return finding(
        "ADK130",
        f"there is no kind of document named {quote(name)}",
        span,
        path=("kind",),
        label="expected `Manifest`",
        help=help_text or "write `kind: Manifest` for a manifest",
        fix=fix,
    )


def _no_kind(document: Document) -> Diagnostic:
    is_eval_set = any(document.root.get(key) is not None for key in _EVAL_KEYS)
    what = "this looks like an eval set, not like a manifest" if is_eval_set else "this is not an adk-decl document"
    first = document.root.entries[0][0] if document.root.entries else document.root
    return finding("ADK130", what, first.span(document.file), label="`kind` is missing", help=_BEGINNING)
