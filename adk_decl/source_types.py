"""The JSON Schema of a type annotation, read from the syntax tree. Standard library only."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from adk_decl.source_code import CodeBase, Definition, Module, assigned, flat

Schema = dict[str, Any]

_MAX_DEPTH = 24
_TYPING = ("typing.", "typing_extensions.", "collections.abc.")
_SCALARS = {"str": "string", "int": "integer", "float": "number", "bool": "boolean"}
_LISTS = ("list", "List", "Sequence")
_DICTS = ("dict", "Dict", "Mapping")
_ENUM_BASES = ("enum.Enum", "enum.StrEnum", "enum.IntEnum")
_DATACLASS = ("dataclasses.dataclass", "pydantic.dataclasses.dataclass")


class UnknownType(Exception):
    """An annotation that no JSON Schema is known for. `reason` ends a sentence that begins with the parameter."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)


class TypeReader:
    """Reads annotations of the modules of one project."""

    def __init__(self, code: CodeBase) -> None:
        self._code = code
        self._open: list[tuple[str, str]] = []

    def schema(self, module: Module, annotation: ast.expr, depth: int = 0) -> Schema:
        """A fresh schema of an annotation. Raises `UnknownType` and `SourceProblem`."""
        if depth > _MAX_DEPTH:
            raise UnknownType("has a type that is nested too deeply")
        node = self.unquoted(annotation)
        if isinstance(node, ast.Constant) and node.value is None:
            return {"type": "null"}
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            return self._union(module, _alternatives(node), depth)
        if isinstance(node, ast.Subscript):
            return self._subscript(module, node, depth)
        return self._named(module, node, depth)

    @staticmethod
    def unquoted(annotation: ast.expr) -> ast.expr:
        """The expression inside an annotation that is written as a string, else the annotation itself."""
        if not (isinstance(annotation, ast.Constant) and isinstance(annotation.value, str)):
            return annotation
        try:
            return ast.parse(annotation.value.strip(), mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            raise UnknownType("has an annotation that can't be parsed") from None

    def _named(self, module: Module, node: ast.expr, depth: int) -> Schema:
        name = self._code.qualified(module, node)
        if name is None:
            raise UnknownType("has an annotation that is not a type")
        plain = _short(name)
        if plain in _SCALARS:
            return {"type": _SCALARS[plain]}
        if plain in _LISTS:
            return {"type": "array"}
        if plain in _DICTS:
            return {"type": "object"}
        found = self._code.locate(module, node)
        if found is None:
            raise UnknownType(f"has the type `{_shown(name)}`, which has no JSON Schema here")
        return self._defined(found, name, depth)

    def _defined(self, found: Definition, name: str, depth: int) -> Schema:
        """The schema of a class or an alias of the project; a type that holds itself has none."""
        key = (found.module.name, name)
        if key in self._open:
            raise UnknownType(f"has the type `{_shown(name)}`, which contains itself")
        self._open.append(key)
        try:
            if isinstance(found.node, ast.ClassDef):
                return self._class(found.module, found.node, depth)
            if isinstance(found.node, ast.expr):
                return self.schema(found.module, found.node, depth + 1)
            raise UnknownType(f"has the type `{_shown(name)}`, which is not a type")
        finally:
            self._open.pop()

    def _subscript(self, module: Module, node: ast.Subscript, depth: int) -> Schema:
        name = _short(self._code.qualified(module, node.value) or "")
        items = list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
        if name in _LISTS and len(items) == 1:
            return {"type": "array", "items": self.schema(module, items[0], depth + 1)}
        if name in _DICTS and len(items) == 2:
            if _short(self._code.qualified(module, items[0]) or "") != "str":
                raise UnknownType("has a dict whose keys are not str")
            return {"type": "object", "additionalProperties": self.schema(module, items[1], depth + 1)}
        readers: dict[str, Callable[[], Schema]] = {
            "Optional": lambda: self._union(module, [*items[:1], ast.Constant(None)], depth),
            "Union": lambda: self._union(module, items, depth),
            "Literal": lambda: _literal(items),
            "Annotated": lambda: self._annotated(module, items, depth),
            "Required": lambda: self.schema(module, items[0], depth + 1),
            "NotRequired": lambda: self.schema(module, items[0], depth + 1),
        }
        if name not in readers:
            raise UnknownType(f"has the type `{_shown(name) or '?'}[…]`, which has no JSON Schema here")
        return readers[name]()

    def _union(self, module: Module, items: list[ast.expr], depth: int) -> Schema:
        options: list[Schema] = []
        for item in items:
            option = self.schema(module, item, depth + 1)
            for one in option["anyOf"] if list(option) == ["anyOf"] else [option]:
                if one not in options:
                    options.append(one)
        return options[0] if len(options) == 1 else {"anyOf": options}

    def _annotated(self, module: Module, items: list[ast.expr], depth: int) -> Schema:
        schema = self.schema(module, items[0], depth + 1)
        for extra in items[1:]:
            text = _description(extra)
            if text is not None:
                schema["description"] = text
                break
        return schema

    def _class(self, module: Module, node: ast.ClassDef, depth: int) -> Schema:
        bases = [self._code.qualified(module, base) or "" for base in node.bases]
        if any(base in _ENUM_BASES for base in bases):
            return _enum(node)
        if any(_short(base) == "TypedDict" for base in bases):
            return self._fields(module, node, total=_total(node), typed_dict=True, depth=depth)
        decorators = [d.func if isinstance(d, ast.Call) else d for d in node.decorator_list]
        if any(self._code.qualified(module, d) in _DATACLASS for d in decorators) and not bases:
            return self._fields(module, node, total=True, typed_dict=False, depth=depth)
        raise UnknownType(f"has the class `{node.name}`, which is no Enum, TypedDict or dataclass without bases")

    def _fields(self, module: Module, node: ast.ClassDef, *, total: bool, typed_dict: bool, depth: int) -> Schema:
        properties: Schema = {}
        required: list[str] = []
        for statement in node.body:
            if not (isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name)):
                continue
            if self._marker(module, statement.annotation) == "ClassVar":
                continue
            name = statement.target.id
            properties[name] = self.schema(module, statement.annotation, depth + 1)
            if self._is_required(module, statement, total=total, typed_dict=typed_dict):
                required.append(name)
            if statement.value is not None:
                known, value = literal_json(statement.value)
                if known:
                    properties[name]["default"] = value
        schema: Schema = {"type": "object", "properties": properties, "additionalProperties": False}
        if required:
            schema["required"] = required
        return schema

    def _is_required(self, module: Module, statement: ast.AnnAssign, *, total: bool, typed_dict: bool) -> bool:
        if not typed_dict:
            return statement.value is None
        marker = self._marker(module, statement.annotation)
        return marker == "Required" or (total and marker != "NotRequired")

    def _marker(self, module: Module, annotation: ast.expr) -> str:
        node = self.unquoted(annotation)
        target = node.value if isinstance(node, ast.Subscript) else node
        return _short(self._code.qualified(module, target) or "")


def literal_json(node: ast.expr) -> tuple[bool, Any]:
    """Whether an expression is a literal that JSON can hold, and its value."""
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return False, None
    return (True, value) if _is_json(value) else (False, None)


def _is_json(value: Any, depth: int = 0) -> bool:
    if value is None or isinstance(value, str | bool | int):
        return True
    if isinstance(value, float):
        return value - value == 0.0
    if depth > _MAX_DEPTH:
        return False
    if isinstance(value, list):
        return all(_is_json(item, depth + 1) for item in value)
    return isinstance(value, dict) and all(isinstance(k, str) and _is_json(v, depth + 1) for k, v in value.items())


def _alternatives(node: ast.expr) -> list[ast.expr]:
    """The operands of `a | b | c`, in order, without recursion: a union may be long."""
    found: list[ast.expr] = []
    while isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        found.append(node.right)
        node = node.left
    return [node, *reversed(found)]


def _literal(items: list[ast.expr]) -> Schema:
    values = []
    for item in items:
        known, value = literal_json(item)
        if not known or isinstance(value, list | dict | float):
            raise UnknownType("has a Literal with something else than str, int, bool or None")
        values.append(value)
    return _choices(values)


def _choices(values: list[Any]) -> Schema:
    kinds = {"string" if isinstance(v, str) else "boolean" if isinstance(v, bool) else "integer" for v in values}
    schema: Schema = {"enum": values}
    return {"type": kinds.pop(), **schema} if len(kinds) == 1 and None not in values else schema


def _enum(node: ast.ClassDef) -> Schema:
    values: list[Any] = []
    for statement in flat(node.body):
        for name, expression in assigned(statement):
            known, value = literal_json(expression)
            if name.startswith("_"):
                continue
            if not known or isinstance(value, list | dict | float) or value is None:
                raise UnknownType(f"has the Enum `{node.name}`, whose members are not all str, int or bool literals")
            if value not in values:
                values.append(value)
    if not values:
        raise UnknownType(f"has the Enum `{node.name}`, which has no members")
    return _choices(values)


def _total(node: ast.ClassDef) -> bool:
    for keyword in node.keywords:
        if keyword.arg == "total" and isinstance(keyword.value, ast.Constant):
            return bool(keyword.value.value)
    return True


def _description(extra: ast.expr) -> str | None:
    """The text of a metadata item: a plain string, or `Field(description="…")`."""
    if isinstance(extra, ast.Constant) and isinstance(extra.value, str):
        return extra.value
    if isinstance(extra, ast.Call):
        for keyword in extra.keywords:
            if keyword.arg == "description" and isinstance(keyword.value, ast.Constant):
                return str(keyword.value.value)
    return None


def _short(name: str) -> str:
    """`str` for `builtins.str`, `Optional` for `typing.Optional`; other names stay whole."""
    for prefix in ("builtins.", *_TYPING):
        if name.startswith(prefix):
            return name[len(prefix) :]
    return name


def _shown(name: str) -> str:
    return name.removeprefix("builtins.")[:80]
