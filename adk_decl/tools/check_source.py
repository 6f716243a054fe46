"""Compares a tool's function, as its file reads now, with what the plan says of it."""

from __future__ import annotations

from collections.abc import Sequence

from adk_decl.plan.frozen_json import freeze
from adk_decl.plan.model import ToolPlan
from adk_decl.signatures import FunctionShape, NotAFunction, describe_in
from adk_decl.source_code import CodeBase, SourceProblem, folder_reader


def source_problem(tool: ToolPlan, roots: Sequence[str], project_root: str) -> str | None:
    """A complete sentence when the function of a tool is no longer the one that the plan was made from, else None.

    Nothing is imported. The schema of a tool whose manifest declares `parameters` is not compared.
    """
    shown = f"tool `{tool.name}`: python:{tool.code.module}:{tool.code.attribute}"
    code = CodeBase(folder_reader(roots, inside=project_root))
    try:
        module = code.module(tool.code.module)
        if module is None:
            return f"{shown} has no file: it must lie in one of the folders of `code_roots`"
        shape = describe_in(code, module, tool.code.attribute)
    except SourceProblem as problem:
        return f"{shown} can't be read ({problem.reason}, line {problem.line})"
    except LookupError:
        return f"{shown} is not defined in its module any more"
    except NotAFunction as other:
        return f"{shown} is {other.kind}, not a function"
    difference = _difference(tool, shape)
    if difference is not None:
        return f"{shown} has changed since the plan was made ({difference}): load the manifest again"
    return None


def _difference(tool: ToolPlan, shape: FunctionShape) -> str | None:
    if shape.context_parameter != tool.context_parameter:
        return "the parameter that receives the ToolContext"
    if shape.is_async != tool.is_async:
        return "whether it is `async def`"
    if not tool.parameters_declared and freeze(shape.parameters) != tool.parameters:
        return "its parameters"
    return None
