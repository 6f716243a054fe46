"""What a plugin class of the project declares, read from its source: hooks, parameters, literal attributes."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any, NamedTuple

from adk_decl.compiler.hook_methods import check_hook, refused_name, returns_at_once
from adk_decl.plan.phases import PHASES
from adk_decl.source_code import CodeBase, Definition, Function, Module, assigned, flat

_PLUGIN = ("adk_decl.plugins.Plugin", "adk_decl.plugins.protocol.Plugin")
_STATEFUL = ("adk_decl.plugins.StatefulPlugin", "adk_decl.plugins.protocol.StatefulPlugin")
_HARMLESS_BASES = ("builtins.object", "abc.ABC", "typing.Generic", "typing.Protocol")
_ATTRIBUTES: dict[str, type] = {
    "priority": int,
    "requires_intervene": bool,
    "stateless": bool,
    "config_schema": dict,
}
_LATER_ATTRIBUTES = {"reads": "declared inputs of a plugin", "stream_safe": "streaming through output guards"}
_MAX_BASES = 32


class CodeProblem(NamedTuple):
    """A finding in a file of the project: what, where in that file, and what is expected."""

    code: str
    message: str
    module: Module
    place: tuple[int, int, int, int]
    label: str = ""
    help: str | None = None


class PluginFacts(NamedTuple):
    """What the class declares. `returns` are the hooks that do nothing but return a value or halt."""

    hooks: tuple[str, ...]
    priority: int
    requires_intervene: bool
    stateless: bool
    config_schema: dict[str, Any] | None
    returns: frozenset[str]
    problems: tuple[CodeProblem, ...]


def read_plugin_class(code: CodeBase, found: Definition) -> PluginFacts:
    """Reads one class and its bases inside the project. Raises `SourceProblem` for a base that can't be parsed."""
    return _ClassReader(code).read(found)


class _ClassReader:
    def __init__(self, code: CodeBase) -> None:
        self.code = code
        self.problems: list[CodeProblem] = []
        self.is_plugin = False
        self.methods: dict[str, tuple[Module, Function]] = {}
        self.values: dict[str, Any] = {}

    def read(self, found: Definition) -> PluginFacts:
        module, node = found
        if not isinstance(node, ast.ClassDef):
            what = "a function" if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) else "not a class"
            place = module.place(node) if isinstance(node, ast.AST) else (1, 1, 1, 2)
            self.problems.append(_not_a_plugin(f"the plugin is {what}", module, place))
            return self._facts()
        for owner, each in self._lineage(module, node):
            self._body(owner, each)
        if not self.is_plugin and not self.problems:
            message = f"class `{node.name}` does not derive from `Plugin`"
            self.problems.append(_not_a_plugin(message, module, module.name_place(node)))
        if self.is_plugin and not any(name in PHASES for name in self.methods) and not self.problems:
            self.problems.append(
                CodeProblem(
                    "ADK212",
                    f"plugin class `{node.name}` has no hook",
                    module,
                    module.name_place(node),
                    "would never be called",
                    "define a method named after a phase, such as `def before_model(self, ctx, value)`",
                )
            )
        return self._facts()

    def _lineage(self, module: Module, node: ast.ClassDef) -> Iterator[tuple[Module, ast.ClassDef]]:
        """The class, then its bases inside the project, nearest first; each once, however they are knotted."""
        waiting, seen = [(module, node)], set[int]()
        while waiting and len(seen) < _MAX_BASES:
            owner, current = waiting.pop(0)
            if id(current) in seen:
                continue
            seen.add(id(current))
            yield owner, current
            for base in current.bases:
                following = self._base(owner, base)
                if following is not None:
                    waiting.append(following)

    def _base(self, module: Module, base: ast.expr) -> tuple[Module, ast.ClassDef] | None:
        target = base.value if isinstance(base, ast.Subscript) else base
        name = self.code.qualified(module, target) or ""
        if name in _PLUGIN:
            self.is_plugin = True
            return None
        if name in _HARMLESS_BASES:
            return None
        if name in _STATEFUL:
            self.is_plugin = True
            self._later(module, base, "StatefulPlugin", "stateful plugins")
            return None
        found = self.code.locate(module, target)
        if found is not None and isinstance(found.node, ast.ClassDef):
            return found.module, found.node
        shown = f"base class `{name.removeprefix('builtins.')}`" if name else "a base class that is computed"
        self.problems.append(_not_a_plugin(f"{shown} can't be read in the project", module, module.place(base)))
        return None

    def _body(self, module: Module, node: ast.ClassDef) -> None:
        for statement in flat(node.body):
            if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
                self._method(module, statement)
            else:
                for name, value in assigned(statement):
                    self._attribute(module, name, value)

    def _method(self, module: Module, node: Function) -> None:
        if node.name in self.methods:
            return
        self.methods[node.name] = (module, node)
        problem = check_hook(module, node) if node.name in PHASES else refused_name(module, node)
        if problem is not None:
            self.problems.append(CodeProblem(*problem))

    def _attribute(self, module: Module, name: str, value: ast.expr) -> None:
        if name in _LATER_ATTRIBUTES:
            self._later(module, value, name, _LATER_ATTRIBUTES[name])
        elif name in PHASES:
            self.problems.append(
                CodeProblem(
                    "ADK211",
                    f"hook `{name}` is assigned, not defined",
                    module,
                    module.place(value),
                    "a hook is a method",
                    f"write `def {name}(self, ctx, value)` and call the other function there",
                )
            )
        elif name in _ATTRIBUTES and name not in self.values:
            self._literal(module, name, value)

    def _literal(self, module: Module, name: str, node: ast.expr) -> None:
        wanted = _ATTRIBUTES[name]
        try:
            value = ast.literal_eval(node)
        except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
            value = None
        if type(value) is not wanted:
            self.problems.append(
                _not_a_plugin(
                    f"class attribute `{name}` is not a literal of type {wanted.__name__}",
                    module,
                    module.place(node),
                    "is read without running the code, so it has to stand here",
                )
            )
        else:
            self.values[name] = value

    def _later(self, module: Module, node: ast.expr, name: str, what: str) -> None:
        self.problems.append(
            CodeProblem(
                "ADK209",
                f"`{name}` is not available in this version: {what}",
                module,
                module.place(node),
                "not available in this version",
            )
        )

    def _facts(self) -> PluginFacts:
        hooks = tuple(name for name in PHASES if name in self.methods)
        return PluginFacts(
            hooks=hooks,
            priority=self.values.get("priority", 0),
            requires_intervene=self.values.get("requires_intervene", False),
            stateless=self.values.get("stateless", False),
            config_schema=self.values.get("config_schema"),
            returns=frozenset(
                name for name in hooks if returns_at_once(self.code, self.methods[name][0], self.methods[name][1])
            ),
            problems=tuple(self.problems),
        )


def _not_a_plugin(
    message: str, module: Module, place: tuple[int, int, int, int], label: str = "not a plugin"
) -> CodeProblem:
    advice = "a plugin is a class `class Name(Plugin)` with `from adk_decl.plugins import Plugin`"
    return CodeProblem("ADK216", message, module, place, label, advice if label == "not a plugin" else None)
