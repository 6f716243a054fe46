"""Checks a tool function against its annotations, or against the `parameters` that the manifest gives."""

from __future__ import annotations

from collections.abc import Iterator

from adk_decl.compiler.code_reference import References, Target
from adk_decl.compiler.finding import Path, existing, finding, suggestion
from adk_decl.compiler.json_schemas import schema_fault
from adk_decl.compiler.plugin_class import CodeProblem
from adk_decl.compiler.tree import Tree
from adk_decl.diagnostics.diagnostic import Diagnostic, Label
from adk_decl.diagnostics.wording import listed, quote
from adk_decl.signatures import FunctionShape, NotAFunction, describe_in
from adk_decl.source_code import Import
from adk_decl.syntax.document import Node

_GIVE_PARAMETERS = "annotate it with a type that JSON Schema knows, or give `parameters:` for the tool"


def check_tool(tree: Tree, tool: Node, path: Path, target: Target, references: References) -> FunctionShape | None:
    """The shape of a tool's function, or None after ADK213. Raises `SourceProblem` as `describe_in` does."""
    use = tree.child(tool, "use")
    assert use is not None
    span, where = tree.span(use), (*path, "use")
    try:
        shape = describe_in(references.code, target.module, target.code.attribute)
    except NotAFunction as error:
        node = error.found.node
        place = (1, 1, 1, 2) if isinstance(node, Import) else error.found.module.place(node)
        message = f"the tool is {error.kind}, not a function"
        advice = "a tool is a function at the top level of a module of the project"
        problem = CodeProblem("ADK213", message, error.found.module, place, "not a function", advice)
        references.report(problem, span, where)
        return None
    declared = tree.child(tool, "parameters")
    problems = [each for each in shape.problems if declared is None or not each.by_name]
    for each in problems:
        message = f"parameter {quote(each.parameter)} of tool function `{shape.name}` {each.reason}"
        advice = _GIVE_PARAMETERS if each.by_name else "let it be given by name: leave out the `/`"
        found = CodeProblem("ADK213", message, each.module, each.place, "can't be described", advice)
        references.report(found, span, where)
    findings = [] if declared is None else list(_misfits(tree, declared, (*path, "parameters"), shape, references))
    findings += _heap_inline(tree, tool, path, shape)
    for one in findings:
        references.bag.add(one)
    return None if problems or findings else shape


def _heap_inline(tree: Tree, tool: Node, path: Path, shape: FunctionShape) -> list[Diagnostic]:
    """ADK402 for a heap limit of a tool that runs in this process."""
    limit = tree.child(tool, "max_heap_mib")
    isolation = tree.text(tool, "isolation") or ("inline" if shape.is_async else "worker")
    if limit is None or isolation != "inline":
        return []
    return [
        finding(
            "ADK402",
            f"the heap limit of tool function `{shape.name}` can't be enforced inline",
            tree.span(limit),
            path=(*path, "max_heap_mib"),
            label="needs a process of its own",
            help="leave `max_heap_mib` out, or write `isolation: worker`",
        )
    ]


def _misfits(
    tree: Tree, declared: Node, path: Path, shape: FunctionShape, references: References
) -> Iterator[Diagnostic]:
    """Why the declared `parameters` do not describe arguments of the function."""
    fault = schema_fault(tree.plain(declared))
    if fault is not None:
        yield finding(
            "ADK213",
            f"`parameters` can't be used as a JSON Schema: {fault}",
            tree.span(declared),
            path=path,
            label="expected a JSON Schema of type `object`",
            help="write `type: object`, and under `properties` what each argument is",
        )
        return
    defined = (Label(span=references.span(shape.module, shape.place), message="defined here"),)
    references.remember(shape.module)
    properties = declared.get("properties")
    given = list(properties.entries) if properties is not None else []
    for key, _ in given:
        if key.text not in shape.names and not shape.any_names:
            yield finding(
                "ADK213",
                f"function `{shape.name}` has no parameter {quote(key.text)}",
                tree.span(key),
                path=(*path, "properties", key.text),
                label="no such parameter",
                labels=defined,
                help=suggestion(key.text, shape.names),
                notes=(existing("parameters", shape.names),),
            )
    missing = [name for name in shape.required if name not in {key.text for key, _ in given}]
    if missing:
        message = f"`parameters` leaves out what function `{shape.name}` needs: {listed(missing)}"
        yield finding("ADK213", message, tree.span(declared), path=path, label="incomplete", labels=defined)
