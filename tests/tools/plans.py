"""Tool plans for the tests, made from real signatures."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

from adk_decl.plan.frozen_json import freeze
from adk_decl.plan.model import CodeRef, ToolPlan
from adk_decl.plan.record import FrozenMap
from adk_decl.signatures import FunctionShape, describe_in
from adk_decl.source_code import CodeBase, folder_reader
from adk_decl.tools.context import ToolFacts

PROJECT = Path(__file__).parent / "project"
FACTS = ToolFacts(user_id="u1", session_id="s1", app_name="shop", invocation_id="i1")


def shape_of(attribute: str, module: str = "shop.tools", root: Path = PROJECT) -> FunctionShape:
    """What the compiler reads of a function."""
    code = CodeBase(folder_reader([str(root)]))
    found = code.module(module)
    assert found is not None
    return describe_in(code, found, attribute)


def tool(attribute: str, *, module: str = "shop.tools", root: Path = PROJECT, **changes: Any) -> ToolPlan:
    """The plan of one function of the test project, with short limits."""
    shape = shape_of(attribute, module, root)
    parameters = freeze(shape.parameters)
    assert isinstance(parameters, FrozenMap)
    return ToolPlan(
        name=attribute,
        description=shape.description,
        code=CodeRef(module=module, attribute=attribute, file=module.replace(".", "/") + ".py", root="."),
        domain="project",
        parameters=parameters,
        parameters_declared=False,
        context_parameter=shape.context_parameter,
        is_async=shape.is_async,
        isolation="worker",
        timeout_ms=5000,
        max_heap_mib=64,
        heap_declared=False,
        max_concurrency=4,
        idempotent=False,
    ).replace(**changes)


def functions(root: Path = PROJECT) -> list[str]:
    """Every function of the test project's tools."""
    tree = ast.parse((root / "shop" / "tools.py").read_text())
    return [node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
