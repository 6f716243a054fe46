"""Between findings, fixes and offers of adk-decl and the types of the language server protocol."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from lsprotocol import types

from adk_decl.diagnostics.diagnostic import Diagnostic, Edit, Span
from adk_decl.editor.actions import Action, by_file
from adk_decl.editor.complete import Item, ItemKind
from adk_decl.editor.positions import Encoding, Lines, Position

SOURCE = "adk-decl"
FIX_ALL = f"{types.CodeActionKind.SourceFixAll.value}.adkDecl"

_UNUSED = frozenset(("ADK204",))
_DEPRECATED = frozenset(("ADK140", "ADK141"))
_KINDS: dict[ItemKind, types.CompletionItemKind] = {
    "key": types.CompletionItemKind.Property,
    "value": types.CompletionItemKind.EnumMember,
    "name": types.CompletionItemKind.Reference,
    "component": types.CompletionItemKind.Module,
    "code": types.CompletionItemKind.Class,
}


class Places:
    """Ranges in the texts of one analysis, and the URIs of its files."""

    def __init__(
        self, sources: Callable[[str], str], uri: Callable[[str], str], encoding: Encoding, versions: dict[str, int]
    ) -> None:
        """`sources` and `uri` take a file as findings name it; `versions` are those of open texts, by URI."""
        self._sources = sources
        self.uri = uri
        self._encoding = encoding
        self._versions = versions
        self._lines: dict[str, Lines] = {}

    def range(self, span: Span) -> types.Range:
        """The range of a span in its file."""
        if span.file not in self._lines:
            self._lines[span.file] = Lines(self._sources(span.file), self._encoding)
        start, end = self._lines[span.file].range(span)
        return types.Range(_position(start), _position(end))

    def location(self, span: Span) -> types.Location:
        """The file and the range of a span."""
        return types.Location(self.uri(span.file), self.range(span))

    def edits(self, edits: Sequence[Edit], *, versioned: bool) -> types.WorkspaceEdit:
        """Edits by file; with `versioned` they hold only for the versions that the editor has open."""
        changes = {
            self.uri(file): [types.TextEdit(self.range(edit.span), edit.text) for edit in of_file]
            for file, of_file in by_file(edits).items()
        }
        if not versioned:
            return types.WorkspaceEdit(changes=changes)
        return types.WorkspaceEdit(
            document_changes=[
                types.TextDocumentEdit(
                    types.OptionalVersionedTextDocumentIdentifier(uri, self._versions.get(uri)), list(of_file)
                )
                for uri, of_file in changes.items()
            ]
        )


def diagnostic(found: Diagnostic, places: Places) -> types.Diagnostic:
    """A finding with its code, its labels as related places, and its help below the message."""
    lines = [found.message, *(f"help: {text}" for text in (found.help,) if text), *(f"note: {n}" for n in found.notes)]
    if found.help is None and found.fix is not None:
        lines.insert(1, f"help: {found.fix.title}")
    tags = [types.DiagnosticTag.Unnecessary] if found.code in _UNUSED else []
    tags += [types.DiagnosticTag.Deprecated] if found.code in _DEPRECATED else []
    return types.Diagnostic(
        range=places.range(found.span),
        message="\n".join(lines),
        severity=types.DiagnosticSeverity.Error if found.severity == "error" else types.DiagnosticSeverity.Warning,
        code=found.code,
        source=SOURCE,
        tags=tags or None,
        related_information=[
            types.DiagnosticRelatedInformation(places.location(label.span), label.message) for label in found.labels
        ]
        or None,
    )


def code_action(action: Action, places: Places, *, versioned: bool) -> types.CodeAction:
    """A fix of one finding, or of all of them."""
    return types.CodeAction(
        title=action.title,
        kind=FIX_ALL if action.finding is None else types.CodeActionKind.QuickFix,
        diagnostics=None if action.finding is None else [diagnostic(action.finding, places)],
        is_preferred=True if action.is_safe and action.finding is not None else None,
        edit=places.edits(action.edits, versioned=versioned),
    )


def completion(items: Iterable[Item], line: int, lines: Lines) -> types.CompletionList:
    """Offers in their order, each with the exact text that it replaces. `line` counts from 1."""

    def place(column: int) -> types.Position:
        return _position(lines.position(line, column + 1))

    offers = list(items)
    return types.CompletionList(
        # A reference to code goes on with what was not listed yet, so the editor has to ask again.
        is_incomplete=any(item.kind == "code" for item in offers),
        items=[
            types.CompletionItem(
                label=item.label,
                kind=_KINDS[item.kind],
                detail=item.detail or None,
                documentation=_markdown(item.documentation) if item.documentation else None,
                sort_text=f"{index:05}",
                filter_text=item.label,
                text_edit=types.TextEdit(types.Range(place(item.start), place(item.end)), item.text),
            )
            for index, item in enumerate(offers)
        ],
    )


def hover(text: str, place: types.Range | None) -> types.Hover:
    """Markdown about a range."""
    return types.Hover(_markdown(text), place)


def position(given: types.Position) -> Position:
    """A position as the editor gave it."""
    return Position(given.line, given.character)


def _markdown(text: str) -> types.MarkupContent:
    return types.MarkupContent(types.MarkupKind.Markdown, text)


def _position(found: Position) -> types.Position:
    return types.Position(found.line, found.character)
