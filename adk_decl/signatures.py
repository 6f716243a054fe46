"""The JSON Schema of a tool's arguments, read from the annotations of its function without running anything.

The compiler puts the schema into the plan; the host reads the file again when a runner is built and refuses a
difference. Standard library only.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from adk_decl.source_code import CodeBase, Definition, Function, Import, Module, SourceFile, SourceProblem, parse
from adk_decl.source_types import Schema, TypeReader, UnknownType, literal_json

TOOL_CONTEXT = ("adk_decl.tools.ToolContext", "adk_decl.tools.context.ToolContext")
"""What the annotation of the parameter that receives the context resolves to."""


class SignatureProblem(NamedTuple):
    """A parameter that can't be described: why, and its place in `module`.

    `by_name` is False when it can't even be given by name, which a declared schema does not mend.
    """

    parameter: str
    reason: str
    module: Module
    place: tuple[int, int, int, int]
    by_name: bool = True


class FunctionShape(NamedTuple):
    """What a tool function takes.

    `parameters` is the JSON Schema of its arguments, complete only when `problems` is empty; `names` are the
    parameters that may be given, without the one that receives the context. `any_names` says that it takes
    `**kwargs`. `description` is the first paragraph of its docstring, or empty.
    """

    name: str
    description: str
    parameters: Schema
    names: tuple[str, ...]
    required: tuple[str, ...]
    any_names: bool
    context_parameter: str | None
    is_async: bool
    module: Module
    place: tuple[int, int, int, int]
    problems: tuple[SignatureProblem, ...]


class NotAFunction(Exception):
    """The attribute is defined and is no function: `kind` says what it is, in a word or two."""

    def __init__(self, kind: str, found: Definition) -> None:
        self.kind = kind
        self.found = found
        super().__init__(kind)


def describe_function(
    source: str | bytes, attribute: str, *, file_reader: Callable[[str], str | bytes | SourceFile | None]
) -> FunctionShape:
    """The shape of a function in a source text; `file_reader` gives other modules of the project by dotted name.

    Raises `LookupError` when the attribute is missing, `NotAFunction`, and `SourceProblem` for text that can't be
    parsed, here or in a module that an annotation leads to.
    """

    def read(name: str) -> SourceFile | None:
        found = file_reader(name)
        if found is None or isinstance(found, SourceFile):
            return found
        return SourceFile(_bytes(found))

    file = SourceFile(_bytes(source))
    return describe_in(CodeBase(read), Module("", file, parse(file)), attribute)


def describe_in(code: CodeBase, module: Module, attribute: str) -> FunctionShape:
    """The shape of a function of a parsed module. Raises as `describe_function` does."""
    found = code.definition(module, attribute)
    if found is None:
        raise LookupError(attribute)
    if isinstance(found.node, ast.FunctionDef | ast.AsyncFunctionDef):
        return _Describer(code, found.module, found.node).shape()
    if isinstance(found.node, Import):
        raise NotAFunction("imported from outside the project", found)
    raise NotAFunction("a class" if isinstance(found.node, ast.ClassDef) else "a value", found)


class _Describer:
    """Collects the schema and the problems of one function."""

    def __init__(self, code: CodeBase, module: Module, node: Function) -> None:
        self.code = code
        self.module = module
        self.node = node
        self.types = TypeReader(code)
        self.problems: list[SignatureProblem] = []
        self.context: str | None = None

    def shape(self) -> FunctionShape:
        docstring = ast.get_docstring(self.node) or ""
        told = parameter_descriptions(docstring)
        properties: Schema = {}
        required: list[str] = []
        for argument, default in self._arguments():
            schema = self._schema(argument)
            if schema is None:
                continue
            name = argument.arg
            if name in told:
                schema.setdefault("description", told[name])
            if default is None:
                required.append(name)
            else:
                _put_default(schema, default)
            properties[name] = schema
        return self._result(docstring, properties, required)

    def _result(self, docstring: str, properties: Schema, required: list[str]) -> FunctionShape:
        parameters: Schema = {"type": "object", "properties": properties}
        if required:
            parameters["required"] = required
        parameters["additionalProperties"] = False
        return FunctionShape(
            name=self.node.name,
            description=first_paragraph(docstring),
            parameters=parameters,
            names=tuple(a.arg for a, _ in self._arguments() if a.arg != self.context),
            required=tuple(a.arg for a, default in self._arguments() if default is None and a.arg != self.context),
            any_names=self.node.args.kwarg is not None,
            context_parameter=self.context,
            is_async=isinstance(self.node, ast.AsyncFunctionDef),
            module=self.module,
            place=self.module.name_place(self.node),
            problems=(*self._form_problems(), *self.problems),
        )

    def _arguments(self) -> Iterator[tuple[ast.arg, ast.expr | None]]:
        """Each parameter that can be given by name, with its default."""
        arguments = self.node.args
        positional = [*arguments.posonlyargs, *arguments.args]
        defaults = [None] * (len(positional) - len(arguments.defaults)) + list(arguments.defaults)
        pairs = list(zip(positional, defaults, strict=True))[len(arguments.posonlyargs) :]
        yield from pairs
        yield from zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)

    def _schema(self, argument: ast.arg) -> Schema | None:
        """The schema of one parameter; None for the context and for one that can't be described."""
        if argument.annotation is None:
            self._problem(argument, "has no annotation")
            return None
        try:
            if self._is_context(argument.annotation):
                if self.context is not None:
                    self._problem(argument, "is a second ToolContext")
                self.context = self.context or argument.arg
                return None
            return self.types.schema(self.module, argument.annotation)
        except UnknownType as unknown:
            self._problem(argument, unknown.reason)
            return None

    def _is_context(self, annotation: ast.expr) -> bool:
        read = self.types.unquoted(annotation)
        options = [read.left, read.right] if isinstance(read, ast.BinOp) else [read]
        if isinstance(read, ast.Subscript) and self.code.qualified(self.module, read.value) == "typing.Optional":
            options = [read.slice]
        return any(self.code.qualified(self.module, option) in TOOL_CONTEXT for option in options)

    def _form_problems(self) -> Iterator[SignatureProblem]:
        arguments = self.node.args
        for argument in arguments.posonlyargs:
            made = self._made(argument, "is positional-only, and arguments are given by name")
            yield made._replace(by_name=False)
        if arguments.vararg is not None:
            yield self._made(arguments.vararg, "takes any number of arguments (`*`)")
        if arguments.kwarg is not None:
            yield self._made(arguments.kwarg, "takes any names (`**`)")

    def _problem(self, argument: ast.arg, reason: str) -> None:
        self.problems.append(self._made(argument, reason))

    def _made(self, argument: ast.arg, reason: str) -> SignatureProblem:
        return SignatureProblem(argument.arg, reason, self.module, self.module.place(argument))


def first_paragraph(docstring: str) -> str:
    """The text up to the first empty line, in one line."""
    return " ".join(docstring.strip().partition("\n\n")[0].split())


_SPHINX = re.compile(r":param\s+(?:[^:\n]{0,80}\s)?(\w+):\s*(.*)")
_GOOGLE_HEAD = re.compile(r"(?:Args|Arguments|Parameters):\s*")
_GOOGLE_ITEM = re.compile(r"(\w+)(?:\s*\([^)\n]{0,80}\))?:\s*(.*)")


def parameter_descriptions(docstring: str) -> dict[str, str]:
    """What a docstring says of each parameter, in the style of Google (`Args:`) or Sphinx (`:param name:`)."""
    found: dict[str, str] = {}
    name: str | None = None
    inside, depth = False, 0
    for line in docstring.split("\n"):
        text, indent = line.strip(), len(line) - len(line.lstrip())
        sphinx = _SPHINX.fullmatch(text)
        if sphinx:
            name, inside, depth = sphinx[1], False, indent
            found[name] = sphinx[2]
        elif _GOOGLE_HEAD.fullmatch(text):
            name, inside, depth = None, True, indent
        elif not text or (indent <= depth and (inside or name)):
            name, inside = None, inside and not text
        elif name and indent > depth + (4 if inside else 0):
            found[name] = f"{found[name]} {text}".strip()
        elif inside and (item := _GOOGLE_ITEM.fullmatch(text)):
            name = item[1]
            found[name] = item[2]
    return {key: text for key, text in found.items() if text}


def _put_default(schema: Schema, default: ast.expr) -> None:
    known, value = literal_json(default)
    if known:
        schema["default"] = value


def _bytes(source: str | bytes) -> bytes:
    return source.encode("utf-8", "replace") if isinstance(source, str) else source


__all__ = [
    "TOOL_CONTEXT",
    "FunctionShape",
    "NotAFunction",
    "SignatureProblem",
    "SourceProblem",
    "describe_function",
    "describe_in",
]
