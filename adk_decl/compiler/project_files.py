"""What a manifest names and the compiler reads besides code: folders of code, and schemas of answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from adk_decl import disk
from adk_decl.compiler.context import Context
from adk_decl.compiler.finding import Path, finding
from adk_decl.compiler.graph import Graph
from adk_decl.compiler.json_schemas import schema_fault
from adk_decl.compiler.tree import Tree
from adk_decl.diagnostics.diagnostic import Diagnostic, DiagnosticBag
from adk_decl.diagnostics.wording import quote
from adk_decl.syntax.document import Document, Node


def code_roots(tree: Tree, context: Context, bag: DiagnosticBag) -> tuple[str, ...]:
    """The folders in which modules are looked up, absolute. Reports ADK217 and ADK221."""
    stated = tree.child(tree.root, "code_roots")
    if stated is None:
        folders = dict.fromkeys((context.folder, *context.layer_folders, context.project_root))
        return tuple(folder for folder in folders if context.inside(folder))
    found: list[str] = []
    for index, item in enumerate(stated.items):
        text = tree.value(item)
        if not tree.usable(item) or not isinstance(text, str):
            continue
        path = context.beside(text, item.file)
        where = ("code_roots", index)
        if not context.inside(path):
            bag.add(_outside(tree, item, where, text))
        elif not disk.is_folder(path):
            message = f"folder {quote(text)} does not exist" if not disk.exists(path) else f"{quote(text)} is a file"
            bag.add(_unusable(tree, item, where, message, "expected a folder"))
        else:
            found.append(path)
    return tuple(dict.fromkeys(found))


def check_place(document: Document, context: Context, bag: DiagnosticBag) -> None:
    """ADK221 for a manifest that lies outside the project root that was named."""
    if context.inside(context.file):
        return
    first = document.root.entries[0][0] if document.root.entries else document.root
    bag.add(
        finding(
            "ADK221",
            "this manifest lies outside the project root",
            first.span(document.file),
            label="not inside the project",
            help="name another folder with `--project-root`, or none",
        )
    )


def read_output_schemas(tree: Tree, graph: Graph, context: Context, bag: DiagnosticBag) -> dict[str, Any]:
    """The schema of the answer of each agent that has one, as plain JSON. Reports ADK217 and ADK221."""
    found: dict[str, Any] = {}
    for name, agent in graph.agents.items():
        node = tree.child(agent.entry.node, "output_schema")
        if node is None:
            continue
        where = (*agent.entry.path, "output_schema")
        schema = _from_file(tree, node, where, context, bag) if node.kind == "scalar" else tree.plain(node)
        if schema is not None and _is_schema(tree, node, where, schema, bag):
            found[name] = schema
    return found


def _from_file(tree: Tree, node: Node, where: Path, context: Context, bag: DiagnosticBag) -> Any:
    text = tree.value(node)
    if not isinstance(text, str):
        return None
    path = context.beside(text, node.file)
    if not context.inside(path):
        bag.add(_outside(tree, node, where, text))
        return None
    from adk_decl.syntax.read import read_file

    own = DiagnosticBag()
    shown, data = context.shown_name(path), context.texts.get(path)
    document = read_file(path, shown=shown, bag=own, sources=context.sources, data=data)
    errors = [found for found in own.sorted() if found.severity == "error"]
    if document is not None and not errors:
        return document.root.to_plain()
    bag.add(_unusable(tree, node, where, f"{quote(text)} can't be used", "named here", errors[:1]))
    return None


def _is_schema(tree: Tree, node: Node, where: Path, schema: Any, bag: DiagnosticBag) -> bool:
    fault = schema_fault(schema)
    if fault is None:
        return True
    message = f"`output_schema` can't be used as a JSON Schema: {fault}"
    bag.add(_unusable(tree, node, where, message, "expected a JSON Schema of type `object`"))
    return False


def _outside(tree: Tree, node: Node, where: Path, text: str) -> Diagnostic:
    return finding(
        "ADK221",
        f"{quote(text)} lies outside the project",
        tree.span(node),
        path=where,
        label="not inside the project",
        help="what the compiler reads lies inside the project, links followed; `--project-root` names another root",
    )


def _unusable(
    tree: Tree, node: Node, where: Path, message: str, label: str, errors: Sequence[Diagnostic] = ()
) -> Diagnostic:
    return finding(
        "ADK217",
        message,
        tree.span(node),
        path=where,
        label=label,
        notes=tuple(f"{e.span.file}:{e.span.line}:{e.span.column}: {e.message}" for e in errors),
        help="a path is relative to the file that states it",
    )
