"""Resolves references to code of the project: plugins, callbacks, tools, models and session stores."""

from __future__ import annotations

import ast
from typing import NamedTuple

from adk_decl.compiler.code_reference import References, Target
from adk_decl.compiler.components import CODE_PREFIX, owners
from adk_decl.compiler.graph import Graph
from adk_decl.compiler.hook_methods import accepts
from adk_decl.compiler.plugin_class import CodeProblem, PluginFacts, read_plugin_class
from adk_decl.compiler.tool_parameters import check_tool
from adk_decl.compiler.tree import Path, Tree
from adk_decl.plan.phases import LOCAL_PHASES
from adk_decl.signatures import FunctionShape
from adk_decl.source_code import Definition, Import, SourceProblem
from adk_decl.syntax.document import Node


class PluginCode(NamedTuple):
    """A plugin class of the project."""

    target: Target
    facts: PluginFacts


class ToolCode(NamedTuple):
    """A tool function of the project."""

    target: Target
    shape: FunctionShape


class Code(NamedTuple):
    """What was found: plugins by `id(node)` of their descriptor, tools by name, callbacks by agent and phase."""

    plugins: dict[int, PluginCode]
    tools: dict[str, ToolCode]
    callbacks: dict[tuple[str, str], Target]


def resolve_code(tree: Tree, graph: Graph, references: References) -> Code:
    """Every reference to code, followed. Reports ADK206 to 216, 220 and 221."""
    return _Resolver(tree, references).code(graph)


class _Resolver:
    def __init__(self, tree: Tree, references: References) -> None:
        self.tree = tree
        self.references = references
        self.plugin_facts: dict[int, PluginFacts] = {}

    def code(self, graph: Graph) -> Code:
        plugins: dict[int, PluginCode] = {}
        for owner in owners(self.tree, graph):
            use = self.tree.child(owner.node, "use")
            if use is None or not str(self.tree.value(use)).startswith(CODE_PREFIX):
                continue
            path = (*owner.path, "use")
            target = self._target(use, path)
            if target is not None and owner.kind == "plugin":
                facts = self._plugin(target, use, path)
                if facts is not None:
                    plugins[id(owner.node)] = PluginCode(target, facts)
        tools: dict[str, ToolCode] = {}
        for entry in graph.tools.values():
            found = self._tool(entry.node, entry.path)
            if found is not None:
                tools[entry.name] = found
        callbacks: dict[tuple[str, str], Target] = {}
        for name, agent in graph.agents.items():
            for phase, target in self._callbacks(agent.entry.node, agent.entry.path):
                callbacks[name, phase] = target
        return Code(plugins, tools, callbacks)

    def _target(self, node: Node | None, path: Path) -> Target | None:
        text = self.tree.value(node)
        if node is None or not isinstance(text, str):
            return None
        return self.references.resolve(text, self.tree.span(node), path)

    def _plugin(self, target: Target, use: Node, path: Path) -> PluginFacts | None:
        """Facts about a plugin class; its problems are told where it is named first."""
        key = id(target.found.node)
        if key not in self.plugin_facts:
            span = self.tree.span(use)
            try:
                facts = read_plugin_class(self.references.code, target.found)
            except SourceProblem as problem:
                self.references.report_source(problem, span, path)
                return None
            for each in facts.problems:
                self.references.report(each, span, path)
            self.plugin_facts[key] = facts
        facts = self.plugin_facts[key]
        return None if facts.problems else facts

    def _tool(self, node: Node | None, path: Path) -> ToolCode | None:
        use = self.tree.child(node, "use")
        target = self._target(use, (*path, "use"))
        if target is None or use is None or node is None:
            return None
        try:
            shape = check_tool(self.tree, node, path, target, self.references)
        except SourceProblem as problem:
            self.references.report_source(problem, self.tree.span(use), (*path, "use"))
            return None
        return ToolCode(target, shape) if shape is not None else None

    def _callbacks(self, agent: Node | None, path: Path) -> list[tuple[str, Target]]:
        callbacks = self.tree.child(agent, "callbacks")
        found: list[tuple[str, Target]] = []
        for phase in LOCAL_PHASES:
            node = self.tree.child(callbacks, phase)
            where = (*path, "callbacks", phase)
            target = self._target(node, where)
            if node is None or target is None:
                continue
            problem = _callback_problem(target.found)
            if problem is None:
                found.append((phase, target))
            else:
                self.references.report(problem, self.tree.span(node), where)
        return found


def _callback_problem(found: Definition) -> CodeProblem | None:
    module, node = found
    advice = "write a function `def name(ctx, value)` at the top level of a module of the project"
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        if not node.decorator_list and accepts(node, 2):
            return None
        reason = "has a decorator" if node.decorator_list else "has the wrong parameters"
        message = f"callback `{node.name}` {reason}"
        return CodeProblem("ADK220", message, module, module.name_place(node), "takes `(ctx, value)`", advice)
    place = (1, 1, 1, 2) if isinstance(node, Import) else module.place(node)
    return CodeProblem("ADK220", "the callback is not a function", module, place, "not a function", advice)
