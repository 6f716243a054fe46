"""Follows `python:module:attribute` to a definition in the project, without importing or running anything."""

from __future__ import annotations

import keyword
import os
import sys
from typing import NamedTuple

from adk_decl import disk
from adk_decl.compiler.context import Context
from adk_decl.compiler.finding import MOST_SUGGESTIONS, Path, finding, rename_fix, suggestion
from adk_decl.compiler.module_names import nearest_module
from adk_decl.compiler.plugin_class import CodeProblem
from adk_decl.diagnostics.diagnostic import Diagnostic, DiagnosticBag, Edit, Fix, Label, Span
from adk_decl.diagnostics.suggest import nearest
from adk_decl.diagnostics.wording import listed, quote
from adk_decl.plan.model import CodeRef
from adk_decl.source_code import (
    CodeBase,
    Definition,
    Module,
    SourceFile,
    SourceProblem,
    find_module,
    folder_reader,
    source_text,
)

PREFIX = "python:"
_INSTALL_FOLDERS = ("site-packages", "dist-packages")


class Target(NamedTuple):
    """What a reference leads to: the place for the plan, the module it names, and the definition found there."""

    code: CodeRef
    module: Module
    found: Definition


class References:
    """Resolves the code references of one manifest; each module is read once."""

    def __init__(self, context: Context, roots: tuple[str, ...], bag: DiagnosticBag) -> None:
        self._context = context
        self._roots = roots
        self.bag = bag
        self.code = CodeBase(folder_reader(roots, inside=context.project_root))
        self._installed: dict[str, bool] = {}
        self._unknown = 0

    def resolve(self, text: str, span: Span, path: Path) -> Target | None:
        """The definition, or None after a finding (ADK206, ADK207, ADK208, ADK214, ADK215, ADK221)."""
        parts = _parts(text)
        if parts is None:
            self.bag.add(
                finding(
                    "ADK215",
                    "a code reference has the form `python:package.module:attribute`",
                    span,
                    path=path,
                    label="not of this form",
                    help="write `python:`, the module with dots, `:`, and one name that the module defines",
                )
            )
            return None
        name, attribute = parts
        if not self._is_allowed(name, span, path):
            return None
        try:
            return self._find(name, attribute, span, path)
        except SourceProblem as problem:
            self.report_source(problem, span, path)
            return None

    def report(self, problem: CodeProblem, span: Span, path: Path) -> None:
        """A finding in a file of the project, with a label where the manifest leads to it."""
        self.remember(problem.module)
        self.bag.add(
            finding(
                problem.code,
                problem.message,
                self.span(problem.module, problem.place),
                path=path,
                label=problem.label,
                labels=(Label(span=span, message="named here"),),
                help=problem.help,
            )
        )

    def report_source(self, problem: SourceProblem, span: Span, path: Path) -> None:
        """A module that was found and can't be read or parsed."""
        self.bag.add(self._source_finding(problem, span, path))

    def span(self, module: Module, place: tuple[int, int, int, int]) -> Span:
        """A place in a module as a span."""
        line, column, end_line, end_column = place
        shown = self._context.shown_name(module.file.path)
        return Span(file=shown, line=line, column=column, end_line=end_line, end_column=max(end_column, column + 1))

    def _find(self, name: str, attribute: str, span: Span, path: Path) -> Target | None:
        module = self.code.module(name)
        if module is None:
            self.bag.add(self._not_found(name, span, path))
            return None
        found = self.code.definition(module, attribute)
        if found is None:
            self.remember(module)
            self.bag.add(
                finding(
                    "ADK207",
                    f"module {quote(name)} does not define {quote(attribute)}",
                    span,
                    path=path,
                    label="not defined there",
                    help=suggestion(attribute, module.bindings),
                    fix=self._rename(span, attribute, nearest(attribute, module.bindings)),
                    notes=(f"looked in {self._context.shown_name(module.file.path)}",),
                )
            )
            return None
        return Target(self._code_ref(name, attribute, module.file), module, found)

    def _code_ref(self, name: str, attribute: str, file: SourceFile) -> CodeRef:
        return CodeRef(
            module=name,
            attribute=attribute,
            file=self._context.from_root(file.path),
            root=self._context.from_root(file.root),
        )

    def _is_allowed(self, name: str, span: Span, path: Path) -> bool:
        """Whether a module may be the project's own: neither the standard library nor an installed package."""
        top = name.partition(".")[0]
        if top in sys.stdlib_module_names:
            reason = f"{quote(top)} is a module of the standard library"
        elif self._is_installed(top):
            reason = f"{quote(top)} is an installed package"
        else:
            return True
        clash = find_module(name, self._roots) is not None
        self.bag.add(
            finding(
                "ADK208",
                f"{reason}, and a reference names only code of the project",
                span,
                path=path,
                label="not the project's own code",
                help="give the project's module a name that nothing else has"
                if clash
                else "call it from a function or a plugin of the project; installed packages offer components by name",
            )
        )
        return False

    def _is_installed(self, top: str) -> bool:
        if top not in self._installed:
            self._installed[top] = any(_holds(entry, top) for entry in _installed_folders(self._context))
        return self._installed[top]

    def _not_found(self, name: str, span: Span, path: Path) -> Diagnostic:
        relative = name.replace(".", "/")
        looked = [
            self._context.shown_name(os.path.join(root, relative + ending))
            for root in self._roots
            for ending in (".py", "/__init__.py")
        ]
        self._unknown += 1
        near = nearest_module(name, self._roots) if self._unknown <= MOST_SUGGESTIONS else None
        return finding(
            "ADK206",
            f"there is no module {quote(name)}",
            span,
            path=path,
            label="not found",
            notes=(f"looked for {listed(looked)}",),
            help="`code_roots` states the folders in which modules are looked up"
            if near is None
            else f"did you mean {quote(near)}?",
            fix=self._rename(span, name, near),
        )

    def _rename(self, span: Span, word: str, name: str | None) -> Fix | None:
        """The fix that writes another name for a part of the reference at `span`."""
        text = self._context.sources.get(span.file, "")
        lines = text.split("\n")
        if name is None or span.line != span.end_line or span.line > len(lines):
            return None
        written = lines[span.line - 1][span.column - 1 : span.end_column - 1]
        start = written.find(f":{word}") + 1
        if not start or written.count(f":{word}") != 1:
            return None
        column = span.column + start
        place = span.replace(column=column, end_column=column + len(word))
        return rename_fix(word, name, Edit(span=place, text=name))

    def _source_finding(self, problem: SourceProblem, span: Span, path: Path) -> Diagnostic:
        shown = self._context.shown_name(problem.file.path)
        if problem.reason in ("syntax", "too_deep", "too_large"):
            return self._unparsed(problem, shown, span, path)
        outside = problem.reason == "outside"
        return finding(
            "ADK221" if outside else "ADK206",
            f"{quote(shown)} leads out of the project" if outside else f"{quote(shown)} can't be read",
            span,
            path=path,
            label="named here",
            help="code has to lie inside the project, links followed"
            if outside
            else "check that it is a readable file",
        )

    def _unparsed(self, problem: SourceProblem, shown: str, span: Span, path: Path) -> Diagnostic:
        message = {
            "syntax": "this file is not valid Python",
            "too_deep": "this file is nested too deeply to be read",
            "too_large": "this file is larger than 1 MiB",
        }[problem.reason]
        self._context.sources.setdefault(shown, source_text(problem.file.data))
        line, column = max(problem.line, 1), max(problem.column, 1)
        return finding(
            "ADK214",
            message,
            Span(file=shown, line=line, column=column, end_line=line, end_column=column + 1),
            path=path,
            label="can't be parsed" if problem.reason == "syntax" else "",
            labels=(Label(span=span, message="named here"),),
            help="`python -m py_compile FILE` says more" if problem.reason == "syntax" else "split it into modules",
        )

    def remember(self, module: Module) -> None:
        """Keep the text of a module for the snippets of findings."""
        self._context.sources.setdefault(self._context.shown_name(module.file.path), module.text)


def _parts(text: str) -> tuple[str, str] | None:
    """Module and attribute of a reference, or None when it has another form."""
    if not text.startswith(PREFIX) or text.count(":") != 2:
        return None
    module, _, attribute = text[len(PREFIX) :].partition(":")
    names = [*module.split("."), attribute]
    if all(name.isidentifier() and not keyword.iskeyword(name) for name in names):
        return module, attribute
    return None


def _installed_folders(context: Context) -> list[str]:
    """Entries of `sys.path` that hold installed packages: not the project, and not the current folder."""
    own = os.path.join(context.project_root, "")
    return [
        entry
        for entry in sys.path
        if entry
        and entry != context.cwd
        and (not os.path.join(entry, "").startswith(own) or entry.endswith(_INSTALL_FOLDERS))
    ]


def _holds(folder: str, top: str) -> bool:
    """Whether a folder holds a regular package or a module of this name."""
    base = os.path.join(folder, top)
    return disk.is_file(os.path.join(base, "__init__.py")) or disk.is_file(base + ".py")
