"""The components that a manifest uses, and the schemas of their configurations, without running any of them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, cast

from adk_decl.compiler.code_reference import PREFIX, References, Target
from adk_decl.compiler.context import Context
from adk_decl.compiler.kinds import has_layers
from adk_decl.compiler.layers import apply_layers
from adk_decl.compiler.plugin_class import read_plugin_class
from adk_decl.compiler.project_files import code_roots
from adk_decl.compiler.tree import Shaped, Tree
from adk_decl.components import catalogue
from adk_decl.components.descriptor import ComponentDescriptor, Kind
from adk_decl.diagnostics.diagnostic import DiagnosticBag, Span
from adk_decl.plan.frozen_json import thaw
from adk_decl.schema.evaluate import evaluate
from adk_decl.schema.load import load_shape
from adk_decl.source_code import Module, SourceProblem
from adk_decl.syntax.document import Document, Node

_EMPTY = Document(file="", text="", format="yaml", root=Node("map", 1, 1, 1, 1))
_NOWHERE = Span(file="", line=1, column=1, end_line=1, end_column=1)


class Use(NamedTuple):
    """A component as a manifest names it: the kind that its place asks for, and the text of `use`."""

    kind: Kind
    name: str


class Components:
    """What is known of the components that one manifest may use; code of the project is parsed when asked for."""

    def __init__(self, context: Context, document: Document | None) -> None:
        self._context = context
        self._document = document
        self._references: References | None = None
        self._roots: tuple[str, ...] | None = None
        self._schemas: dict[Use, dict[str, Any] | None] = {}

    def named(self, use: Use) -> ComponentDescriptor | None:
        """The built-in or installed component of that name."""
        return None if use.name.startswith(PREFIX) else catalogue.find(use.kind, use.name)

    def target(self, reference: str) -> Target | None:
        """What a `python:` reference leads to, or None when it leads nowhere."""
        if not reference.startswith(PREFIX):
            return None
        try:
            return self._code().resolve(reference, _NOWHERE, ())
        except SourceProblem:
            return None

    def module(self, name: str) -> Module | None:
        """A module of the project, parsed, or None."""
        try:
            return self._code().code.module(name)
        except SourceProblem:
            return None

    def roots(self) -> tuple[str, ...]:
        """The folders in which code is looked up."""
        if self._roots is None:
            given = self._document
            document = given if given is not None and given.root.kind == "map" else _EMPTY
            self._roots = code_roots(Tree(Shaped(document, {}, frozenset()), {}), self._context, DiagnosticBag())
        return self._roots

    def config_schema(self, use: Use) -> dict[str, Any] | None:
        """The schema of `config`: that of a component, or the literal one of a plugin class. None when unknown."""
        if use not in self._schemas:
            self._schemas[use] = self._config_schema(use)
        return self._schemas[use]

    def names(self, kind: Kind) -> tuple[str, ...]:
        """The names of all components of one kind."""
        return catalogue.names(kind)

    def _config_schema(self, use: Use) -> dict[str, Any] | None:
        if not use.name.startswith(PREFIX):
            component = self.named(use)
            return thaw(component.config_schema) if component is not None and component.config_schema else None
        target = self.target(use.name)
        if target is None or use.kind != "plugin" or not isinstance(target.found.node, ast.ClassDef):
            return None
        try:
            return read_plugin_class(self._code().code, target.found).config_schema
        except SourceProblem:
            return None

    def _code(self) -> References:
        if self._references is None:
            self._references = References(self._context, self.roots(), DiagnosticBag())
        return self._references


def with_layers(document: Document, context: Context) -> Document:
    """The manifest with the layers that it names, or itself where it names none or they can't be read."""
    if document.root.kind != "map" or not has_layers(document, ()):
        return document
    return apply_layers(document, context, (), DiagnosticBag()) or document


def uses_of(document: Document) -> Iterator[Use]:
    """Every component that a manifest names, in order and each once, whatever else is wrong with it."""
    result = evaluate(load_shape("Manifest"), document.root, file=document.file, bag=DiagnosticBag())
    seen: set[Use] = set()
    waiting = [document.root]
    while waiting:
        node = waiting.pop()
        kind = result.schema(node).get("x-component")
        if kind is not None and isinstance(node.value, str):
            use = Use(cast("Kind", kind), node.value)
            if use not in seen:
                seen.add(use)
                yield use
        waiting += reversed([value for _, value in node.entries] if node.kind == "map" else node.items)


def component_places(schema: Mapping[str, Any]) -> Iterator[tuple[dict[str, Any], Kind]]:
    """Every schema of a map that holds a component: it has a `use` with `x-component`, and a `config`."""
    shape = load_shape("Manifest")
    waiting: list[Any] = [schema]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            fields = part.get("properties")
            if isinstance(fields, dict) and "use" in fields and "config" in fields:
                kind = shape.resolve(fields["use"]).get("x-component")
                if kind is not None:
                    yield part, cast("Kind", kind)
            waiting += reversed(list(part.values()))
        elif isinstance(part, list):
            waiting += reversed(part)
